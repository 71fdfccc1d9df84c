package path

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONDepth bounds how deeply the arguments of a tool call may be nested.
const maxJSONDepth = 256

var (
	errDuplicateKey = errors.New("a key stands twice")
	errTooDeep      = errors.New("nested too deep")
	errNotUTF8      = errors.New("not valid Unicode")
	errTrailing     = errors.New("something follows the value")
)

// CanonicalJSON rewrites a JSON value so that equal values have equal bytes: members
// are sorted by key, there is no white space, and strings are escaped in one way.
// Numbers keep their digits, so that ids lose none. A duplicate key, invalid UTF-8, a
// lone surrogate and nesting deeper than 256 levels are errors.
func CanonicalJSON(data []byte) ([]byte, error) {
	if !utf8.Valid(data) || loneSurrogate(data) {
		return nil, errNotUTF8
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	out, err := appendValue(nil, decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return out, nil
}

// loneSurrogate reports whether data holds an escape such as \ud800 without its other
// half. The decoder would replace it by U+FFFD, so that different values would seem
// equal.
func loneSurrogate(data []byte) bool {
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		high := escapedUnit(data[i:])
		if !utf16.IsSurrogate(high) {
			i++
			continue
		}
		if utf16.DecodeRune(high, escapedUnit(data[i+6:])) == utf8.RuneError {
			return true
		}
		i += 11
	}
	return false
}

// escapedUnit returns the UTF-16 code unit of a \uXXXX escape at the start of data, or
// -1 if there is none.
func escapedUnit(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

// appendValue appends the next value of decoder in canonical form. It fails if the
// value is nested too deep.
func appendValue(b []byte, decoder *json.Decoder, depth int) ([]byte, error) {
	if depth > maxJSONDepth {
		return nil, errTooDeep
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return appendObject(b, decoder, depth)
		}
		return appendArray(b, decoder, depth)
	case json.Number:
		return append(b, token...), nil
	case string:
		return appendString(b, token), nil
	case bool:
		return fmt.Appendf(b, "%t", token), nil
	default:
		return append(b, "null"...), nil
	}
}

// appendArray appends an array in canonical form. Its opening bracket has been read.
func appendArray(b []byte, decoder *json.Decoder, depth int) ([]byte, error) {
	b = append(b, '[')
	for first := true; decoder.More(); first = false {
		if !first {
			b = append(b, ',')
		}
		var err error
		if b, err = appendValue(b, decoder, depth+1); err != nil {
			return nil, err
		}
	}
	return closeWith(append(b, ']'), decoder)
}

type member struct {
	key   string
	value []byte
}

// appendObject appends an object in canonical form, with its members sorted by key. Its
// opening brace has been read.
func appendObject(b []byte, decoder *json.Decoder, depth int) ([]byte, error) {
	var members []member
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		value, err := appendValue(nil, decoder, depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{key.(string), value}) // keys are strings
	}
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			if members[i-1].key == m.key {
				return nil, errDuplicateKey
			}
			b = append(b, ',')
		}
		b = append(appendString(b, m.key), ':')
		b = append(b, m.value...)
	}
	return closeWith(append(b, '}'), decoder)
}

// closeWith reads the delimiter that ends an array or object.
func closeWith(b []byte, decoder *json.Decoder) ([]byte, error) {
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return b, nil
}

// appendString writes a JSON string with the fewest escapes.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
