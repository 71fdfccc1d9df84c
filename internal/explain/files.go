package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/export"
	"heddle/internal/progress"
)

// file is an export that is read several times.
type file struct {
	path        string
	head        export.Info
	first, last graph.MessageID
	ascending   bool      // the oldest message stands first
	progress    io.Writer // the terminal that shows the progress; nil for none
}

// errEnough ends the reading of a file early.
var errEnough = errors.New("nothing further is needed")

// read calls each with the messages of the file, until ctx ends or each returns
// errEnough.
func (f *file) read(ctx context.Context, each func(export.Message) error) (export.Info, error) {
	if err := checkFile(f.path); err != nil {
		return export.Info{}, err
	}
	r, err := os.Open(f.path)
	if err != nil {
		return export.Info{}, unopened(f.path, err)
	}
	defer r.Close() //nolint:errcheck // nothing was written
	shown, done := progress.Reading(f.progress, r, "read "+filepath.Base(f.path))
	defer done()
	head, err := export.Read(shown, f.path, func(x export.Message) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", f.path, err)
		}
		return each(x)
	})
	switch {
	case errors.Is(err, errEnough):
		return head, nil
	case errors.Is(err, export.ErrUnreadable):
		return head, InputError{err.Error()}
	default:
		return head, err
	}
}

// checkFile returns an error if a file cannot be read twice.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unopened(path, err)
	case info.IsDir():
		return wrong("%s is a folder; name the .json file of one channel in it", path)
	case !info.Mode().IsRegular():
		return wrong("%s is not a regular file, and an export is read more than once; save it to a file first", path)
	default:
		return nil
	}
}

func unopened(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return wrong("there is no file %s; name an export that DiscordChatExporter wrote with --format Json", path)
	}
	return wrong("%s cannot be opened: %v; check who may read it", path, errors.Unwrap(err))
}

// survey is the first pass over the files, which finds the trigger and keeps nothing
// else.
type survey struct {
	aim     aim
	files   []file
	trigger discord.Message
	found   bool
	at      int      // the file that holds the trigger
	newest  []inFile // by ascending id, if the newest is asked for
}

// inFile is a message and the file that holds it.
type inFile struct {
	message *export.Message
	at      int
}

// newestLooked is the number of newest messages among which the newest by a person is
// searched.
const newestLooked = 100

// surveyFiles reads all files to their ends, so that errors in them are reported before
// anything is written.
func surveyFiles(ctx context.Context, paths []string, a aim, progress io.Writer) (survey, error) {
	s := survey{aim: a}
	for i, path := range paths {
		f := file{path: path, ascending: true, progress: progress}
		head, err := f.read(ctx, func(x export.Message) error {
			s.look(&f, i, x)
			return nil
		})
		if err != nil {
			return survey{}, err
		}
		f.head = head
		s.files = append(s.files, f)
	}
	s.choose()
	if !s.found {
		return survey{}, s.nothingFound()
	}
	return s, nil
}

// look takes note of a message during the first pass over the files.
func (s *survey) look(f *file, at int, x export.Message) {
	f.ascending = f.ascending && x.ID > f.last
	if f.first == 0 || x.ID < f.first {
		f.first = x.ID
	}
	f.last = max(f.last, x.ID)
	switch {
	case s.aim.message == 0:
		s.remember(at, x)
	case x.ID == s.aim.message:
		s.trigger, s.found, s.at = x.Discord(), true, at
	}
}

// remember keeps a message if it is among the newest.
func (s *survey) remember(at int, x export.Message) {
	if len(s.newest) == newestLooked {
		if x.ID <= s.newest[0].message.ID {
			return
		}
		s.newest = slices.Delete(s.newest, 0, 1)
	}
	i, _ := slices.BinarySearchFunc(s.newest, x.ID, func(n inFile, id graph.MessageID) int { return cmp.Compare(n.message.ID, id) })
	s.newest = slices.Insert(s.newest, i, inFile{x.Clone(), at})
}

// choose chooses the newest message that a person wrote as the trigger, if that is
// asked for.
func (s *survey) choose() {
	for _, n := range slices.Backward(s.newest) {
		if m := n.message.Discord(); asks(&m) {
			s.trigger, s.found, s.at = m, true, n.at
			return
		}
	}
}

// asks reports whether a person, rather than an application, wrote a message.
func asks(m *discord.Message) bool {
	return m.Type.Conversational() && (!m.Author.Bot || m.Webhook != 0)
}

func (s *survey) nothingFound() error {
	i := slices.IndexFunc(s.files, func(f file) bool { return f.head.Messages > 0 })
	if i < 0 {
		return wrong("%s holds no message; export #%s again, without a range of dates or with another", s.files[0].path, s.files[0].head.Name)
	}
	if s.aim.message == 0 {
		return wrong("none of the %d newest messages of %s was written by a person; name the one to explain: --at ID", len(s.newest), s.files[i].path)
	}
	f := &s.files[i]
	return wrong("message %s is not in %s, which holds %d messages from %s to %s; check the id, or export the channel it is in",
		s.aim.message, f.path, f.head.Messages, f.first.Time().UTC().Format(dates), f.last.Time().UTC().Format(dates))
}

// dates is the format of times in error messages.
const dates = "2006-01-02 15:04"

// mixed returns an error unless the files are of one channel, or of a thread and the
// channel that it is in.
func (s *survey) mixed() error {
	home := s.files[s.at].head
	if c := s.aim.channel; c != 0 && c != home.Channel {
		return wrong("--at links to a message of channel %s, but %s is of #%s (%s); export the channel that the link leads to",
			c, s.files[s.at].path, home.Name, home.Channel)
	}
	for i := range s.files {
		other := s.files[i].head
		above := home.Thread && other.Channel == home.Parent
		under := other.Thread && other.Parent == home.Channel
		if other.Channel != home.Channel && !above && !under {
			return wrong("%s is of #%s and %s of #%s, two conversations; give the files of one channel, or of a thread and its channel",
				s.files[s.at].path, home.Name, s.files[i].path, other.Name)
		}
	}
	return nil
}
