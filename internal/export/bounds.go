package export

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"heddle/internal/discord"
	"heddle/internal/terminal"
)

const (
	// mostMessage bounds a message in bytes, without its reactions. Discord's own have some
	// 60,000 at most.
	mostMessage = 1 << 20
	// mostValue bounds what is read of a file at once: a message with its reactions, whose
	// people an export lists.
	mostValue = 16 << 20
	// mostHeld bounds the weight of the messages of a channel that are held.
	mostHeld = 128 << 20
	// entry is about how many bytes an entry of a message's lists takes.
	entry = 128
)

// asJSON is the remedy for files that are no JSON.
const asJSON = "export the channel with DiscordChatExporter's --format Json"

// errLarge means that a value takes more than mostValue.
var errLarge = errors.New("a value of the file is too large")

// Read reads the text for the decoder, which holds each value whole. It fills p, as the decoder
// looks at white space again whenever more follows.
func (e *reader) Read(p []byte) (int, error) {
	if e.taken-e.dec.InputOffset() > mostValue {
		return 0, errLarge
	}
	n, err := io.ReadFull(e.text, p)
	e.taken += int64(n)
	if n > 0 {
		return n, nil // an error comes again
	}
	return 0, err
}

// isTooLarge reports whether a message is larger than any on Discord.
func isTooLarge(raw json.RawMessage) bool {
	var m struct {
		Reactions json.RawMessage `json:"reactions"`
	}
	_ = json.Unmarshal(raw, &m) // see value
	return len(raw)-len(m.Reactions) > mostMessage
}

func (e *reader) tooLarge() error {
	if !e.found {
		return terminal.Errorf("%s holds a field of more than %d MB before its messages, as no export does; %s", e.name, mostValue>>20, asJSON)
	}
	return terminal.Errorf("message %d of %s is larger than %d MB, as no message on Discord is; take it out, or export the channel again",
		e.channel.Read+e.channel.Left+1, e.name, mostMessage>>20)
}

// weight returns about how many bytes a message takes besides those that each does.
func weight(m *discord.Message) int {
	n := len(m.Content) + entry*(len(m.Mentions)+len(m.Attachments)+len(m.Stickers))
	for i := range m.Embeds {
		d := &m.Embeds[i]
		n += entry + len(d.Title) + len(d.Description) + len(d.Provider) + len(d.Author) + len(d.Footer)
		for _, field := range d.Fields {
			n += entry + len(field.Name) + len(field.Value)
		}
	}
	for i := range m.Snapshots {
		n += entry + weight(&m.Snapshots[i].Message)
	}
	return n + controls(m.Components)
}

func controls(all []discord.Component) (n int) {
	for i := range all {
		n += entry + len(all[i].Label) + controls(all[i].Children)
	}
	return n
}

// packed returns the name of the archives that begin with head, or "".
func packed(head []byte) string {
	for begins, name := range map[string]string{
		"PK\x03\x04": "zip", "PK\x05\x06": "zip", "7z\xbc\xaf": "7z", "Rar!": "rar", "BZh": "bzip2", "\xfd7zX": "xz", "\x28\xb5\x2f\xfd": "zstd",
	} {
		if bytes.HasPrefix(head, []byte(begins)) {
			return name
		}
	}
	return ""
}

// plain returns the text of a file, which may be gzipped, and be in UTF-16 if it begins with a
// byte order mark, as where a shell of Windows wrote it. A file that can be no export is
// refused by what it is.
func plain(r io.Reader, name string) (io.Reader, error) {
	file := bufio.NewReaderSize(r, 64<<10)
	head, _ := file.Peek(4) // the reader reports shorter files
	var unpacked io.Reader = file
	switch archive := packed(head); {
	case archive != "":
		return nil, terminal.Errorf("%s is a %s archive; unpack it, and name the .json files that were in it", name, archive)
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(file)
		if err != nil {
			return nil, terminal.Errorf("%s begins like a gzip file but is not one (%w); unpack it, or copy it again", name, err)
		}
		unpacked = z
	}
	text := bufio.NewReaderSize(transform.NewReader(unpacked, unicode.BOMOverride(transform.Nop)), 64<<10)
	head, _ = text.Peek(512) // as above
	switch begins := strings.TrimLeft(string(head), " \t\r\n"); {
	case strings.HasPrefix(begins, "<"):
		return nil, terminal.Errorf("%s is not JSON but a page (HTML); %s", name, asJSON)
	case begins != "" && begins[0] != '{' && begins[0] != '[':
		return nil, terminal.Errorf("%s is not JSON; %s", name, asJSON)
	}
	return text, nil
}
