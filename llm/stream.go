package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 8 << 20

// event is one event of a stream. Its data is valid until the next one is read.
type event struct {
	name string // "" if the stream names none
	data []byte
}

// readEvents calls add with every event of an answer that has data, until [DONE], the end
// of the body or an error of add. It reports whether [DONE] came.
//
// It reads what the specification of server-sent events allows, and what providers send in
// its place: events without blank lines between them, and JSON outside of any event, such
// as a whole answer, or an error behind comments (omlx#2066, llama.cpp#16109).
func readEvents(body io.Reader, add func(event) error) (marked bool, err error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	lines.Split(splitLines())
	r := eventReader{add: add}
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
		if first {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if err := r.line(bytes.TrimSpace(line)); err != nil || r.marked {
			return r.marked, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return false, &Error{Kind: Malformed} // no answer needs such an event
	}
	if err := r.flush(); err != nil || r.marked {
		return r.marked, err
	}
	return false, lines.Err() //nolint:wrapcheck // the caller tells it from errors of its own.
}

// splitLines returns a bufio.SplitFunc for lines that end with CR, LF or both.
func splitLines() bufio.SplitFunc {
	half := false // the last line ended with CR: an LF belongs to it
	return func(data []byte, atEOF bool) (int, []byte, error) {
		skip := 0
		if half && len(data) > 0 && data[0] == '\n' {
			skip = 1
		}
		end := bytes.IndexAny(data[skip:], "\r\n")
		switch {
		case end >= 0:
			end += skip
			half = data[end] == '\r'
			return end + 1, data[skip:end], nil
		case atEOF && len(data) > skip:
			return len(data), data[skip:], nil
		case atEOF:
			return skip, nil, nil
		}
		return 0, nil, nil
	}
}

// eventReader puts events together from trimmed lines.
type eventReader struct {
	add    func(event) error
	marked bool // [DONE] came

	name string
	data []byte // of the event so far
	bare bool   // data is JSON outside of any event
	json nesting
}

// line reads a line. An event whose JSON is complete does not wait for its blank line.
func (r *eventReader) line(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch isField := string(name) == "data" || string(name) == "error" || string(name) == "event"; {
	case r.bare && !isField:
		return r.extend(line)
	case len(line) == 0:
		return r.flush()
	case !isField && (line[0] == '{' || line[0] == '[') && len(r.data) == 0:
		r.bare = true
		return r.extend(line)
	case !isField:
		return nil // a comment, or a field without a meaning here
	case r.bare: // what looked like JSON was none
		r.reset()
	}
	value = bytes.TrimSpace(value)
	switch {
	case string(name) == "event":
		r.name = string(value)
		return nil
	case string(name) == "error": // llama.cpp's field for errors
		r.name = "error"
	}
	if len(value) == 0 { // some servers send empty data to keep a connection alive
		return nil
	}
	return r.extend(value)
}

// extend adds a line to the data of the event.
func (r *eventReader) extend(line []byte) error {
	if len(r.data) > 0 {
		r.data = append(r.data, '\n')
	}
	r.data = append(r.data, line...)
	if len(r.data) > maxEvent {
		return &Error{Kind: Malformed}
	}
	if r.json.read(line); r.json.depth > 0 {
		return nil
	}
	return r.flush()
}

// flush passes on an event, if there is one. What is no JSON and in no event is nothing.
func (r *eventReader) flush() error {
	next, bare := event{r.name, r.data}, r.bare
	r.reset()
	switch {
	case len(next.data) == 0, bare && !isWhole(next.data):
		return nil
	case strings.EqualFold(strings.Trim(string(next.data[:min(len(next.data), 16)]), `"[]`), "done"):
		r.marked = true
		return nil
	}
	return r.add(next)
}

// reset forgets the event so far. Its data stays valid until the next line.
func (r *eventReader) reset() {
	r.name, r.data, r.bare, r.json = "", r.data[:0], false, nesting{}
}

// nesting is the state of JSON that comes in pieces, which ends where depth is 0 again.
type nesting struct {
	depth   int
	quoted  bool
	escaped bool
}

// read reads a piece. It looks at brackets only.
func (n *nesting) read(piece []byte) {
	for _, c := range piece {
		switch {
		case n.escaped:
			n.escaped = false
		case n.quoted && c == '\\':
			n.escaped = true
		case c == '"':
			n.quoted = !n.quoted
		case n.quoted:
		case c == '{', c == '[':
			n.depth++
		case c == '}', c == ']':
			n.depth--
		}
	}
}
