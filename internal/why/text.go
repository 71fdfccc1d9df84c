package why

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
)

// The numbers of entries that are shown of long lists.
const (
	passedShown  = 15
	reasonsShown = 3
)

// chosenTitle is the title of the messages of which it is said how likely they belong.
const chosenTitle = "Conversation"

// report is an explanation as text that is being written.
type report struct {
	b       strings.Builder
	g       *graph.Graph
	words   *words
	numbers map[graph.MessageID]int
	zone    *time.Location
	home    string // the channel
	self    bool   // heddle's account is known
	day     string // the day of the row before, or of the trigger
}

// text completes the explanation for people.
func (r *report) text(o *Options, c *Choice) string {
	r.g, r.zone = c.Graph, cmp.Or(o.Zone, time.UTC)
	r.words, r.numbers = wordsByNumber(c.Graph)
	r.heading(o.Bot.Expand)
	r.besides(c)
	r.section(chosenTitle, r.g.Conversation)
	r.section("Background, from other talks", r.g.Background)
	r.section("Recalled, older messages of this channel", r.g.Recalled)
	passed := likeliest(r.g.Explored, passedShown)
	r.section("Read and passed by", passed)
	if left := len(r.g.Explored) - len(passed); left > 0 {
		r.item(fmt.Sprintf("and %d more, less likely or older", left))
	}
	r.seals()
	r.lost()
	r.title("What the model is told besides")
	for _, line := range c.Told() {
		r.item(line)
	}
	return r.b.String()
}

// title begins a part of the text.
func (r *report) title(text string) {
	r.b.WriteString("\n" + text + "\n")
	r.day = r.date(&r.g.Trigger)
}

// item writes text as an item of a list.
func (r *report) item(text string) { r.b.WriteString(terminal.Wrap(text, 2)) }

// date returns the day on which a message was sent.
func (r *report) date(m *graph.Message) string {
	return m.Time.In(r.zone).Format("Monday, 2 January 2006")
}

// clock returns the time of day of a message.
func (r *report) clock(m *graph.Message) string { return m.Time.In(r.zone).Format("15:04") }

// likeliest returns the nodes with the highest probability, at most most of them, in
// their order. Of equals it takes the newest.
func likeliest(nodes []graph.Node, most int) []graph.Node {
	if len(nodes) <= most {
		return nodes
	}
	sorted := slices.Clone(nodes)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b graph.Node) int { return cmp.Compare(b.Probability, a.Probability) })
	sorted = sorted[:most]
	slices.SortFunc(sorted, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	return sorted
}

// besides writes how many messages each strategy takes, and how many of them heddle does.
func (r *report) besides(c *Choice) {
	if len(c.Beside) == 0 {
		return
	}
	taken := besideOf("heddle", slices.Concat(graph.Messages(c.Graph.Conversation), graph.Messages(c.Graph.Background), graph.Messages(c.Graph.Recalled)))
	r.title("What other strategies take")
	r.item(fmt.Sprintf("heddle: %s, %d characters", terminal.Count(len(taken.Messages), "message"), taken.Characters))
	for _, b := range c.Beside {
		both := 0
		for _, id := range b.Messages {
			if slices.Contains(taken.Messages, id) {
				both++
			}
		}
		r.item(fmt.Sprintf("%s: %s, %d characters; heddle takes %d of them", b.Strategy, terminal.Count(len(b.Messages), "message"), b.Characters, both))
	}
}

// heading writes the question, the number of messages that heddle takes, and the
// settings.
func (r *report) heading(options graph.Options) {
	m := &r.g.Trigger
	fmt.Fprintf(&r.b, "%s in #%s, %s, %s\n", graph.OneLine(m.Name, nameWidth), graph.OneLine(r.home, 24), r.date(m), r.clock(m))
	r.b.WriteString("  " + graph.OneLine(m.Says(), terminal.Width-2) + "\n\n")
	takes := "heddle answers from " + terminal.Count(len(r.g.Conversation), "message")
	if len(r.g.Conversation) == 0 {
		takes = "heddle answers from the question alone"
	}
	if n := len(r.g.Background); n > 0 {
		takes += fmt.Sprintf(", and is shown %d of other talks as background", n)
	}
	if n := len(r.g.Recalled); n > 0 {
		takes += fmt.Sprintf(", and from %d older ones that it recalls", n)
	}
	takes += "."
	if !r.self {
		takes += " The question mentions no bot; --self ID says which author is heddle."
	}
	threshold, affinity := evaluation.ShortSpan(r.g.Threshold.Round(time.Second)), "on"
	if options.TimeThreshold == graph.AutoThreshold {
		threshold = "auto, here " + threshold
	}
	if options.Affinity == nil {
		affinity = "off"
	}
	r.b.WriteString(terminal.Wrap(takes, 0) + terminal.Wrap(fmt.Sprintf("MIN_LINEAR %d, MAX_TOTAL %d, TIME_THRESHOLD %s, AFFINITY %s. Times are %s.",
		options.MinLinear, options.MaxTotal, threshold, affinity, m.Time.In(r.zone).Format("MST")), 0))
}

// section writes messages, each with the reasons why it was read below it.
func (r *report) section(title string, nodes []graph.Node) {
	if len(nodes) == 0 {
		return
	}
	r.title(title)
	for i := range nodes {
		m := nodes[i].Message
		if day := r.date(m); day != r.day {
			r.b.WriteString("       " + day + "\n")
			r.day = day
		}
		number := ""
		if n, sent := r.numbers[m.ID]; sent {
			number = strconv.Itoa(n)
		}
		line := fmt.Sprintf("  %3s  %s  ", number, r.clock(m))
		if title == chosenTitle {
			line += fmt.Sprintf("%-7s  ", r.words.sure(&nodes[i]))
		}
		said := graph.OneLine(m.Name, nameWidth) + ": " + m.Says()
		r.b.WriteString(line + graph.OneLine(said, terminal.Width-len(line)) + "\n" + terminal.Wrap(r.reasons(&nodes[i]), len(line)))
	}
}

// reasons returns why a message was read.
func (r *report) reasons(n *graph.Node) string {
	var all []string
	because := n.Because()
	for i := range because[:min(len(because), reasonsShown)] {
		all = append(all, r.words.reason(n, &because[i]))
	}
	if more := len(because) - reasonsShown; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// seals writes where and why walking ended.
func (r *report) seals() {
	var whys []string
	sides := map[string][]string{}
	for i := range r.g.Seals {
		s := &r.g.Seals[i]
		why, side := r.sealed(s), "before "
		if s.Direction == graph.Newer {
			side = "after "
		}
		if why == "" {
			continue
		}
		if sides[why] == nil {
			whys = append(whys, why)
		}
		sides[why] = append(sides[why], side+r.words.named(s.At))
	}
	if len(whys) > 0 {
		r.title("Where it stopped")
	}
	for _, why := range whys {
		r.item(why + ": " + strings.Join(sides[why], ", "))
	}
}

// sealed returns why a direction was sealed. At the end of an export the channel may
// continue.
func (r *report) sealed(s *graph.Seal) string {
	if s.Why != graph.SealChannel {
		return r.words.language.Stop(s)
	}
	if s.Direction == graph.Older {
		return "the export begins here"
	}
	return "the export ends here"
}

// lost writes the references that could not be followed.
func (r *report) lost() {
	var lines []string
	for i := range r.g.Edges {
		e := &r.g.Edges[i]
		if e.Kind != graph.EdgeReference || e.State == graph.ReferenceResolved || e.Reference == graph.ReferenceAddress {
			continue
		}
		line := fmt.Sprintf("the %s of %s leads to what is not in the export", e.Reference, r.words.named(e.From))
		if e.Reference == graph.ReferenceStarter {
			line += "; a thread starts in the channel above, whose export can be given, too"
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		r.title("What could not be followed")
	}
	for _, line := range lines {
		r.item(line)
	}
}
