package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// maxComplaint bounds what is read of an error's body, in bytes.
const maxComplaint = 64 << 10

// exchange is one HTTP request and its response.
type exchange struct {
	config   *Config
	client   *http.Client
	watch    *watch
	began    func()  // called when an answer begins
	features feature // of the request, which may be left out
	assembly assembly
	status   int // of the response; 0 if none came
}

// run sends a request for a chat completion, and reads its answer.
func (x *exchange) run(ctx context.Context, encoded []byte) *Error {
	response, err := x.post(ctx, encoded)
	if err != nil {
		return unreachable(err)
	}
	defer response.Body.Close() //nolint:errcheck // everything of use was read.
	x.status = response.StatusCode
	from := &body{from: io.LimitedReader{R: response.Body, N: maxAnswer}, watch: x.watch}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case x.status < 200 || x.status >= 300:
		complaint, _ := io.ReadAll(io.LimitReader(from, maxComplaint)) // the part that was read is enough
		return classify(x.status, response.Header, readProblem(complaint), x.features)
	case mediaType == "text/html": // a page for people, and not the API
		return &Error{Kind: NotFound, Status: x.status}
	}
	from.began = x.began
	err = readEvents(from, x.add)
	if err != nil && x.assembly.finish == "" { // afterwards the answer lacks only its usage, at most
		if failure, ok := errors.AsType[*Error](err); ok {
			return failure
		}
		return &Error{Kind: Cut, Retryable: true}
	}
	if failure := x.assembly.end(); failure != nil {
		return failure
	}
	// A connection is used again only if its response was read to its end, which usually
	// comes with the answer's.
	x.watch.leave()
	_, _ = io.Copy(io.Discard, from)
	return nil
}

func (x *exchange) post(ctx context.Context, encoded []byte) (*http.Response, error) {
	address := strings.TrimRight(x.config.BaseURL, "/") + "/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(encoded))
	if err != nil {
		return nil, err //nolint:wrapcheck // run does.
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Cache-Control", "no-cache")
	if x.config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+x.config.APIKey)
	}
	return x.client.Do(request) //nolint:wrapcheck // run does.
}

// add adds an event of the answer.
func (x *exchange) add(event []byte) error {
	held := x.assembly.length()
	err := x.assembly.add(event)
	if x.assembly.length() > held {
		x.watch.grown()
	}
	if x.assembly.finish != "" { // only its usage may follow
		x.watch.idle = min(x.watch.idle, closing)
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

// watch cancels an attempt if nothing comes for too long. Time in which the client does
// not read does not count. It must be used by one goroutine.
type watch struct {
	timer    *time.Timer
	idle     time.Duration
	lastData time.Time // when the answer last grew
}

func startWatch(cancel context.CancelCauseFunc, idle time.Duration) *watch {
	return &watch{timer: time.AfterFunc(idle, func() { cancel(errStalled) }), idle: idle, lastData: time.Now()}
}

// grown is called when the answer grew.
func (w *watch) grown() { w.lastData = time.Now() }

// leave is called when the answer is complete. The rest of the response must then come
// within leaving.
func (w *watch) leave() {
	w.idle = leaving
	w.grown()
}

func (w *watch) stop() { w.timer.Stop() }

// maxAnswer bounds what is read of one response, in bytes.
const maxAnswer = 64 << 20

// body is the body of a response, watched and bounded in length.
type body struct {
	from  io.LimitedReader
	watch *watch
	began func() // called with the first part, and then nil
}

// Read implements io.Reader. It stops the wait for data as soon as some has come.
func (b *body) Read(p []byte) (int, error) {
	b.watch.timer.Reset(min(b.watch.idle, patience*b.watch.idle-time.Since(b.watch.lastData)))
	n, err := b.from.Read(p)
	b.watch.timer.Stop()
	if n > 0 && b.began != nil {
		b.watch.grown()
		b.began()
		b.began = nil
	}
	return n, err
}

// spent returns what a request to a model took. usage is what the provider reported, if
// anything, and status is that of the response, or 0 if there was none.
func spent(model string, usage Usage, status int) Spent {
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	return Spent{Model: model, Usage: usage, Known: usage.Prompt+usage.Completion > 0 || refused}
}
