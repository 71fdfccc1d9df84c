package path

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

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
	return appendValue(nil, value), nil
}

// appendValue appends a decoded value in canonical form.
func appendValue(b []byte, value any) []byte {
	switch value := value.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, key := range slices.Sorted(maps.Keys(value)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, key), ':')
			b = appendValue(b, value[key])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, element := range value {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, element)
		}
		return append(b, ']')
	case string:
		return appendString(b, value)
	case json.Number:
		return append(b, value...)
	case bool:
		return fmt.Appendf(b, "%t", value)
	default:
		return append(b, "null"...)
	}
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
