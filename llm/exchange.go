package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// maxComplaint bounds what is read of an error's body, in bytes.
const maxComplaint = 64 << 10

// exchange is one HTTP request and its response. It ends the request if nothing comes for too
// long; time in which nobody reads does not count. It must be used by one goroutine.
type exchange struct {
	client   *Client
	assembly assembly
	status   int    // of the response; 0 if none came
	began    func() // called with the first part of an answer, and then nil

	body  io.LimitedReader // of the response
	timer *time.Timer      // ends the request
	idle  time.Duration    // until then
}

// run sends a request for a chat completion, and reads its answer. It calls began when that
// begins.
func (x *exchange) run(ctx context.Context, encoded []byte, began func()) *Error {
	response, err := x.post(ctx, encoded)
	if err != nil {
		return unreachable(err)
	}
	defer response.Body.Close() //nolint:errcheck // everything of use was read.
	x.status = response.StatusCode
	x.body = io.LimitedReader{R: response.Body, N: maxAnswer}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case x.status < 200 || x.status >= 300:
		complaint, _ := io.ReadAll(io.LimitReader(x, maxComplaint)) // the part that was read is enough
		return classify(x.status, response.Header, readProblem(complaint, x.assembly.request.texts()...), &x.assembly.request)
	case mediaType == "text/html": // a page for people, and not the API
		return &Error{Kind: NotFound, Status: x.status}
	}
	x.began = began
	return x.read()
}

// read reads the answer from the body of the response.
func (x *exchange) read() *Error {
	marked, err := readEvents(x, x.add)
	x.assembly.marked = x.assembly.marked || marked
	if err != nil && x.assembly.finish == "" { // afterwards the answer lacks only its usage, at most
		if failure, ok := errors.AsType[*Error](err); ok {
			return failure
		}
		return &Error{Kind: Cut, Retryable: true}
	}
	if failure := x.assembly.end(); failure != nil {
		return failure
	}
	if x.assembly.limit.reached {
		return nil // the model would go on, and is hung up on
	}
	// A connection is used again only if its response was read to its end, which usually
	// comes with the answer's.
	x.idle, x.assembly.grown = leaving, time.Now()
	_, _ = io.Copy(io.Discard, x)
	return nil
}

func (x *exchange) post(ctx context.Context, encoded []byte) (*http.Response, error) {
	request, err := x.client.config.newRequest(ctx, http.MethodPost, "/chat/completions", bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Cache-Control", "no-cache")
	return x.client.http.Do(request) //nolint:wrapcheck // run does.
}

// add adds an event of the answer.
func (x *exchange) add(e event) error {
	err := x.assembly.add(e)
	if x.assembly.finish != "" { // only its usage may follow
		x.idle = min(x.idle, closing)
	}
	return err
}

// patience is how long a server may send nothing but comments, and events that add nothing
// to the answer, as a multiple of Config.Timeout.
const patience = 10

// closing bounds the wait for what may follow an answer's finish reason: its usage, and the
// mark of the end.
const closing = 5 * time.Second

// leaving bounds the wait for the end of a response after its answer is complete.
const leaving = 100 * time.Millisecond

// maxAnswer bounds what is read of one response, in bytes.
const maxAnswer = 64 << 20

// Read reads the body of the response. It stops the wait for data as soon as some has come.
func (x *exchange) Read(p []byte) (int, error) {
	x.timer.Reset(min(x.idle, patience*x.idle-time.Since(x.assembly.grown)))
	n, err := x.body.Read(p)
	x.timer.Stop()
	if n > 0 && x.began != nil {
		x.assembly.grown = time.Now()
		x.began()
		x.began = nil
	}
	return n, err
}

// spent returns what the request took.
func (x *exchange) spent(usage Usage) Spent {
	refused := x.status >= http.StatusBadRequest && x.status < http.StatusInternalServerError
	return Spent{Model: x.client.config.Model, Usage: usage, Known: usage.Prompt+usage.Completion > 0 || refused}
}
