package llm

import "math"

// Confidence is how certain the model was of its answer, computed from the
// probabilities of the tokens of the visible text, without reasoning and tool calls.
// It is a raw measure, which can be compared only between answers of one model.
type Confidence struct {
	Value  float64 // geometric mean of the tokens' probabilities, in (0, 1]
	Tokens int     // number of tokens; at least 1
	Min    float64 // the least certain token's probability
	P5     float64 // 5th percentile of the probabilities, to within 1/256
}

const (
	bins = 256
	// leastLogprob replaces everything less likely. Some providers send -9999 or minus
	// infinity for tokens outside their top ones.
	leastLogprob = -100
)

// certainty collects log-probabilities in constant memory, and constant time per token.
type certainty struct {
	tokens int
	sum    float64
	min    float64
	counts [bins]int // of probabilities, by equal steps from 0 to 1
}

func (c *certainty) add(logprob float64) {
	if math.IsNaN(logprob) {
		return
	}
	logprob = min(max(logprob, leastLogprob), 0)
	if c.tokens == 0 || logprob < c.min {
		c.min = logprob
	}
	c.tokens++
	c.sum += logprob
	c.counts[min(int(math.Exp(logprob)*bins), bins-1)]++
}

// confidence returns nil if no token was counted. Unknown is neither high nor low.
func (c *certainty) confidence() *Confidence {
	if c.tokens == 0 {
		return nil
	}
	return &Confidence{
		Value:  math.Exp(c.sum / float64(c.tokens)),
		Tokens: c.tokens,
		Min:    math.Exp(c.min),
		P5:     c.percentile(0.05),
	}
}

// percentile returns the middle of the bin that contains the quantile q.
func (c *certainty) percentile(q float64) float64 {
	wanted := int(math.Ceil(q * float64(c.tokens)))
	seen := 0
	for i, count := range c.counts {
		if seen += count; seen >= wanted {
			return (float64(i) + 0.5) / bins
		}
	}
	return 1
}
