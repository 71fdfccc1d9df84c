package path

import (
	"encoding/binary"
	"unicode/utf8"
)

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

// appendCanonical appends the encoding of those parts of a turn that are hashed.
func (t Turn) appendCanonical(b []byte) []byte {
	b = append(b, byte(t.Role))
	b = appendText(b, t.Speaker)
	return appendParts(b, t.Parts)
}

// appendPlain is appendCanonical for turns of text alone, which nearly all are. It
// reports whether t is such a turn. It calls nothing through an interface, so that b
// need not escape to the heap.
func (t Turn) appendPlain(b []byte) (encoded []byte, plain bool) {
	b = append(b, byte(t.Role))
	b = appendText(b, t.Speaker)
	b = binary.AppendUvarint(b, uint64(len(t.Parts)))
	for _, part := range t.Parts {
		switch part := part.(type) {
		case Text:
			b = part.appendCanonical(b)
		case Note:
			b = part.appendCanonical(b)
		default:
			return nil, false
		}
	}
	return b, true
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
	return appendText(b, i.Detail)
}

func (f File) appendCanonical(b []byte) []byte {
	b = f.Content.appendCanonical(append(b, kindFile))
	b = appendText(b, f.Name)
	b = appendText(b, f.Type)
	return appendText(b, f.Text)
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
