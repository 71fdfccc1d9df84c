package chatlog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/internal/evaluation"
	"heddle/internal/export"
	"heddle/internal/terminal"
)

// maxLine is the longest line of a log that is read, in bytes.
const maxLine = 4 << 20

// Read reads logs in the order of their paths. A place is a file or a directory, below
// which all logs are read. Logs are JSON lines (.jsonl) or exports of
// DiscordChatExporter (.json), plain or gzipped (.gz). A file of marks (.marks) says what
// the messages of logs answer that are not annotated themselves.
func Read(ctx context.Context, places []string) ([]*Log, error) {
	var files []string
	for _, place := range places {
		found, err := logFiles(place)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, terminal.Errorf("%s holds no log; name a folder with files ending in .jsonl, .jsonl.gz or .json", place)
		}
		files = append(files, found...)
	}
	logs, marked := make([]*Log, 0, len(files)), marks{}
	for _, file := range files {
		if strings.HasSuffix(file, marksEnding) {
			if err := marked.read(file); err != nil {
				return nil, err
			}
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read logs: %w", err)
		}
		log, err := readFile(file)
		if err != nil {
			return nil, err
		}
		logs = append(logs, log)
	}
	return logs, marked.apply(logs)
}

func isLog(name string) bool {
	name = strings.TrimSuffix(name, ".gz")
	return strings.HasSuffix(name, marksEnding) || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json")
}

// logFiles returns the logs in a folder and below it, or the file itself.
func logFiles(place string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(place, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case file == place || isLog(file):
			files = append(files, file)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, terminal.Errorf("there is no file or folder %s; name an export, a log, or a folder with logs", place)
	}
	if err != nil {
		return nil, terminal.Errorf("%s cannot be read: %w; name a folder with logs, or a log", place, err)
	}
	slices.Sort(files)
	return files, nil
}

// readFile reads a log, or an export as a log. It may be compressed.
func readFile(file string) (*Log, error) {
	f, err := os.Open(file) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return nil, terminal.Errorf("%s cannot be opened: %w", file, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	name, compressed := strings.CutSuffix(filepath.Base(file), ".gz")
	if exported, ok := strings.CutSuffix(name, ".json"); ok {
		c, err := export.Load(f, file, 0, 0)
		if err != nil {
			return nil, err
		}
		log, err := evaluation.NewLog(exported, file, c)
		if err != nil {
			return nil, err
		}
		return unmarked(log), nil
	}
	name = strings.TrimSuffix(name, ".jsonl")
	if !compressed {
		return readLog(name, file, f)
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, terminal.Errorf("%s is not gzipped (%w); unpack it, or give it the ending .jsonl", file, err)
	}
	return readLog(name, file, z)
}

// readLog reads one log.
func readLog(name, file string, r io.Reader) (*Log, error) {
	b := newBuilder(name, file)
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		rec, err := parseRecord(line)
		if err != nil {
			return nil, terminal.Errorf("%s, line %d: %w; each line is one JSON object with id, t, author and text", file, number, err)
		}
		if _, twice := b.index[rec.ID]; twice {
			return nil, terminal.Errorf("%s, line %d: the id %q was used before; give every message its own", file, number, rec.ID)
		}
		b.add(&rec)
	}
	if err := lines.Err(); err != nil {
		return nil, terminal.Errorf("%s, after line %d: %w; the file is cut short or damaged, copy it again", file, number, err)
	}
	if number == 0 {
		return nil, terminal.Errorf("%s is empty; remove it, or copy it again", file)
	}
	return b.finish(), nil
}

// unmarked returns an export as a log in which nobody marked anything.
func unmarked(export *evaluation.Log) *Log {
	log := &Log{Log: *export, Gold: make([]Gold, len(export.Messages))}
	for i := range log.Gold {
		log.Gold[i].Characters = utf8.RuneCountInString(log.Messages[i].Text)
	}
	return log
}
