package calibration

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the size of the longest line of ratings, in bytes.
const maxLine = 1 << 20

var (
	errNoRating = errors.New(`is not a rating such as {"model":"gpt-4.1-mini","value":0.83,"good":true}`)
	errNone     = errors.New("it contains no ratings")
)

// Read reads ratings, one JSON object per line, and returns them by model. Empty lines
// are skipped. An error names the line.
func Read(from io.Reader) (map[string][]Rating, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	ratings := make(map[string][]Rating)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var wire struct {
			Model string   `json:"model"`
			Value *float64 `json:"value"`
			Good  *bool    `json:"good"`
		}
		err := json.Unmarshal(lines.Bytes(), &wire)
		if err != nil || wire.Value == nil || wire.Good == nil || !(*wire.Value >= 0 && *wire.Value <= 1) {
			return nil, fmt.Errorf("line %d %w", n, errNoRating)
		}
		ratings[wire.Model] = append(ratings[wire.Model], Rating{wire.Model, *wire.Value, *wire.Good})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read ratings: %w", err)
	}
	if len(ratings) == 0 {
		return nil, errNone
	}
	return ratings, nil
}
