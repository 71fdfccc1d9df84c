package llm

import (
	"context"
	"io"
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

// Assemble reads an answer from a stream. It calls each and again as Stream does.
func Assemble(stream io.Reader, each func(string), again func()) (Answer, error) {
	c := &Client{config: Config{Model: "test-model"}, counter: func() *Counter { return NewCounter("test-model") }}
	x := &exchange{
		client: c, assembly: c.assembly(context.Background(), &Request{Again: again}, sent{}, each),
		body:  io.LimitedReader{R: stream, N: maxAnswer},
		timer: time.AfterFunc(time.Hour, func() {}), idle: time.Hour,
	}
	defer x.timer.Stop()
	failure := x.read()
	answer := x.assembly.answer()
	answer.Beside = nil // it names its client
	if failure != nil {
		return answer, failure
	}
	return answer, nil
}

// Visible returns what of an output in pieces is no reasoning.
func Visible(pieces ...string) string {
	var r reasoning
	visible := ""
	add := func(text string) {
		if r.tookBack() {
			visible = ""
		}
		visible += text
	}
	for _, piece := range pieces {
		add(r.next(piece))
	}
	add(r.rest())
	return visible
}
