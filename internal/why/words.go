package why

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"heddle/graph"
)

// words describes a graph in sentences. They call messages by number or by the names of
// their authors.
type words struct {
	g       *graph.Graph
	names   map[graph.MessageID]string
	authors map[graph.MessageID]graph.UserID
}

// wordsByName returns words that call messages by the names of their authors.
func wordsByName(g *graph.Graph) *words {
	w := &words{g: g, names: map[graph.MessageID]string{}, authors: map[graph.MessageID]graph.UserID{}}
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Explored} {
		for i := range nodes {
			m := nodes[i].Message
			w.names[m.ID], w.authors[m.ID] = graph.Apart(graph.OneLine(m.Name, nameWidth)), m.Author
		}
	}
	w.names[g.Trigger.ID], w.authors[g.Trigger.ID] = "the question", g.Trigger.Author
	return w
}

// wordsByNumber returns words that call messages by number, and the numbers. The messages
// that are sent are numbered, oldest first.
func wordsByNumber(g *graph.Graph) (*words, map[graph.MessageID]int) {
	w := wordsByName(g)
	w.names = map[graph.MessageID]string{}
	sent := slices.Concat(g.Conversation, g.Background)
	slices.SortFunc(sent, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	numbers := map[graph.MessageID]int{}
	for i := range sent {
		id := sent[i].Message.ID
		numbers[id], w.names[id] = i+1, fmt.Sprintf("no. %d", i+1)
	}
	w.names[g.Trigger.ID] = "the question"
	return w, numbers
}

// named returns what sentences call a message.
func (w *words) named(id graph.MessageID) string {
	if name := w.names[id]; name != "" {
		return name
	}
	return "another message"
}

// reason describes a reason for the message of a node.
func (w *words) reason(n *graph.Node, r *graph.Reason) string {
	from := w.named(r.From)
	switch r.Kind {
	case graph.ReasonSeed:
		return "among the newest"
	case graph.ReasonTemporal:
		return fmt.Sprintf("next to %s, %s apart", from, span(r.Gap))
	case graph.ReasonLineage:
		return "from an earlier question of this conversation"
	case graph.ReasonReference, graph.ReasonAnswer:
	}
	if r.Reference == graph.ReferenceInferred {
		return w.inferred(n, r)
	}
	if r.Kind == graph.ReasonAnswer {
		if r.Reference == graph.ReferenceLink {
			return "links to " + from
		}
		return "replies to " + from
	}
	switch r.Reference {
	case graph.ReferenceReply:
		return from + " replies to it"
	case graph.ReferenceStarter:
		return "the thread of " + from + " starts with it"
	case graph.ReferenceForward:
		return from + " forwards it"
	case graph.ReferenceLink, graph.ReferenceAddress, graph.ReferenceInferred: // an address leads to no message
	}
	return from + " links to it"
}

// inferred describes a link that the affinity inferred. Of two messages of one person,
// the newer one continues the older one.
func (w *words) inferred(n *graph.Node, r *graph.Reason) string {
	from := w.named(r.From)
	verb := "answer"
	if author, known := w.authors[r.From]; known && author == n.Message.Author {
		verb = "continue"
	}
	switch {
	case r.Weak():
		return "may belong with " + from
	case r.Kind == graph.ReasonAnswer:
		return fmt.Sprintf("may %s %s, %s", verb, from, percent(r.Probability))
	}
	return fmt.Sprintf("%s may %s it, %s", from, verb, percent(r.Probability))
}

// seal describes why a side was closed.
func (w *words) seal(s *graph.Seal) string {
	switch s.Why {
	case graph.SealGap:
		return fmt.Sprintf("a gap of %s; up to %s is walked across", span(s.Gap), span(w.g.Threshold))
	case graph.SealAffinity:
		return "what follows belongs to other talks"
	case graph.SealChannel:
		if s.Direction == graph.Older {
			return "the channel begins here"
		}
		return "the channel ends here"
	case graph.SealUnreadable:
		return "heddle may not read further"
	case graph.SealTrigger:
		return "nothing after the question is read"
	case graph.SealBudget:
	}
	if s.Beyond != 0 {
		return "there was no more room"
	}
	return "no more was loaded"
}

// span describes a duration in its two largest units.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	units := []struct {
		size time.Duration
		name string
	}{{day, " d"}, {time.Hour, " h"}, {time.Minute, " min"}, {time.Second, " s"}}
	for i, unit := range units {
		if d < unit.size {
			continue
		}
		whole := strconv.FormatInt(int64(d/unit.size), 10) + unit.name
		if i+1 < len(units) {
			if rest := d % unit.size / units[i+1].size; rest > 0 {
				return whole + " " + strconv.FormatInt(int64(rest), 10) + units[i+1].name
			}
		}
		return whole
	}
	if d > 0 {
		return "under 1 s"
	}
	return "0 s"
}

func percent(p float64) string { return strconv.Itoa(int(p*100+0.5)) + " %" }
