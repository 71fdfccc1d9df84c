package calibration

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// Rating is what people thought of one answer.
type Rating struct {
	Model string  `json:"model,omitempty"`
	Value float64 `json:"value"` // the model's confidence, 0 to 1
	Good  bool    `json:"good"`
}

// Curve maps a confidence to the share of answers that are good. It never falls.
type Curve struct{ points []point }

type point struct {
	Value float64 `json:"value"`
	Good  float64 `json:"good"`
}

// Fit returns the curve that is nearest to the ratings by least squares and never
// falls (pool adjacent violators). The result is a series of steps, with straight lines
// between their centres. Each step counts one more good and one more bad rating than it
// has, so that few ratings do not promise much.
func Fit(ratings []Rating) Curve {
	sorted := slices.Clone(ratings)
	slices.SortStableFunc(sorted, func(a, b Rating) int { return cmp.Compare(a.Value, b.Value) })
	type block struct{ good, count, values float64 }
	var blocks []block
	for i := 0; i < len(sorted); {
		var b block
		for from := i; i < len(sorted) && sorted[i].Value == sorted[from].Value; i++ { // equal values share a block
			b.count++
			b.values += sorted[i].Value
			if sorted[i].Good {
				b.good++
			}
		}
		blocks = append(blocks, b)
		for n := len(blocks); n > 1 && blocks[n-2].good*blocks[n-1].count >= blocks[n-1].good*blocks[n-2].count; n = len(blocks) {
			blocks[n-2].good += blocks[n-1].good
			blocks[n-2].count += blocks[n-1].count
			blocks[n-2].values += blocks[n-1].values
			blocks = blocks[:n-1]
		}
	}
	c := Curve{points: make([]point, len(blocks))}
	for i, b := range blocks {
		c.points[i] = point{b.values / b.count, (b.good + 1) / (b.count + 2)}
	}
	for i := 1; i < len(c.points); i++ { // the added ratings can make the curve fall
		c.points[i].Good = max(c.points[i].Good, c.points[i-1].Good)
	}
	return c
}

// At returns the share of good answers at a confidence. It returns false if the curve
// has no ratings or value is outside 0 to 1.
func (c Curve) At(value float64) (float64, bool) {
	if len(c.points) == 0 || !(value >= 0 && value <= 1) {
		return 0, false
	}
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].Value >= value })
	switch {
	case i == 0:
		return c.points[0].Good, true
	case i == len(c.points):
		return c.points[i-1].Good, true
	}
	low, high := c.points[i-1], c.points[i]
	along := (value - low.Value) / (high.Value - low.Value)
	return low.Good + along*(high.Good-low.Good), true
}

// Curves holds a curve for each model, by its name.
type Curves map[string]Curve

// At returns the share of good answers of a model at a confidence, or false if the model
// has no curve. See Curve.At.
func (c Curves) At(model string, value float64) (float64, bool) { return c[model].At(value) }

var errCurve = errors.New("a curve must rise from 0 to 1")

// MarshalJSON writes the curve's points.
func (c Curve) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(c.points)
	if err != nil {
		return nil, fmt.Errorf("encode a curve: %w", err)
	}
	return b, nil
}

// UnmarshalJSON reads the points of a curve. It returns an error if they fall or leave
// the range from 0 to 1.
func (c *Curve) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &c.points); err != nil {
		return fmt.Errorf("decode a curve: %w", err)
	}
	for i, p := range c.points {
		within := p.Value >= 0 && p.Value <= 1 && p.Good >= 0 && p.Good <= 1
		if !within || i > 0 && (p.Value <= c.points[i-1].Value || p.Good < c.points[i-1].Good) {
			return errCurve
		}
	}
	return nil
}
