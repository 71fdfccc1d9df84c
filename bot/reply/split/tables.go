package split

import (
	"slices"
	"strings"

	"heddle/internal/markdown"
)

const (
	mostRow    = 2 * Limit // bytes of a row. A longer line belongs to no table.
	mostIndent = 16        // bytes of white space before a row
)

// tables rewrites tables, which Discord does not show, as lists with an item for each row. Blocks
// of code stay as they are. A table begins with a row and a rule as GitHub reads them, of which
// the first starts with a pipe, before another row, and goes on as long as lines start with a
// pipe. Tables takes a text in pieces, and what it returns depends only on the whole: it holds
// back a row until that ends.
type tables struct {
	stream

	head   []string // the cells of the first row of the table that goes on; nil for none
	block  bool     // a block of code is open
	inLine bool     // the next byte does not begin a line
}

// add takes more of the text and returns what can be shown.
func (t *tables) add(text string) string { return t.pour(text, t.next) }

// rest returns what was held back, at the end of the text.
func (t *tables) rest() string {
	t.whole = true
	return t.add("")
}

// next rewrites the first piece of a text.
func (t *tables) next(text string) (size int, shown string) {
	if t.inLine || t.block {
		return t.plain(text)
	}
	line, row, decided := t.row(text)
	switch {
	case !decided:
		return 0, ""
	case !row:
		t.head = nil
		return t.plain(text)
	case t.head != nil:
		return len(line), item(t.head, line)
	}
	head, size, decided := t.begins(text)
	switch {
	case !decided:
		return 0, ""
	case head == nil:
		return t.plain(text)
	}
	t.head = head
	return size, ""
}

// plain reads text that belongs to no table, at most to the end of the line.
func (t *tables) plain(text string) (size int, shown string) {
	size = strings.IndexAny(text, "`\n")
	switch {
	case size < 0:
		size = len(text)
	case size > 0:
	case text[0] == '\n':
		t.inLine = false
		return 1, "\n"
	default:
		size = markdown.Ticks(text[:min(len(text), mostRow)])
		if size == len(text) && size < mostRow && !t.whole {
			return 0, ""
		}
		t.block = t.block != (size >= len(markdown.Fence))
	}
	t.inLine = true
	return size, text[:size]
}

// row returns the line that a text begins with, with what ends it, and reports whether it can be
// a row of a table, and whether that is decided. What opens a code block is none.
func (t *tables) row(text string) (line string, row, decided bool) {
	begin := strings.TrimLeft(text[:min(len(text), mostIndent+1)], " \t")
	if begin == "" && len(text) <= mostIndent && !t.whole {
		return "", false, false
	}
	if begin == "" || begin[0] != '|' {
		return "", false, true
	}
	line = text[:min(len(text), mostRow)]
	end := strings.IndexByte(line, '\n')
	if end >= 0 {
		line = line[:end+1]
	}
	fits := len(line) < mostRow
	return line, fits && !strings.Contains(line, markdown.Fence), end >= 0 || t.whole || !fits
}

// begins returns the names of the columns and the size of the two lines that begin a table, nil
// if the row that a text begins with begins none. It reports false if more text must be known.
func (t *tables) begins(text string) (head []string, size int, decided bool) {
	first, _, _ := t.row(text)
	after := text[len(first):]
	noRule := func(r rune) bool { return !strings.ContainsRune(" \t\r\n|:-", r) }
	second, _, _ := strings.Cut(after, "\n")
	if strings.HasPrefix(strings.TrimLeft(first, " \t"), "||") || strings.ContainsFunc(second, noRule) { // a spoiler, or no rule, whatever follows
		return nil, 0, true
	}
	rule, row, decided := t.row(after)
	head = cells(first)
	if !decided || !row || !isRule(rule, len(head)) {
		return nil, 0, decided
	}
	size = len(first) + len(rule)
	if _, row, decided = t.row(text[size:]); !row {
		return nil, 0, decided
	}
	return head, size, decided
}

// isRule reports whether a line is the rule of a table with so many columns.
func isRule(line string, columns int) bool {
	rules := cells(line)
	return len(rules) == columns && !slices.ContainsFunc(rules, func(rule string) bool {
		dashes := strings.TrimSuffix(strings.TrimPrefix(rule, ":"), ":")
		return dashes == "" || strings.Trim(dashes, "-") != ""
	})
}

// item returns a row as an item of a list, with the names of the columns. Empty cells are left
// out, and those that have no column are kept in the last one.
func item(names []string, line string) string {
	row := cells(line)
	if last := len(names) - 1; len(row) > len(names) {
		row = append(row[:last], strings.Join(row[last:], " | "))
	}
	first := row[0]
	if first != "" && len(names) > 1 && !strings.Contains(first, "**") {
		first = "**" + first + "**"
	}
	var others []string
	for i, cell := range row[1:] {
		if cell != "" && names[i+1] != "" {
			cell = names[i+1] + ": " + cell
		}
		if cell != "" {
			others = append(others, cell)
		}
	}
	between := " – "
	if first == "" || len(others) == 0 {
		between = ""
	}
	shown := "- " + first + between + strings.Join(others, "; ")
	if strings.HasSuffix(line, "\n") {
		shown += "\n"
	}
	return shown
}

// cells returns the cells of a row. A backslash keeps a pipe from ending a cell.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var all []string
	from := 0
	for at := range len(line) {
		if line[at] == '|' && (at == 0 || line[at-1] != '\\') {
			all = append(all, cell(line[from:at]))
			from = at + 1
		}
	}
	return append(all, cell(line[from:]))
}

// cell returns what stands in a cell, in one line.
func cell(text string) string {
	text = strings.ReplaceAll(text, `\|`, "|")
	for _, newline := range []string{"<br>", "<br/>", "<br />"} {
		text = strings.ReplaceAll(text, newline, " ")
	}
	return strings.Join(strings.Fields(text), " ")
}
