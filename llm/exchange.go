package llm

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
)

// maxComplaint bounds what is read of an error's body, in bytes.
const maxComplaint = 64 << 10

// errWebPage says that a page for people stands where the API should.
var errWebPage = errors.New("the answer is a web page")

// exchange is one HTTP request and its response: what go-openai is given as its
// HTTP client. It sends the body that encode made, and keeps what go-openai would lose.
type exchange struct {
	client *http.Client
	watch  *watch
	body   []byte // the exact bytes of the request's body

	sent   bool
	status int // of the response; 0 where none came
	header http.Header
	failed []byte    // the body of a response with an error's status
	answer io.Reader // the body of a response that is an answer
}

// Do implements openai.HTTPDoer.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	x.sent = true
	request.ContentLength = int64(len(x.body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	request.Body, _ = request.GetBody()
	response, err := x.client.Do(request) //nolint:gosec // the operator names the address.
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the attempt.
	}
	x.status, x.header = response.StatusCode, response.Header
	watched := &body{
		Closer: response.Body, from: io.LimitedReader{R: response.Body, N: maxAnswer}, watch: x.watch,
	}
	response.Body = watched
	if response.StatusCode < 200 || response.StatusCode >= 300 {
		x.failed, _ = io.ReadAll(io.LimitReader(watched, maxComplaint)) // what came of it will do
		_ = watched.Close()
		// go-openai takes 3xx for success.
		response.StatusCode = max(response.StatusCode, http.StatusBadRequest)
		response.Body = http.NoBody
		return response, nil
	}
	if mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); mediaType == "text/html" {
		_ = watched.Close()
		return nil, errWebPage
	}
	x.answer = watched
	response.Body = newEvents(watched)
	return response, nil
}

// leave reads what stands behind an answer, mostly nothing: a connection is used again
// only where its response was seen to end.
func (x *exchange) leave() {
	x.watch.leave()
	_, _ = io.Copy(io.Discard, x.answer) // the answer is there, whatever comes of the rest
}
