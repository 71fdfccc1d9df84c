package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxEvent bounds one line of a stream, in bytes.
const maxEvent = 8 << 20

// errTooLong says that a line of a stream is longer than any answer needs.
var errTooLong = errors.New("a line of the stream is too long")

// events gives go-openai the data lines of a stream and nothing else. Comments,
// blank lines and other fields would be counted and mixed up by its parser, and an
// error event would be found or lost by the spaces in it: here every event keeps
// its way to the reader. A whole JSON object in place of a stream becomes a stream
// of one event.
type events struct {
	body    io.Closer
	from    *bufio.Reader
	pending []byte // of the line that is being given out
	begun   bool
	err     error
}

func newEvents(body io.ReadCloser) *events {
	return &events{body: body, from: bufio.NewReader(body)}
}

// Close closes the response's body.
func (e *events) Close() error { return e.body.Close() } //nolint:wrapcheck // passed through.

// Read gives out data lines.
func (e *events) Read(p []byte) (int, error) {
	for len(e.pending) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.fill()
	}
	n := copy(p, e.pending)
	e.pending = e.pending[n:]
	return n, nil
}

// fill reads on to the next data line.
func (e *events) fill() {
	if !e.begun {
		e.begun = true
		if e.whole() {
			return
		}
	}
	line, err := e.line()
	e.err = err
	line = bytes.TrimSpace(line)
	data, found := bytes.CutPrefix(line, []byte("data:"))
	if !found {
		return
	}
	e.pending = appendEvent(e.pending[:0], bytes.TrimSpace(data))
}

// appendEvent writes a data line. The space behind the brace keeps go-openai from
// taking an error event aside.
func appendEvent(line, data []byte) []byte {
	line = append(line, "data: "...)
	if len(data) > 0 && data[0] == '{' {
		line = append(line, "{ "...)
		data = data[1:]
	}
	line = append(line, data...)
	return append(line, '\n')
}

// line reads one line, of which the last may lack its end.
func (e *events) line() ([]byte, error) {
	var long []byte
	for {
		piece, err := e.from.ReadSlice('\n')
		if long == nil && !errors.Is(err, bufio.ErrBufferFull) {
			return piece, err //nolint:wrapcheck // io.EOF must stay itself.
		}
		long = append(long, piece...)
		if len(long) > maxEvent {
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err //nolint:wrapcheck // io.EOF must stay itself.
		}
	}
}

// whole turns a body that is one JSON object into one event and the end. It is
// false where the body is a stream.
func (e *events) whole() bool {
	for {
		first, err := e.from.Peek(1)
		if err != nil || !bytes.ContainsAny(first, " \t\r\n{") {
			return false
		}
		if first[0] == '{' {
			break
		}
		_, _ = e.from.Discard(1) // it was peeked at
	}
	object, err := io.ReadAll(e.from)
	if err != nil {
		e.err = err
		return true
	}
	e.err = io.EOF
	var line bytes.Buffer
	if json.Compact(&line, object) != nil {
		line.Reset()
		line.WriteByte('{') // nothing that could be read
	}
	e.pending = append(appendEvent(nil, line.Bytes()), "data: [DONE]\n"...)
	return true
}
