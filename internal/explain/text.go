package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
)

// The numbers of entries that are shown of long lists.
const (
	passedShown  = 15
	reasonsShown = 3
	leastReason  = 16
	mostReason   = 32
)

// report is an explanation as text.
type report struct {
	page

	c     *conversation
	g     *graph.Graph
	words graph.Words
}

// text returns the explanation for people.
func (o *Options) text(c *conversation, g *graph.Graph, others []taken) string {
	r := report{c: c, g: g, words: g.Words(), page: page{
		width: cmp.Or(o.Columns, pageWidth), zone: o.Zone, colour: o.Colour,
	}}
	if r.zone == nil {
		r.zone = time.UTC
	}
	r.today = r.date(&g.Trigger)
	r.heading(o.Expand)
	if len(others) > 0 {
		r.besides(others)
		return r.b.String()
	}
	r.section("Conversation", plain, g.Conversation)
	r.section("Background, from other talks", plain, g.Background)
	passed := graph.Likeliest(g.Explored, passedShown)
	r.section("Read and passed by", faint, passed)
	if left := len(g.Explored) - len(passed); left > 0 {
		r.line(faint, fmt.Sprintf("       and %d more, less likely or older", left))
	}
	r.seals()
	r.lost()
	return r.b.String()
}

// heading writes the question, the number of messages that heddle takes, and the
// settings.
func (r *report) heading(options graph.Options) {
	m := &r.g.Trigger
	asked := fmt.Sprintf("%s in #%s, %s: ", short(m.Name, nameWidth), short(r.c.home.Name, 24), r.today+", "+r.clock(m))
	if len(asked) > r.width/2 {
		r.line(bold, strings.TrimSuffix(asked, ": "))
		r.line(bold, "  "+short(m.Says(), r.width-2))
	} else {
		r.line(bold, asked+short(m.Says(), r.width-len(asked)))
	}
	r.b.WriteString("\n")
	takes := "heddle answers from " + count(len(r.g.Conversation), "message")
	if len(r.g.Conversation) == 0 {
		takes = "heddle answers from the question alone"
	}
	if n := len(r.g.Background); n > 0 {
		takes += fmt.Sprintf(", and is shown %d of other talks as background", n)
	}
	r.paragraph(takes + ". " + r.who())
	threshold, affinity := "auto, here "+graph.Span(r.g.Threshold), "on"
	if options.TimeThreshold != graph.AutoThreshold {
		threshold = graph.Span(r.g.Threshold)
	}
	if options.Affinity == nil {
		affinity = "off"
	}
	r.paragraph(fmt.Sprintf("MIN_LINEAR %d, MAX_TOTAL %d, TIME_THRESHOLD %s, AFFINITY %s. Times are %s.",
		options.MinLinear, options.MaxTotal, threshold, affinity, m.Time.In(r.zone).Format("MST")))
}

// who returns a description of the author that counts as heddle.
func (r *report) who() string {
	if r.c.self == 0 {
		return "The question mentions no bot; --self ID says which author is heddle."
	}
	for _, nodes := range [][]graph.Node{r.g.Conversation, r.g.Background, r.g.Explored} {
		for i := range nodes {
			if m := nodes[i].Message; m.Origin == graph.OriginSelf {
				return "Its own messages are those of " + short(m.Name, nameWidth) + "."
			}
		}
	}
	return ""
}

// section writes messages, each with the reasons why it was read.
func (r *report) section(title string, s style, nodes []graph.Node) {
	if len(nodes) == 0 {
		return
	}
	r.title(title)
	c, why := r.columns(nodes)
	for i := range nodes {
		m := nodes[i].Message
		r.under(m)
		number := ""
		if n := r.words.Number(m.ID); n != 0 {
			number = strconv.Itoa(n)
		}
		line := fmt.Sprintf("  %3s  %s  %s  %s", number, r.clock(m), padded(short(m.Name, nameWidth), c.names), padded(short(m.Says(), c.texts), c.texts))
		if c.chance > 0 {
			line += fmt.Sprintf("  %5s", graph.Percent(nodes[i].Probability))
		}
		for k, reason := range why[i] {
			if k > 0 {
				line = strings.Repeat(" ", c.left+c.texts+c.chance)
			}
			r.line(s, line+"  "+reason)
		}
	}
}

// columns is the widths of the columns of a section.
type columns struct {
	names  int
	left   int // of all columns before the text
	texts  int
	chance int // 0 if the graph has no probabilities
}

// columns fits the columns of a section to its messages. It also returns the lines with
// the reasons of each message.
func (r *report) columns(nodes []graph.Node) (c columns, why [][]string) {
	for i := range nodes {
		c.names = max(c.names, width(short(nodes[i].Message.Name, nameWidth)))
	}
	if r.g.Weighted() {
		c.chance = 7
	}
	c.left = 2 + 3 + 2 + 5 + 2 + c.names + 2
	right := r.width - c.left - c.chance - 2 // for the text and the reasons
	reasons := 0
	for i := range nodes {
		lines := r.reasons(&nodes[i], min(max(right-leastText, leastReason), mostReason))
		for _, line := range lines {
			reasons = max(reasons, width(line))
		}
		why = append(why, lines)
	}
	c.texts = max(right-reasons, leastText)
	return c, why
}

// reasons returns the lines that explain why a message was read.
func (r *report) reasons(n *graph.Node, columns int) []string {
	var lines []string
	because := n.Because()
	for i := range because {
		if i == reasonsShown {
			lines = append(lines, fmt.Sprintf("and %d more", len(because)-i))
			break
		}
		lines = append(lines, wrapped(r.words.Reason(n, &because[i]), columns)...)
	}
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// seals writes where and why walking ended.
func (r *report) seals() {
	if len(r.g.Seals) == 0 {
		return
	}
	r.title("Where it stopped")
	var whys []string
	sides := map[string][]string{}
	for i := range r.g.Seals {
		s := &r.g.Seals[i]
		why, side := r.sealed(s), "before "
		if s.Direction == graph.Newer {
			side = "after "
		}
		if sides[why] == nil {
			whys = append(whys, why)
		}
		sides[why] = append(sides[why], side+r.words.Named(s.At))
	}
	for _, why := range whys {
		r.item(why + ": " + strings.Join(sides[why], ", "))
	}
}

// sealed returns why a direction was sealed. At the end of an export the channel may
// continue.
func (r *report) sealed(s *graph.Seal) string {
	if s.Why != graph.SealChannel {
		return r.words.Seal(s)
	}
	if s.Direction == graph.Older {
		return "the export begins here"
	}
	return "the export ends here"
}

// lost writes the references that could not be followed.
func (r *report) lost() {
	var lines []string
	hint := ""
	for i := range r.g.Edges {
		e := &r.g.Edges[i]
		if e.Kind != graph.EdgeReference || e.State == graph.ReferenceResolved || e.Reference == graph.ReferenceAddress {
			continue
		}
		lines = append(lines, fmt.Sprintf("the %s of %s leads to what is not in the export", e.Reference, r.words.Named(e.From)))
		if e.Reference == graph.ReferenceStarter && !r.c.holds(r.c.parent) {
			hint = "a thread starts in the channel above: give its export, too"
		}
	}
	if len(lines) == 0 {
		return
	}
	r.title("What could not be followed")
	for _, line := range lines {
		r.item(line)
	}
	if hint != "" {
		r.item(hint)
	}
}

// holds reports whether an export of a channel is among the files.
func (c *conversation) holds(channel graph.ChannelID) bool {
	exports, _ := c.from.(files)
	return slices.ContainsFunc(exports, func(f file) bool { return f.head.Channel == channel })
}
