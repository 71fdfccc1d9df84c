package graph

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The greatest widths of the columns of names and texts, in characters.
const (
	nameWidth = 16
	textWidth = 48
)

// exploredShown bounds the messages that are listed although they were not taken.
const exploredShown = 15

// dates is the layout of times.
const dates = time.DateOnly + " 15:04"

// textual writes an explanation for people. Messages are numbered as Words does.
type textual struct {
	b        strings.Builder
	g        *Graph
	words    Words
	weighted bool // probabilities are shown, as some are below 1
}

// explainText returns the explanation for people: a headline, the messages by section,
// and then where walking ended and what is missing.
func (g *Graph) explainText() string {
	t := &textual{g: g, words: g.Words(), weighted: g.Weighted()}
	t.printf("%s asked at %s: %s\n",
		OneLine(g.Trigger.Name, nameWidth), g.Trigger.Time.UTC().Format(dates), OneLine(g.Trigger.Says(), textWidth))
	t.printf("heddle takes %s", count(len(g.Conversation), "message"))
	if len(g.Background) > 0 {
		t.printf(", and %d as background", len(g.Background))
	}
	t.b.WriteString(". Times are UTC.\n")
	for _, s := range g.sections() {
		t.section(s)
	}
	t.seals()
	t.lost()
	return t.b.String()
}

func (t *textual) printf(format string, values ...any) { fmt.Fprintf(&t.b, format, values...) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// row is a line of a table.
type row struct{ number, time, name, text, chance, why string }

// section writes a group of messages, unless it is empty.
func (t *textual) section(s section) {
	if len(s.nodes) == 0 {
		return
	}
	shown := s.nodes
	if s.name == exploredName {
		shown = Likeliest(shown, exploredShown)
	}
	rows := make([]row, len(shown))
	for i := range shown {
		rows[i] = t.row(&shown[i])
	}
	width := func(cell func(*row) string) int {
		widest := 0
		for i := range rows {
			widest = max(widest, utf8.RuneCountInString(cell(&rows[i])))
		}
		return widest
	}
	names := width(func(r *row) string { return r.name })
	texts := width(func(r *row) string { return r.text })
	t.printf("\n%s\n", s.title)
	for _, r := range rows {
		line := fmt.Sprintf("  %3s  %s  %-*s  %-*s", r.number, r.time, names, r.name, texts, r.text)
		if t.weighted {
			line += fmt.Sprintf("  %5s", r.chance)
		}
		if r.why != "" {
			line += "  " + r.why
		}
		t.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if left := len(s.nodes) - len(shown); left > 0 {
		t.printf("  and %d more, less likely or older\n", left)
	}
}

// row returns the columns of a message.
func (t *textual) row(n *Node) row {
	r := row{
		time:   n.Message.Time.UTC().Format(dates),
		name:   OneLine(n.Message.Name, nameWidth),
		text:   OneLine(n.Message.Says(), textWidth),
		chance: Percent(n.Probability),
	}
	if number := t.words.Number(n.Message.ID); number != 0 {
		r.number = strconv.Itoa(number)
	}
	because := n.Because()
	reasons := make([]string, len(because))
	for i := range because {
		reasons[i] = t.words.Reason(n, &because[i])
		if round := because[i].Round; round > 0 {
			reasons[i] += fmt.Sprintf(" (round %d)", round)
		}
	}
	r.why = strings.Join(reasons, "; ")
	return r
}

func (t *textual) seals() {
	if len(t.g.Seals) == 0 {
		return
	}
	t.b.WriteString("\nWhere it stopped\n")
	for i := range t.g.Seals {
		s := &t.g.Seals[i]
		side := "before"
		if s.Direction == Newer {
			side = "after"
		}
		t.printf("  %-6s %-12s  %s\n", side, t.words.Named(s.At), t.words.Seal(s))
	}
}

func (t *textual) lost() {
	for i, lost := range t.words.Lost() {
		if i == 0 {
			t.b.WriteString("\nWhat could not be followed\n")
		}
		t.printf("  %s\n", lost)
	}
}
