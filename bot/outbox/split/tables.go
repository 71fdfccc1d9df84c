package split

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"heddle/internal/markdown"
)

const (
	mostColumns = 60        // the width of a table that becomes a code block, in characters of a monospace font
	mostRow     = 2 * Limit // bytes of a row. A longer line belongs to no table.
	mostIndent  = 16        // bytes of white space before a row
	gap         = "  "      // between columns
)

// tables rewrites tables, which Discord does not show: a narrow one becomes a code block
// with aligned columns, any other a list. Blocks of code stay as they are. A table begins with two
// lines as GitHub reads them, of which the first starts with a pipe, and goes on as long
// as lines start with a pipe. Tables takes a text in pieces, and what it returns depends
// only on the whole: it holds back a table until that ends.
type tables struct {
	held   string // what cannot be decided before more of the text is known
	whole  bool   // no text follows
	block  bool   // a block of code is open
	inLine bool   // the next byte does not begin a line
}

// add takes more of the text and returns what can be shown.
func (t *tables) add(text string) string {
	text = t.held + text
	var out strings.Builder
	for text != "" {
		size, shown := t.next(text)
		if size == 0 {
			break
		}
		out.WriteString(shown)
		text = text[size:]
	}
	t.held = text
	return out.String()
}

// rest returns what was held back, at the end of the text.
func (t *tables) rest() string {
	t.whole = true
	return t.add("")
}

// next returns the size of the text's first piece and what is shown for it. The size is
// 0 if more text must be known.
func (t *tables) next(text string) (size int, shown string) {
	if t.inLine || t.block {
		return t.plain(text)
	}
	row, decided := beginsRow(text)
	if !decided && !t.whole {
		return 0, ""
	}
	if !row {
		return t.plain(text)
	}
	found, size, ended := t.table(text)
	switch {
	case !ended:
		return 0, ""
	case found == nil:
		return t.plain(text)
	}
	shown = found.shown()
	if text[size-1] == '\n' {
		shown += "\n"
	}
	return size, shown
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
		if size = markdown.Ticks(text); size == len(text) && !t.whole {
			return 0, ""
		}
		t.block = t.block != (size >= len(markdown.Fence))
	}
	t.inLine = true
	return size, text[:size]
}

// table reads the table that a text begins with, and its size; nil if it begins with none. It
// reports false if more text must be known.
func (t *tables) table(text string) (found *table, size int, ended bool) {
	head := ""
	for lines := 0; ; lines++ {
		row, decided := beginsRow(text[size:])
		line, complete := lineWithin(text[size:], mostRow)
		switch {
		case lines == 0 && strings.HasPrefix(strings.TrimLeft(line, " \t"), "||"): // a spoiler
			return nil, 0, true
		case lines == 1 && strings.Trim(line, " \t\r|:-") != "": // no rule, whatever follows
			return nil, 0, true
		case !t.whole && (!decided || row && !complete):
			return nil, 0, false
		case !row || !isRow(line):
			return found, size, true
		case lines == 0:
			head = line
		case lines == 1:
			if found = newTable(head, line); found == nil {
				return nil, 0, true
			}
		default:
			found.add(line)
		}
		size = min(size+len(line)+1, len(text))
	}
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
func isRow(line string) bool { return len(line) < mostRow && !strings.Contains(line, markdown.Fence) }

// lineWithin returns the first line of a text, cut at most bytes, and whether more text
// cannot make it longer.
func lineWithin(text string, most int) (line string, ended bool) {
	line = text[:min(len(text), most)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		return line[:end], true
	}
	return line, len(line) == most
}

// table is a table as a model wrote it.
type table struct {
	head    []string // what stands in the cells
	aligned []alignment
	rows    [][]string
}

type alignment uint8

const (
	left alignment = iota
	right
	centre
)

// newTable returns the table that begins with two lines, or nil if these begin none.
func newTable(head, rule string) *table {
	t := &table{head: cells(head)}
	rules := cells(rule)
	if len(rules) != len(t.head) || !strings.Contains(rule, "|") {
		return nil
	}
	for _, r := range rules {
		dashes := strings.TrimSuffix(strings.TrimPrefix(r, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch starts, ends := strings.HasPrefix(r, ":"), strings.HasSuffix(r, ":"); {
		case starts && ends:
			t.aligned = append(t.aligned, centre)
		case ends:
			t.aligned = append(t.aligned, right)
		default:
			t.aligned = append(t.aligned, left)
		}
	}
	return t
}

// add adds a row. Cells that have no column are kept in the last one.
func (t *table) add(line string) {
	row := cells(line)
	if last := len(t.head) - 1; len(row) > len(t.head) {
		row = append(row[:last], strings.Join(row[last:], " | "))
	}
	t.rows = append(t.rows, row)
}

// shown returns the table as people read it.
func (t *table) shown() string {
	if widths, fits := t.widths(); fits {
		return t.block(widths)
	}
	if len(t.rows) == 0 {
		return item(make([]string, len(t.head)), t.head)
	}
	items := make([]string, len(t.rows))
	for i, row := range t.rows {
		items[i] = item(t.head, row)
	}
	return strings.Join(items, "\n")
}

// widths returns the widths of the columns, and whether the table fits into a code block. Links,
// mentions and spoilers do not work in one.
func (t *table) widths() (widths []int, fits bool) {
	widths = make([]int, len(t.head))
	for _, row := range append(t.rows, t.head) {
		for i, cell := range row {
			text := markdown.Inline(cell)
			if strings.Contains(text, markdown.Fence) || isLive(cell) {
				return nil, false
			}
			widths[i] = max(widths[i], uniseg.StringWidth(text))
		}
	}
	width := len(gap) * (len(t.head) - 1)
	for _, w := range widths {
		width += w
	}
	lines := len(t.rows) + 2
	return widths, width <= mostColumns && lines*(width+1)+2*len(fenceEnd) <= Limit
}

// item returns a row as an item of a list, with the names of the columns. Empty cells are left
// out.
func item(names, row []string) string {
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
	return "- " + first + between + strings.Join(others, "; ")
}

// block returns the table as a code block.
func (t *table) block(widths []int) string {
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat("-", w)
	}
	var out strings.Builder
	out.WriteString(markdown.Fence + "\n" + t.line(t.head, widths) + t.line(rules, widths))
	for _, row := range t.rows {
		out.WriteString(t.line(row, widths))
	}
	return out.String() + markdown.Fence
}

// line returns a row of the code block.
func (t *table) line(row []string, widths []int) string {
	var line strings.Builder
	for i, width := range widths {
		text := ""
		if i < len(row) {
			text = markdown.Inline(row[i])
		}
		before, after := 0, max(0, width-uniseg.StringWidth(text))
		switch t.aligned[i] {
		case right:
			before, after = after, 0
		case centre:
			before, after = after/2, after-after/2
		case left:
		}
		if i > 0 {
			line.WriteString(gap)
		}
		line.WriteString(strings.Repeat(" ", before) + text + strings.Repeat(" ", after))
	}
	return strings.TrimRight(line.String(), " ") + "\n"
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

// isLive reports whether Discord makes more of a cell than letters.
func isLive(cell string) bool {
	return slices.ContainsFunc([]string{"](", "://", "||", "<@", "<#", "<:", "<a:", "<t:"}, func(s string) bool { return strings.Contains(cell, s) })
}
