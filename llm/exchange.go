package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxComplaint bounds what is read of an error's body, in bytes.
const maxComplaint = 64 << 10

var (
	// errWebPage reports that the address serves a page for people and not the API.
	errWebPage = errors.New("the answer is a web page")
	// errRefused reports that the response's status is an error's.
	errRefused = errors.New("the provider refused the request")
)

// exchange is one HTTP request and its response.
type exchange struct {
	client *http.Client
	watch  *watch
	began  func() // called when an answer begins

	sent   bool
	status int // of the response; 0 if none came
	header http.Header
	failed []byte // the body of a response with an error's status
	answer *body  // the body of a response that is an answer
}

// post sends a request for a chat completion. If it returns no error, the answer is
// there to be read, and the caller must close it.
func (x *exchange) post(ctx context.Context, config Config, encoded []byte) error {
	address := strings.TrimRight(config.BaseURL, "/") + "/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Cache-Control", "no-cache")
	if config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+config.APIKey)
	}
	x.sent = true
	response, err := x.client.Do(request) //nolint:bodyclose // x.answer closes it.
	if err != nil {
		return err
	}
	x.status, x.header = response.StatusCode, response.Header
	x.answer = &body{
		Closer: response.Body, from: io.LimitedReader{R: response.Body, N: maxAnswer}, watch: x.watch,
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode < 200 || response.StatusCode >= 300:
		x.failed, _ = io.ReadAll(io.LimitReader(x.answer, maxComplaint)) // the part that was read is enough
		err = errRefused
	case mediaType == "text/html":
		err = errWebPage
	default:
		x.answer.began = x.began
		return nil
	}
	_ = x.answer.Close()
	return err
}

// read adds every event of the answer to assembly.
func (x *exchange) read(assembly *assembly) error {
	events := newStream(x.answer)
	for {
		event, err := events.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		held := assembly.length()
		if failure := assembly.add(event); failure != nil {
			return failure
		}
		if assembly.length() > held {
			x.watch.grown()
		}
		if assembly.finish != "" {
			x.watch.finish()
		}
	}
}

// drain reads the rest of a response after the answer, which is usually nothing. A
// connection is used again only if its response was read to its end.
func (x *exchange) drain() {
	x.watch.leave()
	_, _ = io.Copy(io.Discard, x.answer) // the answer was read, so an error no longer matters
}

// failure returns the Error for an error that came neither from the watch nor from the
// caller.
func (x *exchange) failure(err error, sent feature) *Error {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure
	}
	switch {
	case errors.Is(err, errWebPage):
		return &Error{Kind: NotFound, Status: x.status}
	case errors.Is(err, errTooLong):
		return &Error{Kind: Malformed}
	case errors.Is(err, errRefused):
		return classify(x.status, x.header, readProblem(x.failed), sent)
	case !x.sent:
		return &Error{Kind: BadRequest}
	case x.status == 0:
		return unreachable(err)
	default:
		return &Error{Kind: Cut, Retryable: true}
	}
}
