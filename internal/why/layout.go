package why

import (
	"math"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"heddle/graph"
	"heddle/internal/terminal"
)

// Widths in columns of a terminal.
const (
	pageWidth = 96
	nameWidth = 14
	leastText = 24
)

// page is text that is being laid out with a given width.
type page struct {
	b     strings.Builder
	width int
	zone  *time.Location
	today string // the day of the trigger
	day   string // the day of the last row
}

// line writes a line without trailing blanks.
func (p *page) line(text string) {
	p.b.WriteString(strings.TrimRight(text, " ") + "\n")
}

func (p *page) title(text string) {
	p.b.WriteString("\n")
	p.line(text)
	p.day = p.today
}

// paragraph writes text, wrapped to the width of the page.
func (p *page) paragraph(text string) {
	for _, line := range wrapped(text, p.width) {
		p.line(line)
	}
}

// item writes text as an item of a list.
func (p *page) item(text string) {
	lead := "  "
	for _, line := range wrapped(text, p.width-4) {
		p.line(lead + line)
		lead = "    "
	}
}

// clock returns the time of day of a message.
func (p *page) clock(n *Node) string { return n.Time.In(p.zone).Format("15:04") }

// date returns the day on which a message was sent.
func (p *page) date(n *Node) string { return n.Time.In(p.zone).Format("Monday, 2 January 2006") }

// under writes the day of a message as a heading, unless the row before has the same
// day.
func (p *page) under(n *Node) {
	day := p.date(n)
	if day != p.day {
		p.line("       " + day)
		p.day = day
	}
}

// short returns text as one line of at most columns columns.
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

// padded returns text padded to columns columns.
func padded(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-width(text), 0))
}

// wrapped breaks text into lines, but not between "no." and a number.
func wrapped(text string, columns int) []string {
	const tie = "\ue000" // as wide as a space
	lines := terminal.Lines(strings.ReplaceAll(text, "no. ", "no."+tie), columns)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], tie, " ")
	}
	return lines
}

func width(text string) int { return uniseg.StringWidth(text) }
