package tools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heddle/internal/wait"
)

// mostSent bounds one message of a server, in bytes.
const mostSent = 16 << 20

// mostRefused bounds what is read of an answer that is an error, in bytes.
const mostRefused = 64 << 10

// answerError is an answer of a server that fails one call. For the SDK it is an error of that
// call alone: at others it ends the session.
type answerError struct {
	problem string // in heddle's words
	status  int    // of HTTP; 0: it was a success
	lost    bool   // the server no longer knows the session
}

func (e answerError) Error() string { return e.problem }

// Is reports whether an error of the SDK means that one call failed.
func (answerError) Is(target error) bool {
	rejected, ok := target.(*jsonrpc.Error)
	return ok && rejected.Code == unsent
}

// lostSession describes sessions that a server no longer knows. Not all answer with the status
// 404, as MCP demands: some use 400 (OmniRoute#5191), 503 (neotoma#1923) or an error in a success
// (keryx#503).
var lostSession = regexp.MustCompile(`(?i)(unknown|invalid|expired|terminated|no valid|missing)[ -]+(mcp[ -]+)?session|session\b.{0,60}\b(not found|not exist|unknown|invalid|expired|terminated|closed)|not initialized`)

// courier speaks HTTP for the SDK with one server. It hands on messages of MCP, and nothing else:
// the SDK ends the session at whatever it cannot read, and would log it.
type courier struct {
	header http.Header // of each request; it may hold secrets
	legacy bool        // answers come on the stream of a GET, as before 2025-03-26

	running *sync.WaitGroup // what ends with the session
}

// client returns the client for the SDK.
func (c courier) client() *http.Client { return &http.Client{Transport: c} }

// RoundTrip implements http.RoundTripper.
func (c courier) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	maps.Copy(request.Header, c.header)
	if request.Method == http.MethodGet && !c.legacy {
		return c.listen(request), nil //nolint:contextcheck // it is that of the request
	}
	response, err := follow(request)
	if err != nil || request.Method == http.MethodDelete {
		return response, err
	}
	if request.Header.Get(sessionHeader) != "" {
		response.Header.Del(sessionHeader) // the SDK ends a session whose id changes
	}
	call := callOf(request)
	switch {
	case response.StatusCode >= http.StatusMultipleChoices:
		return refused(request, response, call)
	case isStream(response):
		response.Body = newEvents(response, call)
		return response, nil
	case c.legacy || call == nil:
		return response, nil
	}
	return whole(response, call)
}

// sessionHeader names the header with the id of a session.
const sessionHeader = "Mcp-Session-Id"

// follow sends a request, and follows redirections within the host: the secrets are for that
// alone. A redirection that would make a GET of a call is not followed.
func follow(request *http.Request) (*http.Response, error) {
	client := http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		const most = 5
		if to.URL.Host != via[0].URL.Host || to.Method != via[0].Method || len(via) > most {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return client.Do(request) //nolint:wrapcheck,gosec // the error of a RoundTripper; the operator names the address
}

// callOf returns the call that a request holds, nil if it holds none.
func callOf(request *http.Request) *jsonrpc.Request {
	if request.GetBody == nil {
		return nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(body) // it is in memory
	message, _ := jsonrpc.DecodeMessage(text)
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		return call
	}
	return nil
}

func isStream(response *http.Response) bool {
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// refused returns the error of a request that was answered with the status of an error. An error
// of MCP is handed on. Where nothing is to be answered, nothing was refused.
func refused(request *http.Request, response *http.Response, call *jsonrpc.Request) (*http.Response, error) {
	defer response.Body.Close()                                       //nolint:errcheck // it was read
	text, _ := io.ReadAll(io.LimitReader(response.Body, mostRefused)) // an unread rest says nothing more
	failure := answerError{fmt.Sprintf("it answered with the status %d %s", response.StatusCode, http.StatusText(response.StatusCode)), response.StatusCode, false}
	failure.lost = request.Header.Get(sessionHeader) != "" && (response.StatusCode == http.StatusNotFound || lostSession.Match(text))
	if failure.lost || response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests {
		return nil, failure
	}
	message, _ := jsonrpc.DecodeMessage(text)
	if answer, ok := message.(*jsonrpc.Response); call != nil && (!ok || answer.Error == nil) {
		return nil, failure
	}
	if call == nil && request.Method == http.MethodPost {
		response.StatusCode, text = http.StatusAccepted, nil
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return response, nil
}

// whole returns the response to a call as one message.
func whole(response *http.Response, call *jsonrpc.Request) (*http.Response, error) {
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, mostSent+1))
	switch {
	case err != nil:
		return nil, answerError{problem: "its answer broke off"}
	case len(text) > mostSent:
		return nil, answerError{problem: tooLarge}
	}
	message, ok := readable(text, call)
	if !ok {
		return nil, answerError{problem: "its answer cannot be read", lost: lostSession.Match(text[:min(len(text), mostRefused)])}
	}
	response.Header.Set("Content-Type", "application/json")
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(message)), int64(len(message))
	return response, nil
}

const tooLarge = "its answer is too large"

// listen returns a stream of what a server says between calls, which never ends by itself: the SDK
// would end the session. It is opened again as often as it ends, unless the server has none. What
// was said meanwhile is lost, so that each time the tools may have changed.
func (c courier) listen(request *http.Request) *http.Response {
	out, in := io.Pipe()
	c.running.Go(func() {
		defer in.Close() //nolint:errcheck // it never fails
		ctx := request.Context()
		for pause := leastPause; ; pause = min(2*pause, mostPause) {
			began := time.Now()
			if !heard(request, in) {
				<-ctx.Done()
				return
			}
			if time.Since(began) > mostPause {
				pause = leastPause
			}
			if wait.For(ctx, pause) != nil {
				return
			}
			_, _ = io.WriteString(in, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		}
	})
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: out, Request: request,
	}
}

// heard hands on a server's stream until that ends. It reports whether the server has one.
func heard(request *http.Request, to io.Writer) bool {
	response, err := follow(request)
	if err != nil {
		return true // it may be back
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests {
		return true
	}
	if response.StatusCode != http.StatusOK || !isStream(response) {
		return false
	}
	_, _ = io.Copy(to, newEvents(response, nil)) // any error ends the stream
	return true
}

// events reads a stream of events, and passes on those that are messages. It drops their ids: the
// SDK ends a session if it fails to resume a stream.
type events struct {
	body io.Closer
	in   *bufio.Reader
	call *jsonrpc.Request // what the stream answers; nil: nothing
	out  bytes.Buffer
	err  error
}

func newEvents(response *http.Response, call *jsonrpc.Request) *events {
	return &events{body: response.Body, in: bufio.NewReader(response.Body), call: call}
}

// Close implements io.Closer.
func (e *events) Close() error { return e.body.Close() } //nolint:wrapcheck // it is that of the response

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 && e.err == nil {
		e.err = e.next()
	}
	if e.out.Len() == 0 {
		return 0, e.err
	}
	return e.out.Read(p)
}

// next reads one event.
func (e *events) next() error {
	var name string
	var data [][]byte
	left, fits := mostSent, true
	for {
		line, whole, err := readLine(e.in, left)
		fits = fits && whole
		line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\uFEFF"))
		field, value, _ := bytes.Cut(line, []byte(":"))
		switch value = bytes.TrimPrefix(value, []byte(" ")); string(field) {
		case "event":
			name = string(value)
		case "data":
			left -= len(value)
			data = append(data, value)
		}
		if err == nil && len(line) > 0 {
			continue
		}
		e.pass(name, bytes.Join(data, []byte("\n")), fits)
		return err
	}
}

// pass passes on an event, or the beginning of one that does not fit. What the SDK cannot read
// becomes an error of the call, if it is the end of that.
func (e *events) pass(name string, text []byte, fits bool) {
	message, ok := readable(text, e.call)
	switch {
	case name == "endpoint": // where the calls of the older way go
		fmt.Fprintf(&e.out, "event: endpoint\ndata: %s\n\n", text)
		return
	case name != "" && name != "message":
		return
	case !fits:
		message = failing(e.call, tooLarge)
	case !ok && lostSession.Match(text[:min(len(text), mostRefused)]):
		message = failing(e.call, "session not found")
	}
	if message != nil {
		fmt.Fprintf(&e.out, "data: %s\n\n", message)
	}
}

// failing returns the message that a call failed, nil if there is no call.
func failing(call *jsonrpc.Request, problem string) []byte {
	if call == nil {
		return nil
	}
	message, _ := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: &jsonrpc.Error{Code: failed, Message: problem}})
	return message
}

// failed is the code of errors that JSON-RPC leaves to servers.
const failed = -32000

// ends is how much of a line that is too long is kept of its beginning, and of its end.
const ends = 400

// readLine returns the next line, with its end. It reports whether the line is whole: of one that
// is longer than most bytes it returns the beginning and the end.
func readLine(in *bufio.Reader, most int) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > max(most, 2*ends) {
			whole = false
			line = append(line[:ends:ends], line[len(line)-ends:]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err //nolint:wrapcheck // that of the reader
		}
	}
}

// readable returns a message of JSON-RPC such that the SDK can read what it holds, in one line. It
// reports false if a text is none. Every response answers the call, if there is one: some servers
// leave out the id of an error.
func readable(text []byte, call *jsonrpc.Request) ([]byte, bool) {
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil && call != nil {
		var fields map[string]json.RawMessage
		if json.Unmarshal(text, &fields) == nil && fields["jsonrpc"] != nil && fields["method"] == nil {
			fields["id"] = json.RawMessage(encoded(call.ID.Raw()))
			message, err = jsonrpc.DecodeMessage([]byte(encoded(fields)))
		}
	}
	if err != nil {
		return nil, false
	}
	if response, ok := message.(*jsonrpc.Response); ok {
		response.Result = mended(response.Result)
		if call != nil {
			response.ID = call.ID
		}
	}
	text, err = jsonrpc.EncodeMessage(message)
	var line bytes.Buffer
	ok := err == nil && json.Compact(&line, text) == nil
	return line.Bytes(), ok
}

// mended returns a result as the SDK can read it, which refuses all of a list for one malformed
// tool (claude-code#88049), and all of an answer for one part that it does not know. Such a tool
// is left out, and such an answer becomes a text.
func mended(result json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil {
		return result
	}
	var tools []json.RawMessage
	switch {
	case json.Unmarshal(fields["tools"], &tools) == nil && json.Unmarshal(result, new(mcp.ListToolsResult)) != nil:
		fields["tools"] = json.RawMessage(encoded(slices.DeleteFunc(tools, func(tool json.RawMessage) bool {
			return json.Unmarshal(tool, new(mcp.Tool)) != nil
		})))
	case fields["content"] != nil && json.Unmarshal(result, new(mcp.CallToolResult)) != nil:
		fields = map[string]json.RawMessage{
			"content": json.RawMessage(encoded([]map[string]string{{"type": "text", "text": string(result)}})), "isError": fields["isError"],
		}
		if fields["isError"] == nil || json.Unmarshal(fields["isError"], new(bool)) != nil {
			delete(fields, "isError")
		}
	default:
		return result
	}
	return json.RawMessage(encoded(fields))
}

// isLost reports whether an error means that the server no longer knows the session.
func isLost(session *mcp.ClientSession, err error) bool {
	if failure, ok := errors.AsType[answerError](err); ok {
		return failure.lost
	}
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && session.ID() != "" && lostSession.MatchString(refusal.Message)
}
