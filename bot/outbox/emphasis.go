package outbox

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// emphasis follows what is bold, italic, underlined or struck out within a line. The zero
// emphasis is the beginning of a line.
type emphasis struct {
	begun  string // the markers that nothing has ended, each after a space
	marker string // the marker being read
	before string // the atom before it
	last   string // the last atom
}

// open reports whether something is emphasised here.
func (e *emphasis) open() bool { return e.begun != "" }

// read reads the next atom of a line.
func (e *emphasis) read(atom string) {
	isMarker := (atom == "*" || atom == "_" || atom == "~") && e.last != `\`
	if e.marker != "" && (!isMarker || e.marker[0] != atom[0]) {
		e.decide(atom)
		e.marker = ""
	}
	if isMarker {
		if e.marker == "" {
			e.before = e.last
		}
		e.marker += atom
	}
	e.last = atom
}

// decide takes the marker that was read, before next, for what it is: the beginning of
// something, its end, or text.
func (e *emphasis) decide(next string) {
	inWord := isWord(e.before) && isWord(next)
	within := len(e.marker) > 1 && e.marker[0] != '_' // may stand in a word
	switch {
	case e.marker == "~", inWord && !within:
	case strings.HasSuffix(e.begun, " "+e.marker) && !isSpace(e.before):
		e.begun = strings.TrimSuffix(e.begun, " "+e.marker)
	case !isSpace(next) && (within || !isWord(e.before)):
		e.begun += " " + e.marker
	}
}

func isWord(atom string) bool {
	r, _ := utf8.DecodeLastRuneInString(atom)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isSpace(atom string) bool { return strings.TrimSpace(atom) == "" }
