package why

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
)

// The numbers of entries that are shown of long lists.
const (
	passedShown  = 15
	reasonsShown = 3
	leastReason  = 16
	mostReason   = 36
)

// report is an explanation as text.
type report struct {
	page

	graph   *graph.Graph
	shown   Graph // the same, described
	named   *phrases.Naming
	numbers map[graph.MessageID]string // of the messages that are sent, oldest first
	home    string                     // the channel
	people  map[string]string          // names by ids
	self    bool                       // heddle's account is known
	above   bool                       // the channel of a thread was exported, too
}

// text completes the explanation for people.
func (r *report) text(o *Options, c *Choice) string {
	r.graph, r.page = c.Graph, page{width: cmp.Or(o.Columns, pageWidth), zone: cmp.Or(o.Zone, time.UTC)}
	r.numbers = map[graph.MessageID]string{}
	sent := slices.Concat(c.Graph.Conversation, c.Graph.Background, c.Graph.Recalled)
	slices.SortFunc(sent, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	for i := range sent {
		r.numbers[sent[i].Message.ID] = strconv.Itoa(i + 1)
	}
	r.named = phrases.In().Naming(c.Graph, func(m *graph.Message) string {
		if number := r.numbers[m.ID]; number != "" {
			return "no. " + number
		}
		return ""
	})
	r.shown = graphOf(c.Graph, r.named)
	r.today = r.date(&r.shown.Trigger)
	r.heading(o.Bot.Expand)
	r.besides(c)
	r.section("Conversation", r.shown.Conversation)
	r.section("Background, from other talks", r.shown.Background)
	r.section("Recalled, older messages of this channel", r.shown.Recalled)
	passed := likeliest(r.shown.Explored, passedShown)
	r.section("Read and passed by", passed)
	if left := len(r.shown.Explored) - len(passed); left > 0 {
		r.line(fmt.Sprintf("       and %d more, less likely or older", left))
	}
	r.seals()
	r.lost()
	r.title("What the model is told besides")
	for _, line := range c.Told() {
		r.item(line)
	}
	return r.b.String()
}

// likeliest returns the nodes with the highest probability, at most most of them, in
// their order. Of equals it takes the newest.
func likeliest(nodes []Node, most int) []Node {
	if len(nodes) <= most {
		return nodes
	}
	sorted := slices.Clone(nodes)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Node) int { return cmp.Compare(b.Probability, a.Probability) })
	return slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool {
		return slices.ContainsFunc(sorted[most:], func(left Node) bool { return left.ID == n.ID })
	})
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
		r.item(fmt.Sprintf("%s: %s, %d characters; %d of them are among heddle's", b.Strategy, terminal.Count(len(b.Messages), "message"), b.Characters, both))
	}
}

// heading writes the question, the number of messages that heddle takes, and the
// settings.
func (r *report) heading(options graph.Options) {
	asks := &r.shown.Trigger
	asked := fmt.Sprintf("%s in #%s, %s: ", short(asks.Name, nameWidth), short(r.home, 24), r.today+", "+r.clock(asks))
	if len(asked) > r.width/2 {
		r.line(strings.TrimSuffix(asked, ": "))
		r.line("  " + short(r.says(asks), r.width-2))
	} else {
		r.line(asked + short(r.says(asks), r.width-len(asked)))
	}
	r.b.WriteString("\n")
	takes := "heddle answers from " + terminal.Count(len(r.shown.Conversation), "message")
	if len(r.shown.Conversation) == 0 {
		takes = "heddle answers from the question alone"
	}
	if n := len(r.shown.Background); n > 0 {
		takes += fmt.Sprintf(", and is shown %d of other talks as background", n)
	}
	if n := len(r.shown.Recalled); n > 0 {
		takes += fmt.Sprintf(", and from %d older ones that it recalls", n)
	}
	who := "The question mentions no bot; --self ID says which author is heddle."
	if r.self {
		who = r.own()
	}
	r.paragraph(takes + ". " + who)
	threshold, affinity := evaluation.ShortSpan(r.graph.Threshold), "on"
	switch {
	case options.TimeThreshold != graph.AutoThreshold:
	case r.graph.Threshold == math.MaxInt64: // too little was said to tell
		threshold = "auto, here any pause"
	default:
		threshold = "auto, here " + phrases.In().Roughly(r.graph.Threshold)
	}
	if options.Affinity == nil {
		affinity = "off"
	}
	r.paragraph(fmt.Sprintf("MIN_LINEAR %d, MAX_TOTAL %d, TIME_THRESHOLD %s, AFFINITY %s. Times are %s.",
		options.MinLinear, options.MaxTotal, threshold, affinity, asks.Time.In(r.zone).Format("MST")))
}

// mentions matches mentions of people whose names a message does not hold.
var mentions = regexp.MustCompile(`<@!?[0-9]{1,20}>`)

// says returns what a message says, with the names of those whom it mentions.
func (r *report) says(n *Node) string {
	return mentions.ReplaceAllStringFunc(n.Text, func(written string) string {
		return "@" + cmp.Or(r.people[strings.Trim(written, "<@!>")], "someone")
	})
}

// own returns a sentence about heddle's own messages, if there are any.
func (r *report) own() string {
	all := slices.Concat(r.shown.Conversation, r.shown.Background, r.shown.Explored)
	at := slices.IndexFunc(all, func(n Node) bool { return n.Origin == graph.OriginSelf.String() })
	if at < 0 {
		return ""
	}
	return "Its own messages are those of " + short(all[at].Name, nameWidth) + "."
}

// section writes messages, each with the reasons why it was read.
func (r *report) section(title string, nodes []Node) {
	if len(nodes) == 0 {
		return
	}
	r.title(title)
	c, why := r.columns(nodes)
	for i := range nodes {
		n := &nodes[i]
		r.under(n)
		line := fmt.Sprintf("  %3s  %s  %s  %s", r.numbers[n.ID], r.clock(n), padded(short(n.Name, nameWidth), c.names), padded(short(r.says(n), c.texts), c.texts))
		if c.sure > 0 {
			line += "  " + padded(n.Sure, c.sure-2)
		}
		for k, reason := range why[i] {
			if k > 0 {
				line = strings.Repeat(" ", c.left+c.texts+c.sure)
			}
			r.line(line + "  " + reason)
		}
	}
}

// columns is the widths of the columns of a section.
type columns struct {
	names int
	left  int // of all columns before the text
	texts int
	sure  int // 0 if nothing is said of how likely messages belong
}

// columns fits the columns of a section to its messages. It also returns the lines with
// the reasons of each message.
func (r *report) columns(nodes []Node) (c columns, why [][]string) {
	for i := range nodes {
		c.names = max(c.names, width(short(nodes[i].Name, nameWidth)))
		if sure := nodes[i].Sure; sure != "" {
			c.sure = max(c.sure, 2+width(sure))
		}
	}
	c.left = 2 + 3 + 2 + 5 + 2 + c.names + 2
	right := r.width - c.left - c.sure - 2 // for the text and the reasons
	widest := 0
	for i := range nodes {
		lines := reasons(&nodes[i], min(max(right-leastText, leastReason), mostReason))
		for _, line := range lines {
			widest = max(widest, width(line))
		}
		why = append(why, lines)
	}
	c.texts = max(right-widest, leastText)
	return c, why
}

// reasons returns the lines that explain why a message was read.
func reasons(n *Node, columns int) []string {
	var lines []string
	for i, r := range n.Reasons {
		if i == reasonsShown {
			lines = append(lines, fmt.Sprintf("and %d more", len(n.Reasons)-i))
			break
		}
		lines = append(lines, wrapped(r.Text, columns)...)
	}
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// seals writes where and why walking ended.
func (r *report) seals() {
	var whys []string
	sides := map[string][]string{}
	for i := range r.graph.Seals {
		s := &r.graph.Seals[i]
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
		sides[why] = append(sides[why], side+r.named.Name(s.At))
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
		return r.named.Stop(s)
	}
	if s.Direction == graph.Older {
		return "the export begins here"
	}
	return "the export ends here"
}

// lost writes the references that could not be followed.
func (r *report) lost() {
	var lines []string
	hint := false
	for i := range r.graph.Edges {
		e := &r.graph.Edges[i]
		if e.Kind == graph.EdgeReference && e.State != graph.ReferenceResolved && e.Reference != graph.ReferenceAddress {
			lines = append(lines, fmt.Sprintf("the %s of %s leads to what is not in the export", e.Reference, r.named.Name(e.From)))
			hint = hint || e.Reference == graph.ReferenceStarter && !r.above
		}
	}
	if hint {
		lines = append(lines, "a thread starts in the channel above: give its export, too")
	}
	if len(lines) > 0 {
		r.title("What could not be followed")
	}
	for _, line := range lines {
		r.item(line)
	}
}
