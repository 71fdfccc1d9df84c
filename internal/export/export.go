// Package export reads channels that DiscordChatExporter exported as JSON. A file is
// read one message at a time, so its size does not matter.
package export

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

// ErrUnreadable marks a file that is not a readable export. The text of an error that it
// marks is a sentence, which names the file, the place in it and the remedy.
var ErrUnreadable = errors.New("unreadable export")

// unreadableError is marked by ErrUnreadable, which is not part of its text.
type unreadableError struct{ error }

func (unreadableError) Is(target error) bool { return target == ErrUnreadable }

func (e unreadableError) Unwrap() error { return errors.Unwrap(e.error) }

func unreadable(format string, args ...any) error {
	return unreadableError{fmt.Errorf(format, args...)}
}

// Info describes an export.
type Info struct {
	Guild    graph.GuildID // zero for direct messages
	Channel  graph.ChannelID
	Parent   graph.ChannelID // the channel's category, or the channel of a thread
	Thread   bool
	Name     string
	Messages int // messages read
	Odd      int // entries skipped because they have no message id
}

// Message is an undecoded message of an export. It is valid only until the function
// that received it returns. Use Clone to keep it.
type Message struct {
	ID      graph.MessageID
	raw     json.RawMessage
	channel graph.ChannelID
}

// Clone returns a copy that stays valid.
func (m Message) Clone() *Message {
	m.raw = bytes.Clone(m.raw)
	return &m
}

// Discord returns the message as Discord would have sent it. Fields of an unexpected
// type are left empty.
func (m Message) Discord() discord.Message {
	var decoded message
	_ = json.Unmarshal(m.raw, &decoded) // it is valid JSON; fields of another type stay empty
	return decoded.discord(m.channel)
}

// Read reads the export of one channel, plain or gzipped, and calls each with its
// messages in the order of the file, which may run either way. The name of the file
// is for error messages. An error returned by each ends the reading and is returned
// unchanged; other errors are ErrUnreadable.
func Read(r io.Reader, name string, each func(Message) error) (Info, error) {
	plain, err := unzip(r)
	if err != nil {
		return Info{}, unreadable("%s begins like a gzip file but is not one (%w); unpack it, or copy it again", name, err)
	}
	e := reader{name: name, each: each, dec: json.NewDecoder(plain)}
	err = e.read()
	return e.info, err
}

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
	name  string
	each  func(Message) error
	dec   *json.Decoder
	raw   json.RawMessage // the current message; its memory is reused for the next
	info  Info
	found bool // the list of messages
}

// read reads a whole export, key by key, so that it need not fit into memory.
func (e *reader) read() error {
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

// field reads the value of a field of the export.
func (e *reader) field(key json.Token) error {
	switch key {
	case "guild":
		var g guild
		if err := e.dec.Decode(&g); err != nil {
			return e.broken(err)
		}
		e.info.Guild = graph.GuildID(g.ID)
		return nil
	case "channel":
		var c channel
		if err := e.dec.Decode(&c); err != nil {
			return e.broken(err)
		}
		e.info.Channel, e.info.Parent, e.info.Name = graph.ChannelID(c.ID), graph.ChannelID(c.Parent), c.Name
		e.info.Thread = strings.HasSuffix(c.Type, "Thread")
		return nil
	case "messages":
		e.found = true
		if e.info.Channel == 0 {
			return e.foreign()
		}
		return e.messages()
	default:
		return e.skip()
	}
}

// messages reads the list of messages, one at a time.
func (e *reader) messages() error {
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
		id := messageID(e.raw)
		if id == 0 {
			e.info.Odd++
			continue
		}
		e.info.Messages++
		if err := e.each(Message{ID: id, raw: e.raw, channel: e.info.Channel}); err != nil {
			return err
		}
	}
	if _, err := e.dec.Token(); err != nil {
		return e.broken(err)
	}
	return nil
}

// skip reads past a value without keeping it in memory.
func (e *reader) skip() error {
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

func (e *reader) place() string {
	return fmt.Sprintf("after message %d (byte %d)", e.info.Messages, e.dec.InputOffset())
}

func (e *reader) broken(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && e.dec.InputOffset() == 0:
		return unreadable("%s is empty; export the channel again, or copy the whole file", e.name)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return unreadable("%s is cut short %s; export the channel again, or copy the whole file", e.name, e.place())
	case errors.As(err, &syntax):
		return unreadable("%s is not JSON %s; export the channel with DiscordChatExporter's --format Json", e.name, e.place())
	default:
		return unreadable("%s cannot be read %s: %w; check the file and its disk", e.name, e.place(), err)
	}
}

func (e *reader) foreign() error {
	return unreadable("%s is JSON, but not an export of one channel by DiscordChatExporter (no \"channel\" and \"messages\" at its top); export with --format Json", e.name)
}
