package evaluation

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
)

// WriteText writes the result as text, in lines of at most 80 columns.
func (c *Channel) WriteText(w io.Writer) error {
	var b strings.Builder
	c.verdict(&b)
	c.head(&b)
	c.bars(&b)
	c.advice(&b)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// verdict writes in a sentence how heddle compares with the last thirty messages.
func (c *Channel) verdict(b *strings.Builder) {
	at := slices.IndexFunc(c.Ways, func(way Tried) bool { return way.Strategy == lastThirty })
	if at < 0 || c.Ways[at].AllNeeded == 0 {
		return
	}
	simple := &c.Ways[at]
	fmt.Fprintf(b, "heddle finds %.0f%% of what the %s find, with %.0f%% of the characters.\n\n",
		100*c.Now.AllNeeded/simple.AllNeeded, lastThirty, 100*c.Now.Characters/max(simple.Characters, 1))
}

// head writes which channels were measured, what was hidden in them, and how good a
// share is.
func (c *Channel) head(b *strings.Builder) {
	for _, size := range c.Channels {
		fmt.Fprintf(b, "%s: %s, %s to %s\n", graph.OneLine(size.Name, 30), numbered(size.Messages, "message", "messages"), size.From.Format(dayFormat), size.To.Format(dayFormat))
	}
	hidden := "each is hidden in turn"
	if c.Replies == 1 {
		hidden = "it is hidden"
	}
	if c.Measured < c.Replies {
		hidden = thousands(c.Measured) + " of them, spread evenly, are hidden in turn"
	}
	p := c.Now.AllNeeded
	unsure := 100 * math.Sqrt(max(p*(1-p), 0.01)/float64(c.Measured))
	fmt.Fprintf(b, "%s; %s.\nHow often is the message that was replied to found in what is sent, among how\nmany? With so many replies a share is good to ± %.1f%%.\n\n", numbered(c.Replies, "reply", "replies"), hidden, unsure)
}

// numbered returns a number with its noun in the singular or plural.
func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

const dayFormat = "2 Jan 2006"

// thousands returns a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Columns of the bars.
const (
	nameColumns = 21
	barColumns  = 16
)

// bars compares the simpler strategies with heddle, with the settings in effect and
// with the recommended ones.
func (c *Channel) bars(b *strings.Builder) {
	rows := slices.Concat(c.Ways, []Tried{c.Now})
	if better := c.better(); better != nil {
		row := *better
		row.Strategy = "heddle, recommended"
		rows = append(rows, row)
	}
	fmt.Fprintf(b, "%-*s %-*s %7s %8s %10s\n", nameColumns, "", barColumns, "", "found", "messages", "characters")
	for i := range rows {
		r := &rows[i]
		full := int(r.AllNeeded*barColumns + 0.5)
		bar := strings.Repeat("█", full) + strings.Repeat("░", barColumns-full)
		fmt.Fprintf(b, "%-*s %s %6.1f%% %8.1f %10.0f\n", nameColumns, r.Strategy, bar, 100*r.AllNeeded, r.Messages, r.Characters)
	}
	b.WriteString("\n")
}

// better returns the recommended settings if they differ from those in effect, and
// otherwise nil.
func (c *Channel) better() *Tried {
	if c.Recommended == nil || *c.Recommended.Thresholds == *c.Now.Thresholds {
		return nil
	}
	return c.Recommended
}

// advice ends the report with what other settings would gain and cost, and those to change.
func (c *Channel) advice(b *strings.Builder) {
	switch {
	case c.Recommended == nil:
		fmt.Fprintf(b, "%d replies are too few to recommend settings from; %d or more are needed.\n", c.Measured, leastReplies)
	case c.better() == nil:
		fmt.Fprintf(b, "Of %d other settings that were tried none is clearly better: keep yours.\n", len(c.Grid))
	default:
		fmt.Fprintf(b, "Of %d other settings that were tried these are the best. In .env:\n\n", len(c.Grid))
		for _, line := range c.Recommended.Thresholds.changes(c.Now.Thresholds) {
			b.WriteString(line + "\n")
		}
	}
}
