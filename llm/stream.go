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

// errTooLong reports that a line of a stream is longer than any answer needs.
var errTooLong = errors.New("a line of the stream is too long")

// byteOrderMark may precede the text of a body.
const byteOrderMark = "\xef\xbb\xbf"

// stream reads the events of an answer: the data of server-sent events, as
// https://html.spec.whatwg.org/multipage/server-sent-events.html describes them. Every
// other line (comments, names, blank lines) is skipped. An event is returned as soon as
// its data is a JSON value, as some servers put no blank line behind it. A body that is
// one JSON object, from a server that does not stream, is one event.
type stream struct {
	from  *bufio.Reader
	begun bool
	err   error // of the end, once it was reached
}

func newStream(body io.Reader) *stream { return &stream{from: bufio.NewReader(&lineEnds{from: body})} }

// lineEnds makes every end of a line, which may be \r\n or \r, a \n.
type lineEnds struct {
	from     io.Reader
	returned bool // the last byte was \r
}

// Read implements io.Reader.
func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	kept := 0
	for _, b := range p[:n] {
		follows := l.returned && b == '\n'
		l.returned = b == '\r'
		if follows {
			continue
		}
		if l.returned {
			b = '\n'
		}
		p[kept] = b
		kept++
	}
	return kept, err
}

// next returns the data of the next event, which is valid until the next call. Its
// error is io.EOF at the end of the stream, whether marked by [DONE] or not.
func (s *stream) next() ([]byte, error) {
	if !s.begun {
		s.begun = true
		s.skipMark()
		if s.isObject() {
			return s.object()
		}
	}
	for s.err == nil {
		data, found := s.data()
		if !found {
			continue
		}
		if string(data) == "[DONE]" {
			s.err = io.EOF
			break
		}
		return s.whole(data)
	}
	return nil, s.err
}

// data reads a line and returns its data, if it holds any. The data is valid until the
// next call.
func (s *stream) data() (data []byte, found bool) {
	var line []byte
	line, s.err = s.line()
	data, found = bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	return bytes.TrimSpace(data), found
}

// whole returns the data of an event that begins with data. Further lines of data belong
// to the event until it is a JSON value.
func (s *stream) whole(data []byte) ([]byte, error) {
	if json.Valid(data) {
		return data, nil
	}
	lines := bytes.Clone(data)
	for s.err == nil && !json.Valid(lines) {
		more, found := s.data()
		if !found {
			break
		}
		lines = append(append(lines, '\n'), more...)
		if len(lines) > maxEvent {
			return nil, errTooLong
		}
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) && !json.Valid(lines) {
		return nil, s.err // the event is not all there
	}
	return lines, nil
}

// skipMark skips a byte order mark.
func (s *stream) skipMark() {
	if mark, _ := s.from.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = s.from.Discard(len(mark)) // it was peeked at
	}
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
