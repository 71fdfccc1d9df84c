package llm

import (
	"context"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
)

// NewEncoder returns a function that makes the body of a client's request with messages of
// its own, and the same request as go-openai has it. model, path and without are what the
// rest is made from.
func NewEncoder() func(model string, made path.Path, without []string, messages []openai.ChatCompletionMessage) (body []byte, same openai.ChatCompletionRequest, err error) {
	around := new(surrounds)
	return func(model string, made path.Path, without []string, messages []openai.ChatCompletionMessage) ([]byte, openai.ChatCompletionRequest, error) {
		chat, from, _, _ := compose(context.Background(), model, Request{Path: made}, named(without))
		chat.Messages = messages
		body, err := around.encode(chat, from, nil)
		chat.Tools = wireTools(from.tools)
		return body, chat, err
	}
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
