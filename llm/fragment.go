package llm

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// fragment is a string of an event. It may begin or end in the midst of a character, as
// some providers cut their text between the two halves of a surrogate pair, or between
// bytes. A half without the other is kept as the three bytes that UTF-8 would have for it
// if it were a character.
type fragment string

// UnmarshalJSON reads a string or null. It keeps parts of characters, which encoding/json
// replaces.
func (f *fragment) UnmarshalJSON(data []byte) error {
	if data[0] != '"' || utf8.Valid(data) && !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return decode(data, (*string)(f))
	}
	var text strings.Builder
	rest := data[1 : len(data)-1]
	for len(rest) > 0 {
		whole, half := 0, ""
		for whole < len(rest) && half == "" {
			size, part := characterAt(rest[whole:])
			if half = part; half == "" {
				whole += size
			}
		}
		var decoded string
		if err := decode(quoted(rest[:whole]), &decoded); err != nil {
			return err
		}
		text.WriteString(decoded)
		text.WriteString(half)
		if rest = rest[whole:]; half != "" {
			size, _ := characterAt(rest)
			rest = rest[size:]
		}
	}
	*f = fragment(text.String())
	return nil
}

// quoted returns the inside of a JSON string in quotes.
func quoted(inside []byte) []byte { return append(append([]byte{'"'}, inside...), '"') }

// escape is the length of an escape such as \u0000.
const escape = 6

// characterAt returns how many bytes the first character of the inside of a JSON string
// takes. If it is not whole, characterAt returns the part that is there as well.
func characterAt(inside []byte) (size int, part string) {
	switch {
	case inside[0] == '\\' && inside[1] == 'u':
		first := unescape(inside)
		if !utf16.IsSurrogate(first) {
			return escape, ""
		}
		if next := inside[escape:]; bytes.HasPrefix(next, []byte(`\u`)) && utf16.DecodeRune(first, unescape(next)) != utf8.RuneError {
			return 2 * escape, ""
		}
		return escape, string([]byte{0xED, 0x80 | byte(first>>6&0x3F), 0x80 | byte(first&0x3F)})
	case inside[0] == '\\':
		return 2, ""
	}
	r, size := utf8.DecodeRune(inside)
	if r == utf8.RuneError && size == 1 {
		return 1, string(inside[:1])
	}
	return size, ""
}

// unescape returns what an escape such as \u0000 stands for.
func unescape(escaped []byte) rune {
	r, _ := strconv.ParseUint(string(escaped[2:escape]), 16, 16) // the JSON is known to be valid
	return rune(r)
}

// joining joins characters that are split between the fragments of one text.
type joining struct{ held string }

// next returns the text of a fragment, after what was held back of those before. It holds
// the beginning of a character back.
func (j *joining) next(f fragment) string {
	if j.held == "" && utf8.ValidString(string(f)) {
		return string(f)
	}
	text := joined(j.held + string(f))
	kept := len(text) - unfinished(text)
	j.held = text[kept:]
	return strings.ToValidUTF8(text[:kept], "\uFFFD")
}

// rest returns what stands for the text that was held back when the answer ended.
func (j *joining) rest() string {
	held := j.held
	j.held = ""
	return strings.ToValidUTF8(held, "\uFFFD")
}

// halfSize is how many bytes half of a surrogate pair has in a fragment.
const halfSize = 3

// halfAt returns the half of a surrogate pair at the beginning of text, or 0.
func halfAt(text string) rune {
	if len(text) < halfSize || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2]&0xC0 != 0x80 {
		return 0
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
}

// pairAt returns the character whose two halves are at the beginning of text, or
// utf8.RuneError.
func pairAt(text string) rune {
	first := halfAt(text)
	if first == 0 {
		return utf8.RuneError
	}
	return utf16.DecodeRune(first, halfAt(text[halfSize:]))
}

// joined returns text with the halves of surrogate pairs joined.
func joined(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		if r := pairAt(text[at:]); r != utf8.RuneError {
			b.WriteRune(r)
			at += 2 * halfSize
			continue
		}
		b.WriteByte(text[at])
		at++
	}
	return b.String()
}

// unfinished returns how many bytes at the end of text are the beginning of a character.
func unfinished(text string) int {
	if half := halfAt(text[max(0, len(text)-halfSize):]); half != 0 && half < 0xDC00 {
		return halfSize
	}
	for n := 1; n < min(len(text)+1, utf8.UTFMax); n++ {
		if end := text[len(text)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRuneInString(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// joinTokens sets the bytes of two tokens that follow each other. If they are the halves of
// a character, each holds two bytes of it.
func joinTokens(first, second *Token) {
	if r := pairAt(string(first.Bytes) + string(second.Bytes)); len(first.Bytes) == halfSize && r != utf8.RuneError {
		character := []byte(string(r))
		first.Bytes, second.Bytes = character[:2:2], character[2:]
	}
}
