package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one line of a stream, in bytes.
const maxEvent = 8 << 20

// errTooLong reports that a line of a stream is longer than any answer needs.
var errTooLong = errors.New("a line of the stream is too long")

// stream reads the events of an answer: the data lines of server-sent events, one
// event a line. Every other line (comments, names, blank lines) is skipped. A
// body that is one JSON object, from a server that does not stream, is one event.
type stream struct {
	from  *bufio.Reader
	begun bool
	err   error // of the end, once it was reached
}

func newStream(body io.Reader) *stream { return &stream{from: bufio.NewReader(body)} }

// next returns the data of the next event, which is valid until the next call. Its
// error is io.EOF at the end of the stream, whether marked by [DONE] or not.
func (s *stream) next() ([]byte, error) {
	if !s.begun {
		s.begun = true
		if s.isObject() {
			return s.object()
		}
	}
	for s.err == nil {
		var line []byte
		line, s.err = s.line()
		data, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if !found {
			continue
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			s.err = io.EOF
			break
		}
		return data, nil
	}
	return nil, s.err
}

// line reads one line, of which the last may lack its end.
func (s *stream) line() ([]byte, error) {
	var long []byte
	for {
		piece, err := s.from.ReadSlice('\n')
		if long == nil && !errors.Is(err, bufio.ErrBufferFull) {
			return piece, err
		}
		long = append(long, piece...)
		if len(long) > maxEvent {
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
	}
}

// isObject reports whether the body begins as a JSON object does.
func (s *stream) isObject() bool {
	for {
		first, err := s.from.Peek(1)
		if err != nil || !bytes.ContainsAny(first, " \t\r\n{") {
			return false
		}
		if first[0] == '{' {
			return true
		}
		_, _ = s.from.Discard(1) // it was peeked at
	}
}

// object reads a body that is one JSON object.
func (s *stream) object() ([]byte, error) {
	object, err := io.ReadAll(s.from)
	if s.err = err; err != nil {
		return nil, err
	}
	s.err = io.EOF
	return object, nil
}
