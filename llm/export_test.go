package llm

import (
	"net/http"
	"time"
)

// Backoff is the wait before a retry.
func (c *Client) Backoff(retries int, retryAfter time.Duration) time.Duration {
	return c.backoff(retries, retryAfter)
}

// RetryAfter reads a server's wish.
func RetryAfter(header http.Header, now time.Time) time.Duration { return retryAfter(header, now) }

// Certain gathers log-probabilities.
func Certain(logprobs ...float64) *Confidence {
	var c certainty
	for _, logprob := range logprobs {
		c.add(logprob)
	}
	return c.confidence()
}
