package llm

import (
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
)

// Encode makes a request's body.
func Encode(chat openai.ChatCompletionRequest, fields map[string]any) ([]byte, error) {
	return encode(chat, fields)
}

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
