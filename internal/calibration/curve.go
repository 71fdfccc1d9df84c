package calibration

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// Rating says of one answer how certain the model was, 0 to 1, and whether people
// found it good.
type Rating struct {
	Model string  `json:"model,omitempty"`
	Value float64 `json:"value"`
	Good  bool    `json:"good"`
}

// Curve gives for a confidence the share of answers that are good. It never falls.
type Curve struct{ points []point }

type point struct {
	Value float64 `json:"value"`
	Good  float64 `json:"good"`
}

// Fit finds the never falling curve that is nearest to the ratings by least squares
// (pool adjacent violators): steps, with straight lines between their middles. One
// rating good and one bad at the same place stand for what is not known yet, so that
// few ratings promise nothing.
func Fit(ratings []Rating) Curve {
	sorted := slices.Clone(ratings)
	slices.SortStableFunc(sorted, func(a, b Rating) int { return cmp.Compare(a.Value, b.Value) })
	type block struct{ good, count, values float64 }
	var blocks []block
	for i := 0; i < len(sorted); {
		var b block
		for from := i; i < len(sorted) && sorted[i].Value == sorted[from].Value; i++ { // equal values have one share
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
	for i := 1; i < len(c.points); i++ { // what is not known may have bent it
		c.points[i].Good = max(c.points[i].Good, c.points[i-1].Good)
	}
	return c
}

// At is the share of good answers among those of this confidence; false where
// nothing was rated.
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

// Curves are the curves of models by their names.
type Curves map[string]Curve

// At is Curve.At for a model.
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

// UnmarshalJSON reads points and refuses those that are no curve.
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
