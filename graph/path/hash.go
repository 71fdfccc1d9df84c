package path

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"heddle/graph"
)

// Hash is a SHA-256 over a canonical encoding. The zero Hash means "unknown".
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hexadecimal form.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (h *Hash) UnmarshalText(text []byte) error {
	if want := hex.EncodedLen(len(h)); len(text) != want {
		return fmt.Errorf("a hash has %d hexadecimal digits, this one has %d", want, len(text))
	}
	if _, err := hex.Decode(h[:], text); err != nil {
		return fmt.Errorf("read a hash: %w", err)
	}
	return nil
}

// A domain separates the hashes of different kinds of things. Its version separates
// different encodings.
const (
	domainPrompt   = "heddle/1/prompt"
	domainRoot     = "heddle/1/root"
	domainPath     = "heddle/1/path"
	domainResponse = "heddle/1/response"
	domainRequest  = "heddle/1/request"
	domainFacts    = "heddle/4/facts"
	domainPicture  = "heddle/1/picture"
)

func sum(domain string, encoded []byte) Hash {
	b := make([]byte, 0, binary.MaxVarintLen64+len(domain)+len(encoded))
	return sha256.Sum256(append(appendText(b, domain), encoded...))
}

// Hash returns the turn's prompt_hash, over its role, speaker and parts.
func (t Turn) Hash() Hash {
	return sum(domainPrompt, t.appendCanonical(nil))
}

// Root returns the hash that a path's first turn is chained with. Different tools or
// deterministic options make different trees.
func Root(tools []Tool, options Options) Hash {
	b := binary.AppendUvarint(nil, uint64(len(tools)))
	for i := range tools {
		b = tools[i].appendCanonical(b)
	}
	return sum(domainRoot, options.appendCanonical(b))
}

// Extend returns the path_hash of a turn: its prompt_hash, chained with the path_hash
// of the turn before, or with the Root for the first turn.
func Extend(parent, prompt Hash) Hash {
	return sum(domainPath, append(parent[:], prompt[:]...))
}

// Prompts returns the prompt hashes of turns.
func Prompts(turns []Turn) []Hash {
	hashes := make([]Hash, len(turns))
	for i, turn := range turns {
		hashes[i] = turn.Hash()
	}
	return hashes
}

// ResponseHash returns the hash of an answer's text and finish reason.
func ResponseHash(text, finishReason string) Hash {
	return sum(domainResponse, appendText(appendText(nil, text), finishReason))
}

// PictureHash returns the hash that stands for the content of a picture that Discord's media
// proxy converts. It follows from the id of the original, as the proxy's bytes may change.
func PictureHash(id graph.AttachmentID) Hash {
	return sum(domainPicture, binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// RequestHash returns the hash of a request's body.
func RequestHash(body []byte) Hash { return sum(domainRequest, body) }

// The kinds of parts in the canonical encoding. New ones are appended; the order never
// changes.
const (
	kindText byte = iota + 1
	kindImage
	kindFile
	kindToolCall
	kindToolCallRaw // a call whose arguments are not JSON
	kindToolResult
	kindNote
	kindFilePart // a file that is a spoiler, or of which a part is left out
)

// The ways in which content is identified.
const (
	contentHash byte = iota + 1
	contentAttachment
)

// appendField appends a field: its length as an unsigned varint, then its bytes.
// Different lists of fields therefore have different encodings.
func appendField(b, field []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(field)))
	return append(b, field...)
}

// validText replaces every byte that is not UTF-8 by U+FFFD, as encoding/json does when
// the text is sent or stored.
func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

// appendText writes a text field.
func appendText(b []byte, text string) []byte {
	text = validText(text)
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

// appendTexts writes a list of texts.
func appendTexts(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, text := range texts {
		b = appendText(b, text)
	}
	return b
}

// appendCanonical appends the hashed contents of a turn.
func (t Turn) appendCanonical(b []byte) []byte {
	b = append(b, byte(t.Role))
	b = appendText(b, t.Speaker)
	return appendParts(b, t.Parts)
}

func appendParts(b []byte, parts []Part) []byte {
	b = binary.AppendUvarint(b, uint64(len(parts)))
	for _, part := range parts {
		b = part.appendCanonical(b)
	}
	return b
}

func (t Text) appendCanonical(b []byte) []byte {
	return appendText(append(b, kindText), string(t))
}

func (n Note) appendCanonical(b []byte) []byte {
	return appendText(append(b, kindNote), string(n))
}

func (i Image) appendCanonical(b []byte) []byte {
	b = i.Content.appendCanonical(append(b, kindImage))
	b = appendText(b, i.Type)
	return appendText(b, "") // reserved for the detail of pictures
}

// appendCanonical appends the hashed contents of a file. Those that most files lack have a kind
// of their own, so that the hashes of the others stay.
func (f File) appendCanonical(b []byte) []byte {
	kind := kindFile
	if f.Spoiler || f.Gap != "" {
		kind = kindFilePart
	}
	b = f.Content.appendCanonical(append(b, kind))
	b = appendText(b, f.Name)
	b = appendText(b, f.Type)
	b = appendText(b, f.Text)
	if kind == kindFile {
		return b
	}
	var spoiler byte
	if f.Spoiler {
		spoiler = 1
	}
	return appendText(appendText(append(b, spoiler), f.Gap), f.End)
}

func (c Content) appendCanonical(b []byte) []byte {
	if c.Hash != (Hash{}) {
		return appendField(append(b, contentHash), c.Hash[:])
	}
	return binary.AppendUvarint(append(b, contentAttachment), uint64(c.Attachment))
}

func (c ToolCall) appendCanonical(b []byte) []byte {
	kind, arguments := kindToolCall, []byte(validText(c.Arguments))
	if canonical, err := CanonicalJSON(arguments); err == nil {
		arguments = canonical
	} else {
		kind = kindToolCallRaw
	}
	b = appendText(append(b, kind), c.Name)
	return appendField(b, arguments)
}

func (r ToolResult) appendCanonical(b []byte) []byte {
	b = appendText(append(b, kindToolResult), r.Name)
	return appendParts(b, r.Parts)
}

// appendCanonical appends the hashed contents of a tool.
func (t Tool) appendCanonical(b []byte) []byte {
	schema := []byte(t.Schema)
	if canonical, err := CanonicalJSON(schema); err == nil {
		schema = canonical
	}
	return appendField(appendText(appendText(b, t.Name), t.Description), schema)
}

// appendCanonical appends the options that make an answer deterministic. A temperature is
// one of them only if it is exactly 0.
func (o Options) appendCanonical(b []byte) []byte {
	var cold byte
	if o.Temperature != nil && *o.Temperature == 0 {
		cold = 1
	}
	b = append(b, cold)
	b = binary.AppendVarint(b, int64(o.MaxTokens))
	b = binary.AppendUvarint(b, uint64(len(o.Stop)))
	for _, stop := range o.Stop {
		b = appendText(b, stop)
	}
	return binary.AppendVarint(b, math.MinInt64) // reserved for a seed
}

var errTrailing = errors.New("something follows the value")

// CanonicalJSON rewrites a JSON value so that equal values have equal bytes: members
// are sorted by key, there is no white space, and strings are escaped in one way.
// Numbers keep their digits, so that ids lose none. Of members with the same key the last
// one counts, as it does for tools.
func CanonicalJSON(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	var canonical bytes.Buffer
	encoder := json.NewEncoder(&canonical)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(canonical.Bytes(), []byte("\n")), nil
}
