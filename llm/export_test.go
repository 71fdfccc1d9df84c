package llm

import (
	"context"
	"net"
	"net/http"
	"time"
)

// DialWith makes the client's connections with dial.
func (c *Client) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.http.Transport = &http.Transport{DialContext: dial}
}

// Backoff returns the wait before a retry.
func (c *Client) Backoff(retries int, retryAfter time.Duration) time.Duration {
	return c.backoff(retries, retryAfter)
}

// RetryAfter returns the wait that a server asks for.
func RetryAfter(header http.Header, now time.Time) time.Duration { return retryAfter(header, "", now) }

// WaitIn returns the wait that the body of an error asks for.
func WaitIn(body string) time.Duration { return waitIn(readProblem([]byte(body)).text) }

// Certain returns the confidence that log-probabilities lead to.
func Certain(logprobs ...float64) *Confidence {
	tokens := make([]Token, len(logprobs))
	for i, logprob := range logprobs {
		tokens[i].Logprob = logprob
	}
	return confidenceOf(tokens)
}
