package outbox

import "strings"

// markup is what a place of a text is inside of, code blocks aside: what begins and ends
// within a few lines and would read wrongly if it were torn. The zero markup is the
// beginning of a line.
type markup struct {
	spoiler  bool
	through  bool // the spoiler has been open since the part before, and is torn already
	link     linkPart
	heading  bool
	emphasis emphasis
	code     int    // the backticks that began code within the line; 0 outside of it
	flips    bool   // that code holds what changes spoiler, unless the code ends in this line
	line     string // the first characters of the line
	last     string // the last atom
}

// linkPart is a part of a masked link.
type linkPart uint8

const (
	noLink linkPart = iota
	linkLabel
	linkClosed // after the label's last bracket
	linkTarget
)

// open reports whether a cut here would tear something, spoilers aside.
func (m *markup) open() bool {
	return m.link != noLink || m.heading || m.code > 0 || m.emphasis.open()
}

// read reads the next atom, which is not in a code block.
func (m *markup) read(atom string) {
	switch {
	case strings.HasSuffix(atom, "\n"):
		m.newline()
		return
	case strings.HasPrefix(atom, "`"):
		m.readCode(len(atom))
	case m.code > 0: // holds no markup
		m.flips = m.flips != (atom == veil && m.last != `\`)
	case atom == veil && m.last != `\`:
		m.spoiler, m.through = !m.spoiler, false
	default:
		m.readLink(atom)
		m.emphasis.read(atom)
	}
	if len(m.line) < mostHashes+1 {
		m.line += atom
		m.heading = isHeading(m.line)
	}
	m.last = atom
}

// newline ends a line. What follows a heading belongs to it: the cut comes before, or
// after the next line.
func (m *markup) newline() {
	if m.line == "" && m.heading {
		return // an empty line below a heading
	}
	if m.flips { // the backticks began no code
		m.spoiler, m.through = !m.spoiler, false
	}
	*m = markup{spoiler: m.spoiler, through: m.through, heading: m.heading && m.line != ""}
}

// readCode reads a run of backticks within a line. As many end what as many began. Longer
// runs are those of code blocks.
func (m *markup) readCode(run int) {
	switch {
	case run >= len(ticks):
	case m.code == 0:
		m.code = run
	case m.code == run:
		m.code, m.flips = 0, false
	}
}

func (m *markup) readLink(atom string) {
	switch {
	case atom == "[" && m.link != linkTarget:
		m.link = linkLabel
	case atom == "]" && m.link == linkLabel:
		m.link = linkClosed
	case atom == "(" && m.link == linkClosed:
		m.link = linkTarget
	case m.link == linkClosed, atom == ")" && m.link == linkTarget:
		m.link = noLink
	}
}

const mostHashes = 3 // of a heading that Discord shows as one

// isHeading reports whether a line begins as a heading.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n > 0 && n <= mostHashes && strings.HasPrefix(rest, " ")
}
