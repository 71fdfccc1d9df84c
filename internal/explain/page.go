package explain

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"heddle/graph"
)

// How wide things are, in columns of a terminal.
const (
	pageWidth = 96
	nameWidth = 14
	leastText = 24
)

// page writes aligned text of a certain width.
type page struct {
	b      strings.Builder
	width  int
	zone   *time.Location
	colour bool
	today  string // the trigger's day
	day    string // that the last row was written under
}

// style is how a terminal shows text.
type style string

const (
	bold  style = "\x1b[1m"
	faint style = "\x1b[2m"
	plain style = ""
)

// in gives text in a style, if the page has colours. Padding comes before it.
func (p *page) in(s style, text string) string {
	if !p.colour || s == plain || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

// line writes a line without blanks at its end.
func (p *page) line(s style, text string) {
	p.b.WriteString(p.in(s, strings.TrimRight(text, " ")) + "\n")
}

func (p *page) title(text string) {
	p.b.WriteString("\n")
	p.line(bold, text)
	p.day = p.today
}

// paragraph writes words in as many lines as they need.
func (p *page) paragraph(text string) {
	for _, line := range wrapped(text, p.width) {
		p.line(plain, line)
	}
}

// item writes words as one of a list.
func (p *page) item(text string) {
	lead := "  "
	for _, line := range wrapped(text, p.width-4) {
		p.line(plain, lead+line)
		lead = "    "
	}
}

// clock is a message's time of day.
func (p *page) clock(m *graph.Message) string { return m.Time.In(p.zone).Format("15:04") }

// date is the day that a message was sent on.
func (p *page) date(m *graph.Message) string {
	return m.Time.In(p.zone).Format("Monday, 2 January 2006")
}

// under writes the day that a message was sent on, where the one before was not.
func (p *page) under(m *graph.Message) {
	day := p.date(m)
	if day != p.day {
		p.line(faint, "       "+day)
		p.day = day
	}
}

// short makes text one line of at most so many columns, whatever is in it.
func short(text string, columns int) string {
	text = graph.OneLine(text, math.MaxInt)
	if width(text) <= columns {
		return text
	}
	var b strings.Builder
	state, used := -1, 0
	for text != "" {
		var cluster string
		var wide int
		cluster, text, wide, state = uniseg.FirstGraphemeClusterInString(text, state)
		if used+wide > columns-1 {
			break
		}
		b.WriteString(cluster)
		used += wide
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// said is what a message says, with the names of its files.
func said(m *graph.Message, columns int) string {
	words := []string{m.Text}
	for _, a := range m.Attachments {
		words = append(words, "["+a.Name+"]")
	}
	return short(strings.Join(words, " "), columns)
}

// padded fills text up to so many columns.
func padded(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-width(text), 0))
}

// wrapped breaks text between words, though not before a unit or after "no.".
func wrapped(text string, columns int) []string {
	const tie = "\x00"
	text = strings.NewReplacer(" %", tie+"%", "no. ", "no."+tie).Replace(text)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		word = strings.ReplaceAll(word, tie, " ")
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) > columns:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

func width(text string) int { return uniseg.StringWidth(text) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
