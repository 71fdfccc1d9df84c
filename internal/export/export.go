// Package export reads channels that DiscordChatExporter exported as JSON. A file is
// read one message at a time, so it may have any size.
package export

import (
	"cmp"
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
	File   string // the first of its files

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
	text, err := plain(r, name)
	if err != nil {
		return Channel{}, err
	}
	e := &reader{name: name, upTo: upTo, most: most, text: text}
	e.dec = json.NewDecoder(e)
	if err := e.read(); err != nil {
		return Channel{}, err
	}
	e.tidy()
	for i := range e.channel.Messages { // the channel may stand behind them
		e.channel.Messages[i].Channel = e.channel.ID
	}
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

// LoadFiles reads files as LoadFile does. Those of one channel, as the exporter writes where it
// is told to partition ("general.json", "general [part 2].json"), become one Channel, at the
// place of the first.
func LoadFiles(ctx context.Context, paths []string, upTo graph.MessageID) ([]Channel, error) {
	var all []Channel
	for _, path := range paths {
		part, err := LoadFile(ctx, path, upTo)
		if err != nil {
			return nil, err
		}
		part.File = path
		at := slices.IndexFunc(all, func(c Channel) bool { return c.ID == part.ID })
		if at < 0 {
			all = append(all, part)
			continue
		}
		c := &all[at]
		whole := reader{most: Mostly, channel: Channel{Messages: append(c.Messages, part.Messages...)}}
		both := len(whole.channel.Messages)
		whole.tidy()
		c.Messages = whole.channel.Messages
		c.Read, c.Left = c.Read+part.Read, c.Left+part.Left+both-len(c.Messages)
	}
	return all, nil
}

// readerFunc is a function that reads.
type readerFunc func([]byte) (int, error)

func (read readerFunc) Read(p []byte) (int, error) { return read(p) }

// reader reads one export.
type reader struct {
	name    string
	upTo    graph.MessageID
	most    int
	text    io.Reader
	taken   int64 // bytes of text
	dec     *json.Decoder
	channel Channel
	held    int  // see weight
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
	if err == nil && (!e.found || e.channel.ID == 0) {
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
		e.channel.ID, e.channel.Parent, e.channel.Thread = graph.ChannelID(c.ID), graph.ChannelID(c.Parent), strings.HasSuffix(c.Type, "Thread")
		e.channel.Name, e.channel.Above, e.channel.Topic = c.Name, c.Above, c.Topic
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
		return e.each('[', e.message)
	default:
		_, err := e.next()
		return err
	}
}

// next reads the next value.
func (e *reader) next() (raw json.RawMessage, err error) {
	if err := e.dec.Decode(&raw); err != nil {
		return nil, e.broken(err)
	}
	return raw, nil
}

// value reads the next value. Fields of an unexpected type are left empty.
func (e *reader) value(into any) error {
	raw, err := e.next()
	if err != nil {
		return err
	}
	_ = json.Unmarshal(raw, into) // it is valid JSON, so that only types can be wrong
	return nil
}

// message reads a message of the list.
func (e *reader) message() error {
	raw, err := e.next()
	if err != nil {
		return err
	}
	if len(raw) > mostMessage && isTooLarge(raw) {
		return e.tooLarge()
	}
	var m message
	_ = json.Unmarshal(raw, &m) // see value
	if m.ID == 0 {
		e.channel.Left++
		return nil
	}
	e.channel.Read++
	if id := graph.MessageID(m.ID); e.upTo == 0 || id <= e.upTo {
		e.channel.Messages = append(e.channel.Messages, m.discord(e.channel.ID))
		e.held += weight(&e.channel.Messages[len(e.channel.Messages)-1])
	}
	if e.most > 0 && (len(e.channel.Messages) >= 2*e.most || e.held > 2*mostHeld) {
		e.tidy()
	}
	return nil
}

// tidy keeps each message once, and the newest of too many.
func (e *reader) tidy() {
	kept := Sorted(e.channel.Messages)
	e.held = 0
	for i := range slices.Backward(kept) {
		taken := e.held + weight(&kept[i])
		if e.most > 0 && (len(kept)-i > e.most || taken > mostHeld) {
			kept = slices.Delete(kept, 0, i+1)
			break
		}
		e.held = taken
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

// broken returns the error of a file that cannot be read to its end, with the place and the
// remedy.
func (e *reader) broken(err error) error {
	place := fmt.Sprintf("after message %d (byte %d)", e.channel.Read, e.dec.InputOffset())
	remedy := "export the channel again, or copy the whole file"
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errLarge):
		return e.tooLarge()
	case errors.Is(err, io.EOF) && e.dec.InputOffset() == 0:
		return terminal.Errorf("%s is empty; %s", e.name, remedy)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return terminal.Errorf("%s is cut short %s; %s", e.name, place, remedy)
	case errors.As(err, &syntax) && e.found:
		return terminal.Errorf("%s is not JSON %s; %s", e.name, place, remedy)
	case errors.As(err, &syntax):
		return terminal.Errorf("%s is not JSON %s; %s", e.name, place, asJSON)
	default:
		return terminal.Errorf("%s cannot be read %s: %w; check the file and its disk", e.name, place, err)
	}
}

func (e *reader) foreign() error {
	return terminal.Errorf("%s is JSON, but not an export of one channel by DiscordChatExporter (no \"channel\" and \"messages\" at its top); export with --format Json", e.name)
}
