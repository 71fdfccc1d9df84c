package outbox

import "strings"

const (
	mostRow    = 2 * Limit // bytes of a row. A longer line belongs to no table.
	mostIndent = 16        // bytes of white space before a row
)

// tables rewrites tables, which Discord does not show: a narrow one becomes a code block
// with aligned columns, any other a list. Code stays as it is. A table begins with two
// lines as GitHub reads them, of which the first starts with a pipe, and goes on as long
// as lines start with a pipe. Tables takes a text in pieces, and what it returns depends
// only on the whole: it holds back a table until its shape is decided.
type tables struct {
	pieces pieces
	code   code
	inLine bool   // the next byte does not begin a line
	table  *table // being read, if any
}

// add takes more of the text and returns what can be shown.
func (t *tables) add(text string) string { return t.pieces.take(text, t.next) }

// rest returns what was held back, at the end of the text.
func (t *tables) rest() string {
	t.code.whole = true
	shown := t.add("")
	return shown + t.end()
}

// next returns the size of the text's first piece and what is shown for it. The size is
// 0 if more text must be known.
func (t *tables) next(text string) (size int, shown string) {
	if t.inLine || t.code.block {
		return t.plain(text)
	}
	row, decided := beginsRow(text)
	switch {
	case !decided && !t.code.whole:
		return 0, ""
	case row && t.table != nil:
		return t.row(text)
	case row:
		return t.begin(text)
	}
	return t.outside(text)
}

// outside reads what belongs to no table and ends the one before it.
func (t *tables) outside(text string) (size int, shown string) {
	if size, shown = t.plain(text); size == 0 {
		return 0, "" // the table waits too
	}
	return size, t.end() + shown
}

// plain reads text that belongs to no table, at most to the end of the line.
func (t *tables) plain(text string) (size int, shown string) {
	size = strings.IndexAny(text, "`\\\n")
	switch {
	case size < 0:
		size = len(text)
	case size > 0:
	case text[0] == '\n':
		t.inLine = false
		return 1, "\n"
	case text[0] == '`':
		size = t.code.span(text)
	case t.code.block:
		size = 1
	default:
		size = t.code.escape(text)
	}
	t.inLine = t.inLine || size > 0
	return size, text[:size]
}

// begin reads the two lines that begin a table, or text that only looks like them.
func (t *tables) begin(text string) (size int, shown string) {
	head, ended := lineWithin(text, mostRow)
	switch {
	case strings.HasPrefix(strings.TrimLeft(head, " \t"), "||"): // a spoiler
		return t.plain(text)
	case !ended && !t.code.whole:
		return 0, ""
	case !isRow(head), len(head) == len(text):
		return t.plain(text)
	}
	rule, ended := lineWithin(text[len(head)+1:], mostRow)
	switch {
	case strings.Trim(rule, " \t\r|:-") != "":
		return t.plain(text)
	case !ended && !t.code.whole:
		return 0, ""
	}
	if t.table = newTable(head, rule); t.table == nil || !isRow(rule) {
		t.table = nil
		return t.plain(text)
	}
	return t.line(text, len(head)+1+len(rule)), t.table.shown()
}

// row reads a row of the table.
func (t *tables) row(text string) (size int, shown string) {
	line, ended := lineWithin(text, mostRow)
	switch {
	case !ended && !t.code.whole:
		return 0, ""
	case !isRow(line):
		return t.outside(text)
	}
	t.table.add(line)
	return t.line(text, len(line)), t.table.shown()
}

// line returns the size of a row with its newline, if it has one.
func (t *tables) line(text string, size int) int {
	t.table.newline = size < len(text)
	if t.table.newline {
		size++
	}
	return size
}

// end ends the table, if one is being read, and returns what is left to show of it.
func (t *tables) end() string {
	if t.table == nil {
		return ""
	}
	shown := t.table.rest()
	t.table = nil
	return shown
}

// beginsRow reports whether a line begins as a row of a table, and whether that is
// decided.
func beginsRow(text string) (row, decided bool) {
	rest := strings.TrimLeft(text[:min(len(text), mostIndent+1)], " \t")
	if rest == "" {
		return false, len(text) > mostIndent
	}
	return rest[0] == '|', true
}

// isRow reports whether a line that begins as a row can be one. What opens a code block
// cannot, and what is too long was cut.
func isRow(line string) bool { return len(line) < mostRow && !strings.Contains(line, ticks) }
