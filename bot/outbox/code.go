package outbox

import "strings"

// code follows the code of a text that comes in pieces: what is inside of backticks.
type code struct {
	block bool // a code block is open
	whole bool // no text follows
}

// span returns the size of the run of backticks that a text begins with, together with
// the code after it if that ends on the same line. It returns 0 if more text must be
// known.
func (c *code) span(text string) int {
	run := tickRun(text)
	switch {
	case run == len(text) && !c.whole:
		return 0
	case run >= len(ticks):
		c.block = !c.block
		return run
	case c.block:
		return run
	}
	line, ended := lineWithin(text, run+mostLabel)
	for at := run; at < len(line); {
		n := tickRun(line[at:])
		switch {
		case n == 0:
			at++
		case at+n == len(text) && !c.whole: // the run may go on
			return 0
		case n == run:
			return at + n
		default:
			at += n
		}
	}
	if !ended && !c.whole {
		return 0
	}
	return run
}

// escape returns the size of a backslash and the character that it escapes, and 0 if
// more text must be known.
func (c *code) escape(text string) int {
	switch {
	case len(text) > 1 && (text[1] == '`' || text[1] == '\\'):
		return 2
	case len(text) > 1 || c.whole:
		return 1
	default:
		return 0
	}
}

// lineWithin returns the first line of a text, cut at most bytes, and whether more text
// cannot make it longer.
func lineWithin(text string, most int) (line string, ended bool) {
	line = text[:min(len(text), most)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		return line[:end], true
	}
	return line, len(line) == most
}
