package evaluation

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"heddle/graph"
)

// WriteText writes the result as text, in lines of at most 80 columns.
func (c *Channel) WriteText(w io.Writer) error {
	var b strings.Builder
	c.verdict(&b)
	c.head(&b)
	c.bars(&b)
	c.frontier(&b)
	c.advice(&b)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// verdict writes in three lines what kind of channel it is, what any bot would find there, and what
// heddle finds and at what cost.
func (c *Channel) verdict(b *strings.Builder) {
	at := slices.IndexFunc(c.Ways, func(way Tried) bool { return way.Name == lastThirty })
	if at < 0 || c.Ways[at].Parents.Sent == 0 {
		return
	}
	simple, now := c.Ways[at].Parents, c.Now.Parents
	const apart, busy = 0.2, 5 * 60 // seconds
	other := simple.OtherChains / simple.Sent
	kind := "A slow channel"
	switch {
	case other < apart:
		kind = "A single conversation"
	case c.Pace <= busy:
		kind = "A busy channel"
	}
	pace := time.Duration(c.Pace * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(b, "%s: a message every %s; of the last 30, %.0f%% in other chains.\n", kind, ShortSpan(pace), 100*other)
	fmt.Fprintf(b, "Any bot finds %.1f%% in the last 30: %.1f messages, %s characters.\n", 100*simple.InSent, simple.Sent, thousands(int(simple.Characters)))
	fmt.Fprintf(b, "heddle finds %.1f%% in %.1f messages, %s characters; noise: up to %.1f.\n\n", 100*now.InSent, now.Sent, thousands(int(now.Characters)), now.OtherChains)
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
	fmt.Fprintf(b, "%s; %s.\nHow often is the message that was replied to found in what is sent, among how\nmany? Other chains of replies are mostly other talks; of messages without any\nreply it cannot be told. With so many replies a share is good to ± %.1f%%.\n\n", numbered(c.Replies, "reply", "replies"), hidden, 100*c.Now.Parents.unsure())
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
func thousands(n int) string { return message.NewPrinter(language.English).Sprint(n) }

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
		rows = append(rows, Tried{Name: "heddle, recommended", Parents: better.Parents})
	}
	fmt.Fprintf(b, "%-*s %-*s %7s %8s %12s %11s\n", nameColumns, "", barColumns, "", "found", "messages", "other chains", "cannot tell")
	for i := range rows {
		p := rows[i].Parents
		fmt.Fprintf(b, "%-*s %s %6.1f%% %8.1f %12.1f %11.1f\n", nameColumns, rows[i].Name, bar(p.InSent), 100*p.InSent, p.Sent, p.OtherChains, p.Untold)
	}
	b.WriteString("\n")
}

// bar draws a share as a bar.
func bar(share float64) string {
	full := int(share*barColumns + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", barColumns-full)
}

// better returns the recommended settings if they differ from those in effect, and
// otherwise nil.
func (c *Channel) better() *Tried {
	if c.Recommended == nil || *c.Recommended.Thresholds == *c.Now.Thresholds {
		return nil
	}
	return c.Recommended
}

// frontier lists the settings for which no others find more with as few messages.
func (c *Channel) frontier(b *strings.Builder) {
	best := efficient(c.Grid)
	fmt.Fprintf(b, "Of %d settings, those that find the most for their number of messages:\n\n", len(c.Grid))
	fmt.Fprintf(b, "%10s %9s %14s %8s %9s %9s %13s\n", "MIN_LINEAR", "MAX_TOTAL", "TIME_THRESHOLD", "AFFINITY", "found", "messages", "other chains")
	for i := range best {
		t, p := best[i].Thresholds, best[i].Parents
		fmt.Fprintf(b, "%10d %9d %14s %8s %8.1f%% %9.1f %13.1f\n", t.MinLinear, t.MaxTotal, t.TimeThreshold, t.Affinity, 100*p.InSent, p.Sent, p.OtherChains)
	}
	b.WriteString("\n")
}

// efficient returns those of tried that find more than all others with as few messages,
// in the order of their messages.
func efficient(tried []Tried) []Tried {
	sorted := slices.Clone(tried)
	slices.SortStableFunc(sorted, func(a, b Tried) int {
		return cmp.Or(cmp.Compare(a.Parents.Sent, b.Parents.Sent), cmp.Compare(b.Parents.InSent, a.Parents.InSent),
			cmp.Compare(b.Parents.InConversation, a.Parents.InConversation))
	})
	var best []Tried
	for i := range sorted {
		if len(best) == 0 || sorted[i].Parents.InSent > best[len(best)-1].Parents.InSent {
			best = append(best, sorted[i])
		}
	}
	return best
}

// advice ends the report with what other settings would gain and cost, and those to change.
func (c *Channel) advice(b *strings.Builder) {
	switch {
	case c.Recommended == nil:
		fmt.Fprintf(b, "%d replies are too few to recommend settings from; %d or more are needed.\n", c.Measured, leastReplies)
	case c.better() == nil:
		fmt.Fprintf(b, "Yours: %s.\nNo setting that was tried is clearly better: keep them.\n", c.Now.Parents.cost())
	default:
		fmt.Fprintf(b, "Yours: %s.\nRecommended: %s.\nIn .env:\n\n", c.Now.Parents.cost(), c.Recommended.Parents.cost())
		for _, line := range c.Recommended.Thresholds.changes(c.Now.Thresholds) {
			b.WriteString(line + "\n")
		}
	}
}

// cost returns in words what is found and what is sent for it.
func (p Parents) cost() string {
	return fmt.Sprintf("%.1f%% found, with %.1f messages, %.1f of them in other chains", 100*p.InSent, p.Sent, p.OtherChains)
}
