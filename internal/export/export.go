// Package export reads channels that DiscordChatExporter exported as JSON. A file is
// read one message at a time, so it may have any size.
package export

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/terminal"
)

// Channel is an exported channel.
type Channel struct {
	ID     graph.ChannelID
	Parent graph.ChannelID // the channel's category, or the channel of a thread
	Thread bool
	Name   string
	Above  string // the name of Parent
	Topic  string
	Guild  Guild

	Messages []discord.Message // by ascending id; of several versions of one the latest
	Read     int               // messages in the export
	Left     int               // entries that are not among Messages
}

// Guild is the server of an exported channel.
type Guild struct {
	ID   graph.GuildID
	Name string
}

// Mostly bounds the messages of a channel that are held: enough for years of most
// channels, and few enough for any machine.
const Mostly = 300_000

// Load reads the export of one channel, plain or gzipped, whose messages may stand in any
// order. It keeps the newest most messages up to a given one; 0 keeps all. The name of
// the file is for errors: one about a file that is no readable export is a
// *terminal.InputError, which names the place in it and the remedy.
func Load(r io.Reader, name string, upTo graph.MessageID, most int) (Channel, error) {
	plain, err := unzip(r)
	if err != nil {
		return Channel{}, terminal.Errorf("%s begins like a gzip file but is not one (%w); unpack it, or copy it again", name, err)
	}
	e := reader{name: name, upTo: upTo, most: most, dec: json.NewDecoder(plain)}
	if err := e.read(); err != nil {
		return Channel{}, err
	}
	e.tidy()
	e.channel.Left += e.channel.Read - len(e.channel.Messages)
	return e.channel, nil
}

// LoadFile reads a file as Load does, with at most Mostly messages, until ctx ends.
func LoadFile(ctx context.Context, path string, upTo graph.MessageID) (Channel, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Channel{}, terminal.Errorf("there is no file %s; name an export that DiscordChatExporter wrote with --format Json", path)
	case err == nil && info.IsDir():
		return Channel{}, terminal.Errorf("%s is a folder; name the .json file of one channel in it", path)
	}
	file, err := os.Open(path) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return Channel{}, terminal.Errorf("%s cannot be opened: %w; check who may read it", path, errors.Unwrap(err))
	}
	defer file.Close() //nolint:errcheck // nothing was written
	until := readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return file.Read(p)
	})
	c, err := Load(until, path, upTo, Mostly)
	if ctx.Err() != nil {
		return Channel{}, fmt.Errorf("read %s: %w", path, ctx.Err())
	}
	return c, err
}

// readerFunc is a function that reads.
type readerFunc func([]byte) (int, error)

func (read readerFunc) Read(p []byte) (int, error) { return read(p) }

// unzip returns the text of r, which may be gzipped or begin with a byte order mark.
func unzip(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	head, _ := buffered.Peek(3) // the reader reports shorter files
	switch {
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b:
		return gzip.NewReader(buffered)
	case string(head) == "\xef\xbb\xbf":
		_, _ = buffered.Discard(3) // cannot fail: it was peeked
	}
	return buffered, nil
}

// reader reads one export.
type reader struct {
	name    string
	upTo    graph.MessageID
	most    int
	dec     *json.Decoder
	channel Channel
	found   bool // the list of messages
}

// read reads a whole export, key by key, so that it need not fit into memory.
func (e *reader) read() error {
	err := e.each('{', func() error {
		key, err := e.dec.Token()
		if err != nil {
			return e.broken(err)
		}
		return e.field(key)
	})
	if err == nil && !e.found {
		return e.foreign()
	}
	return err
}

// each calls do for each entry of the object or list that begins with open.
func (e *reader) each(open json.Delim, do func() error) error {
	switch begins, err := e.dec.Token(); {
	case err != nil:
		return e.broken(err)
	case begins != open:
		return e.foreign()
	}
	for e.dec.More() {
		if err := do(); err != nil {
			return err
		}
	}
	if _, err := e.dec.Token(); err != nil {
		return e.broken(err)
	}
	return nil
}

// field reads the value of a field of the export.
func (e *reader) field(key json.Token) error {
	switch key {
	case "channel":
		var c channel
		if err := e.value(&c); err != nil {
			return err
		}
		e.channel = Channel{
			ID: graph.ChannelID(c.ID), Parent: graph.ChannelID(c.Parent), Thread: strings.HasSuffix(c.Type, "Thread"),
			Name: c.Name, Above: c.Above, Topic: c.Topic, Guild: e.channel.Guild,
		}
		return nil
	case "guild":
		var g guild
		if err := e.value(&g); err != nil {
			return err
		}
		e.channel.Guild = Guild{graph.GuildID(g.ID), g.Name}
		return nil
	case "messages":
		e.found = true
		if e.channel.ID == 0 {
			return e.foreign()
		}
		return e.each('[', e.message)
	default:
		return e.value(new(any))
	}
}

// value reads the next value. Fields of an unexpected type are left empty.
func (e *reader) value(into any) error {
	var raw json.RawMessage
	if err := e.dec.Decode(&raw); err != nil {
		return e.broken(err)
	}
	_ = json.Unmarshal(raw, into) // it is valid JSON, so that only types can be wrong
	return nil
}

// message reads a message of the list.
func (e *reader) message() error {
	var m message
	if err := e.value(&m); err != nil {
		return err
	}
	if m.ID == 0 {
		e.channel.Left++
		return nil
	}
	e.channel.Read++
	if id := graph.MessageID(m.ID); e.upTo == 0 || id <= e.upTo {
		e.channel.Messages = append(e.channel.Messages, m.discord(e.channel.ID))
	}
	if e.most > 0 && len(e.channel.Messages) >= 2*e.most {
		e.tidy()
	}
	return nil
}

// tidy keeps each message once, and the newest of too many.
func (e *reader) tidy() {
	kept := Sorted(e.channel.Messages)
	if over := len(kept) - e.most; e.most > 0 && over > 0 {
		kept = slices.Delete(kept, 0, over)
	}
	e.channel.Messages = kept
}

// Sorted sorts messages by id and removes all versions of a message but the latest.
func Sorted(messages []discord.Message) []discord.Message {
	slices.SortStableFunc(messages, func(a, b discord.Message) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), b.Edited.Compare(a.Edited))
	})
	return slices.CompactFunc(messages, func(a, b discord.Message) bool { return a.ID == b.ID })
}

func (e *reader) broken(err error) error {
	place := fmt.Sprintf("after message %d (byte %d)", e.channel.Read, e.dec.InputOffset())
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && e.dec.InputOffset() == 0:
		return terminal.Errorf("%s is empty; export the channel again, or copy the whole file", e.name)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return terminal.Errorf("%s is cut short %s; export the channel again, or copy the whole file", e.name, place)
	case errors.As(err, &syntax):
		return terminal.Errorf("%s is not JSON %s; export the channel with DiscordChatExporter's --format Json", e.name, place)
	default:
		return terminal.Errorf("%s cannot be read %s: %w; check the file and its disk", e.name, place, err)
	}
}

func (e *reader) foreign() error {
	return terminal.Errorf("%s is JSON, but not an export of one channel by DiscordChatExporter (no \"channel\" and \"messages\" at its top); export with --format Json", e.name)
}
