package llm

import (
	"context"
	"math"
	"unicode/utf8"
)

// mostUnbounded is the most tokens of visible text if the request sets no limit.
const mostUnbounded = 16_384

// limit bounds the visible text of an answer, for a model that ignores max_tokens. It counts
// only at the first byte where the limit may be reached, as no token is shorter than a byte.
type limit struct {
	most    int // tokens; 0 for no limit
	count   func(text string) int
	reached bool

	tokens    int    // counted
	uncounted []byte // what was shown since then
}

// limitOf returns the limit of an answer of at most so many tokens; 0 stands for no number.
func (c *Client) limitOf(ctx context.Context, tokens int) limit {
	l := limit{most: mostUnbounded, count: func(text string) int { return c.counter().Text(ctx, text) }}
	if tokens > 0 {
		l.most = 3 * min(tokens, math.MaxInt/3)
	}
	return l
}

// take returns as much of a text as may be shown.
func (l *limit) take(text string) string {
	const step = 32 // bytes that are worth a count
	for at := 0; !l.reached && l.most > 0; {
		fits := max(l.most-l.tokens, step) - len(l.uncounted)
		if len(text)-at < fits {
			l.uncounted = append(l.uncounted, text[at:]...)
			return text
		}
		for end := at + max(fits, 0); ; end++ {
			if end >= len(text) || utf8.RuneStart(text[end]) {
				l.uncounted, at = append(l.uncounted, text[at:end]...), end
				break
			}
		}
		l.tokens += l.count(string(l.uncounted))
		l.uncounted = l.uncounted[:0]
		if l.reached = l.tokens >= l.most; l.reached {
			return text[:at]
		}
	}
	if l.reached {
		return ""
	}
	return text
}
