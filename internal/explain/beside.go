package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
)

// column is a column of a table: the messages that one strategy takes.
type column struct {
	name       string
	marks      map[graph.MessageID]string
	messages   int
	characters int
}

// besides writes a table of the messages that heddle or another strategy takes.
func (r *report) besides(others []taken) {
	rows := slices.Concat(messagesOf(r.g.Conversation), messagesOf(r.g.Background))
	heddle := column{name: "heddle", marks: map[graph.MessageID]string{}, messages: len(rows), characters: characters(rows)}
	for i := range r.g.Conversation {
		heddle.marks[r.g.Conversation[i].Message.ID] = "●"
	}
	for i := range r.g.Background {
		heddle.marks[r.g.Background[i].Message.ID] = "○"
	}
	columns := []column{heddle}
	for _, t := range others {
		c := column{name: t.Strategy, marks: map[graph.MessageID]string{}, messages: len(t.held), characters: characters(t.held)}
		for i := range t.held {
			c.marks[head(rows, t.held[i].ID)] = "●"
			if head(rows, t.held[i].ID) == t.held[i].ID && !slices.ContainsFunc(rows, func(m graph.Message) bool { return m.ID == t.held[i].ID }) {
				rows = append(rows, t.held[i])
			}
		}
		columns = append(columns, c)
	}
	slices.SortFunc(rows, func(a, b graph.Message) int { return a.Position().Compare(b.Position()) })
	r.table(rows, columns)
}

// head returns the id of the message that consists of or contains the message id.
func head(rows []graph.Message, id graph.MessageID) graph.MessageID {
	if at := slices.IndexFunc(rows, func(m graph.Message) bool { return m.Holds(id) }); at >= 0 {
		return rows[at].ID
	}
	return id
}

// table writes messages with a column of marks for each strategy, and sums below the
// columns.
func (r *report) table(rows []graph.Message, columns []column) {
	names := 0
	for i := range rows {
		names = max(names, width(short(rows[i].Name, nameWidth)))
	}
	marks := cells(columns, func(c column) string { return c.name })
	texts := max(r.width-(2+5+2+names+2)-width(marks), leastText)
	left := 2 + 5 + 2 + names + 2 + texts
	r.title(padded("Taken", left) + marks)
	for i := range rows {
		m := &rows[i]
		r.under(m)
		line := fmt.Sprintf("  %s  %s  %s", r.clock(m), padded(short(m.Name, nameWidth), names), padded(short(m.Says(), texts), texts))
		line += cells(columns, func(c column) string { return strings.Repeat(" ", c.width()/2) + mark(c.marks[m.ID]) })
		s := plain
		if columns[0].marks[m.ID] != "●" {
			s = faint
		}
		r.line(s, line)
	}
	r.b.WriteString("\n")
	r.sums(left, columns, "messages", func(c column) int { return c.messages })
	r.sums(left, columns, "characters", func(c column) int { return c.characters })
	if slices.ContainsFunc(rows, func(m graph.Message) bool { return columns[0].marks[m.ID] == "○" }) {
		r.b.WriteString("\n")
		r.line(faint, "● taken   ○ taken as background, from other talks")
	}
}

func mark(m string) string {
	if m == "" {
		return "·"
	}
	return m
}

// sums writes a number below each column, aligned with the marks.
func (r *report) sums(left int, columns []column, what string, of func(column) int) {
	r.line(plain, padded("  "+what, left)+cells(columns, func(c column) string {
		number := strconv.Itoa(of(c))
		return strings.Repeat(" ", max(c.width()/2+1-len(number), 0)) + number
	}))
}

// width returns the width of a column, which has room for its name and for numbers.
func (c *column) width() int { return max(width(c.name), 6) }

// cells returns one line of a table.
func cells(columns []column, cell func(column) string) string {
	var b strings.Builder
	for _, c := range columns {
		b.WriteString("  " + padded(cell(c), c.width()))
	}
	return b.String()
}
