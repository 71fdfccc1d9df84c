package path

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	var canonical bytes.Buffer
	encoder := json.NewEncoder(&canonical)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(canonical.Bytes(), []byte("\n")), nil
}
