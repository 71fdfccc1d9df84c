package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// ErrExport marks an export that cannot be read. The error's text names the file,
// the place and what to do.
var ErrExport = errors.New("unreadable export")

// Export says what an export held.
type Export struct {
	Guild    graph.GuildID // zero for direct messages
	Channel  graph.ChannelID
	Parent   graph.ChannelID // category, or a thread's channel
	Thread   bool
	Name     string
	Messages int // given to each
	Odd      int // entries that could not be read and were passed over
}

// Exported is a message of an export as it stands there, not yet taken apart. It can
// be read only while each is called with it.
type Exported struct {
	ID      graph.MessageID
	raw     json.RawMessage
	channel graph.ChannelID
}

// Keep gives a copy that can be read later.
func (x Exported) Keep() *Exported {
	x.raw = bytes.Clone(x.raw)
	return &x
}

// Message is what Discord would have sent; see Render. What is odd in it reads as
// absent.
func (x Exported) Message() discord.Message {
	var m exportedMessage
	_ = json.Unmarshal(x.raw, &m) // it is JSON; a field of another type is left empty
	return m.message(x.channel)
}

// ReadExport reads one channel's export in DiscordChatExporter's JSON, plain or
// gzipped, and gives each message in the order of the file, which may be either.
// It holds one message at a time, whatever the size of the file. name is the file's, for
// errors. An error of each ends the reading and is returned as it is.
func ReadExport(r io.Reader, name string, each func(Exported) error) (Export, error) {
	plain, err := unzipped(r)
	if err != nil {
		return Export{}, fmt.Errorf("%w: %s begins like a gzip file and is none (%w); unpack it, or copy it again", ErrExport, name, err)
	}
	e := exportReader{name: name, each: each, dec: json.NewDecoder(plain)}
	err = e.read()
	return e.export, err
}

func unzipped(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	head, _ := buffered.Peek(3) // shorter files are told of below
	switch {
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b:
		return gzip.NewReader(buffered) //nolint:wrapcheck // ReadExport names the file
	case len(head) == 3 && string(head) == "\xef\xbb\xbf":
		_, _ = buffered.Discard(3) // a byte order mark; it was peeked, so it is there
	}
	return buffered, nil
}

// exportReader is one reading of an export.
type exportReader struct {
	name   string
	each   func(Exported) error
	dec    *json.Decoder
	raw    json.RawMessage // of a message; its memory serves for the next
	export Export
	found  bool // the list of messages
}

func (e *exportReader) read() error {
	start, err := e.dec.Token()
	if err != nil {
		return e.broken(err)
	}
	if start != json.Delim('{') {
		return e.foreign()
	}
	for e.dec.More() {
		key, err := e.dec.Token()
		if err != nil {
			return e.broken(err)
		}
		if err := e.field(key); err != nil {
			return err
		}
	}
	if _, err := e.dec.Token(); err != nil {
		return e.broken(err)
	}
	if !e.found {
		return e.foreign()
	}
	return nil
}

// field reads a field of the export.
func (e *exportReader) field(key json.Token) error {
	switch key {
	case "guild":
		var g exportedGuild
		if err := e.dec.Decode(&g); err != nil {
			return e.broken(err)
		}
		e.export.Guild = graph.GuildID(g.ID)
		return nil
	case "channel":
		var c exportedChannel
		if err := e.dec.Decode(&c); err != nil {
			return e.broken(err)
		}
		e.export.Channel, e.export.Parent, e.export.Name = graph.ChannelID(c.ID), graph.ChannelID(c.Parent), c.Name
		e.export.Thread = strings.HasSuffix(c.Type, "Thread")
		return nil
	case "messages":
		e.found = true
		if e.export.Channel == 0 {
			return e.foreign()
		}
		return e.messages()
	default:
		return e.skip()
	}
}

func (e *exportReader) messages() error {
	start, err := e.dec.Token()
	if err != nil {
		return e.broken(err)
	}
	if start != json.Delim('[') {
		return e.foreign()
	}
	for e.dec.More() {
		if err := e.dec.Decode(&e.raw); err != nil {
			return e.broken(err)
		}
		id := idIn(e.raw)
		if id == 0 {
			e.export.Odd++
			continue
		}
		e.export.Messages++
		if err := e.each(Exported{ID: id, raw: e.raw, channel: e.export.Channel}); err != nil {
			return err
		}
	}
	if _, err := e.dec.Token(); err != nil {
		return e.broken(err)
	}
	return nil
}

// skip passes over a value without holding it.
func (e *exportReader) skip() error {
	for depth := 0; ; {
		token, err := e.dec.Token()
		if err != nil {
			return e.broken(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (e *exportReader) place() string {
	return fmt.Sprintf("after message %d (byte %d)", e.export.Messages, e.dec.InputOffset())
}

func (e *exportReader) broken(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %s is cut short %s; export the channel again, or copy the whole file", ErrExport, e.name, e.place())
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: %s is not JSON %s; export the channel with DiscordChatExporter's --format Json", ErrExport, e.name, e.place())
	default:
		return fmt.Errorf("%w: %s cannot be read %s: %w; check the file and its disk", ErrExport, e.name, e.place(), err)
	}
}

func (e *exportReader) foreign() error {
	return fmt.Errorf("%w: %s is JSON, but not an export of one channel by DiscordChatExporter (no \"channel\" and \"messages\" at its top); export with --format Json", ErrExport, e.name)
}
