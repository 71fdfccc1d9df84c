package llm

import (
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
)

// NewEncoder returns what makes the bodies of a client's requests.
func NewEncoder() func(openai.ChatCompletionRequest, []path.Tool, map[string]any) ([]byte, error) {
	return new(surrounds).encode
}

// Backoff returns the wait before a retry.
func (c *Client) Backoff(retries int, retryAfter time.Duration) time.Duration {
	return c.backoff(retries, retryAfter)
}

// RetryAfter returns the wait that a server asks for.
func RetryAfter(header http.Header, now time.Time) time.Duration { return retryAfter(header, now) }

// Certain returns the confidence that log-probabilities lead to.
func Certain(logprobs ...float64) *Confidence {
	var c certainty
	for _, logprob := range logprobs {
		c.add(logprob)
	}
	return c.confidence()
}
