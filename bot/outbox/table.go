package outbox

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

const (
	mostColumns = 60 // the width of a table that becomes a code block, in characters of a monospace font
	gap         = "  "
	escapable   = "\\`*_~|<>#-[]()" // what a backslash takes its meaning from
)

// table is a table that is being read. It becomes a code block if all of it fits, and a
// list as soon as it is known not to fit.
type table struct {
	head    []string // what the model wrote in the cells
	aligned []alignment
	rows    [][]string // not yet shown
	widths  []int      // of the columns
	listed  bool       // it becomes a list
	begun   bool       // an item of the list was shown
	newline bool       // its last line ended with a newline
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
	t.widths = make([]int, len(t.head))
	t.measure(t.head)
	return t
}

// add adds a row. Cells that have no column are kept in the last one.
func (t *table) add(line string) {
	row := cells(line)
	if last := len(t.head) - 1; len(row) > len(t.head) {
		row = append(row[:last], strings.Join(row[last:], " | "))
	}
	t.rows = append(t.rows, row)
	if !t.listed {
		t.measure(row)
	}
}

// measure decides whether the table still fits into a code block with this row. Links,
// mentions and spoilers do not work in one.
func (t *table) measure(row []string) {
	width := len(gap) * (len(t.head) - 1)
	for i, cell := range row {
		text := inBlock(cell)
		t.widths[i] = max(t.widths[i], uniseg.StringWidth(text))
		t.listed = t.listed || strings.Contains(text, ticks) || isLive(cell)
	}
	for _, w := range t.widths {
		width += w
	}
	lines := len(t.rows) + 2
	t.listed = t.listed || width > mostColumns || lines*(width+1)+2*len(fenceEnd) > Limit
}

// shown returns what can be shown while the table goes on: the rows of a list.
func (t *table) shown() string {
	if !t.listed {
		return ""
	}
	var out strings.Builder
	for _, row := range t.rows {
		t.item(&out, row)
	}
	t.rows = t.rows[:0]
	return out.String()
}

// rest returns what is left to show when the table is complete.
func (t *table) rest() string {
	var out strings.Builder
	switch {
	case !t.listed:
		t.block(&out)
	case !t.begun: // it has no rows
		head := t.head
		t.head = make([]string, len(head))
		t.item(&out, head)
	}
	if t.newline {
		out.WriteByte('\n')
	}
	return out.String()
}

// item writes a row as an item of a list. Empty cells are left out.
func (t *table) item(out *strings.Builder, row []string) {
	if t.begun {
		out.WriteByte('\n')
	}
	t.begun = true
	out.WriteString("- ")
	between := ""
	if first := row[0]; first != "" {
		if len(t.head) > 1 && !strings.Contains(first, "**") {
			first = "**" + first + "**"
		}
		out.WriteString(first)
		between = " – "
	}
	for i, cell := range row[1:] {
		if cell == "" {
			continue
		}
		out.WriteString(between)
		between = "; "
		if name := t.head[i+1]; name != "" {
			out.WriteString(name + ": ")
		}
		out.WriteString(cell)
	}
}

// block writes the table as a code block.
func (t *table) block(out *strings.Builder) {
	out.WriteString(ticks + "\n")
	t.line(out, t.head)
	rules := make([]string, len(t.widths))
	for i, w := range t.widths {
		rules[i] = strings.Repeat("-", w)
	}
	t.line(out, rules)
	for _, row := range t.rows {
		t.line(out, row)
	}
	out.WriteString(ticks)
}

// line writes a row of the code block.
func (t *table) line(out *strings.Builder, row []string) {
	var line strings.Builder
	for i, width := range t.widths {
		text := ""
		if i < len(row) {
			text = inBlock(row[i])
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
	out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
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

// inBlock returns a cell as a code block shows it: without the marks of bold text,
// of code and of escapes.
func inBlock(cell string) string {
	var out strings.Builder
	for cell != "" {
		at := strings.IndexAny(cell, "`*\\")
		if at < 0 {
			break
		}
		out.WriteString(cell[:at])
		cell = cell[at:]
		size := 1
		switch {
		case strings.HasPrefix(cell, "**"):
			cell = cell[2:]
			continue
		case cell[0] == '\\':
			if len(cell) > 1 && strings.IndexByte(escapable, cell[1]) >= 0 {
				cell = cell[1:]
			}
		case cell[0] == '`':
			run := tickRun(cell)
			if end := strings.Index(cell[run:], cell[:run]); end > 0 {
				out.WriteString(strings.Trim(cell[run:run+end], " "))
				cell = cell[run+end+run:]
				continue
			}
			size = run
		}
		out.WriteString(cell[:size])
		cell = cell[size:]
	}
	return out.String() + cell
}
