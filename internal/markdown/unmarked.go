package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Hidden stands in an unmarked text for what a spoiler hides.
	Hidden = "▒▒▒"

	deepestMark  = 8    // marks that may stand in one another; deeper ones stay as written
	longestLabel = 500  // bytes of the text of a link
	longestLink  = 2000 // bytes of the address of a link
)

// Unmarked returns the words of a message without Discord's marks. Emphasis, headings,
// quotes, list items and code become plain words. A link with a text becomes the text, and
// what a spoiler hides becomes Hidden.
func Unmarked(content string) string {
	if !strings.ContainsAny(content, "\\`[|*_~>#-") {
		return content
	}
	return unmarked(content, 0)
}

// unmarked implements Unmarked for a text that stands within depth marks.
func unmarked(text string, depth int) string {
	u := unmarking{text: text, depth: depth, spans: newReader(text), unended: map[string]bool{}}
	for begins := true; u.at < len(text); {
		if begins && depth == 0 {
			u.at += lineMark(text[u.at:])
		}
		if u.at < len(text) && !u.mark() {
			u.out.WriteByte(text[u.at])
			u.at++
		}
		begins = text[u.at-1] == '\n'
	}
	return u.out.String()
}

// lineMark returns the length of the mark that a line begins with.
func lineMark(line string) int {
	for _, mark := range []string{">>> ", "> ", "-# ", "### ", "## ", "# ", "- ", "* "} {
		if strings.HasPrefix(line, mark) {
			return len(mark)
		}
	}
	return 0
}

// unmarking is the state of a call of unmarked.
type unmarking struct {
	out     strings.Builder
	text    string
	at      int // offset in text
	depth   int
	spans   *reader
	unended map[string]bool // marks that do not end at any later offset
}

// mark writes what the mark at the offset shows. It reports whether there is one.
func (u *unmarking) mark() bool {
	switch rest := u.text[u.at:]; rest[0] {
	case '\\', '`':
		span := u.spans.span(u.at)
		u.write(span.Shown, len(span.Text))
		return true
	case '[':
		return u.link(rest)
	case '|', '*', '_', '~':
		for _, mark := range []string{"||", "**", "__", "~~", "*", "_"} {
			if strings.HasPrefix(rest, mark) && u.between(mark, rest[len(mark):]) {
				return true
			}
		}
	}
	return false
}

// write writes what the next n bytes show.
func (u *unmarking) write(shown string, n int) {
	u.out.WriteString(shown)
	u.at += n
}

// link writes the text of a link.
func (u *unmarking) link(rest string) bool {
	end := strings.IndexAny(rest[:min(len(rest), longestLabel)], "]\n")
	if end < 2 || !strings.HasPrefix(rest[end:], "](") {
		return false
	}
	address := rest[end+2:]
	address = address[:min(len(address), longestLink)]
	closed := strings.IndexAny(address, ") \n")
	if closed < 0 || address[closed] != ')' || !strings.HasPrefix(strings.TrimPrefix(address, "<"), "http") {
		return false
	}
	u.write(u.inner(rest[1:end]), end+2+closed+1)
	return true
}

// inner returns the words of what a mark marks.
func (u *unmarking) inner(text string) string {
	if u.depth == deepestMark {
		return text
	}
	return unmarked(text, u.depth+1)
}

// between writes what stands between a mark and its end in rest.
func (u *unmarking) between(mark, rest string) bool {
	if len(mark) == 1 && !u.begins(mark, rest) || u.unended[mark] {
		return false
	}
	end := ending(mark, rest)
	if end < 0 {
		u.unended[mark] = true
		return false
	}
	if end == 0 {
		return false
	}
	shown := Hidden
	if mark != "||" {
		shown = u.inner(rest[:end])
	}
	u.write(shown, len(mark)+end+len(mark))
	return true
}

// begins reports whether a single * or _ begins emphasis. The _ within a word does not.
func (u *unmarking) begins(mark, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	before, _ := utf8.DecodeLastRuneInString(u.text[:u.at])
	return rest != "" && !unicode.IsSpace(next) && !strings.HasPrefix(rest, mark) && (mark != "_" || !inWord(before))
}

// ending returns the offset in text at which a mark ends, or -1.
func ending(mark, text string) int {
	for at := 0; ; {
		next := strings.Index(text[at:], mark)
		if next < 0 {
			return -1
		}
		at += next
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], mark[:1]))
		after, _ := utf8.DecodeRuneInString(text[at+run:])
		switch {
		case len(mark) == 2:
			return at + run - len(mark)
		case run%2 == 1 && (mark != "_" || !inWord(after)):
			return at + run - 1
		}
		at += run
	}
}

// inWord reports whether a character stands within words.
func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
