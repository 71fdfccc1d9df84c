package graph

import (
	"fmt"
	"slices"
)

// Words describes a graph in sentences. They call messages by number or by the names of
// their authors.
type Words struct {
	g       *Graph
	numbers map[MessageID]int
	authors map[MessageID]author
	call    func(Words, MessageID) string
}

type author struct {
	id   UserID
	name string
}

// Words returns Words that call messages by number. The messages that are sent are
// numbered, oldest first; the trigger has the last number.
func (g *Graph) Words() Words { return g.wordsThat(Words.byNumber) }

// WordsByName returns Words that call messages by the names of their authors.
func (g *Graph) WordsByName() Words { return g.wordsThat(Words.byName) }

// wordsThat returns Words that call messages by a function.
func (g *Graph) wordsThat(call func(Words, MessageID) string) Words {
	w := Words{g: g, numbers: map[MessageID]int{}, authors: map[MessageID]author{}, call: call}
	sent := slices.Concat(g.Conversation, g.Background)
	slices.SortFunc(sent, func(a, b Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	for i := range sent {
		w.numbers[sent[i].Message.ID] = i + 1
	}
	for _, nodes := range [][]Node{sent, g.Explored, {{Message: &g.Trigger}}} {
		for i := range nodes {
			m := nodes[i].Message
			w.authors[m.ID] = author{m.Author, Apart(OneLine(m.Name, nameWidth))}
		}
	}
	w.numbers[g.Trigger.ID] = len(sent) + 1
	return w
}

// Number returns a message's number, or 0 if it is not sent.
func (w Words) Number(id MessageID) int { return w.numbers[id] }

// Named returns what sentences call a message.
func (w Words) Named(id MessageID) string {
	if id == w.g.Trigger.ID {
		return "the question"
	}
	if name := w.call(w, id); name != "" {
		return name
	}
	return "another message"
}

func (w Words) byNumber(id MessageID) string {
	if number := w.numbers[id]; number != 0 {
		return fmt.Sprintf("no. %d", number)
	}
	return ""
}

func (w Words) byName(id MessageID) string { return w.authors[id].name }

// Reason describes a reason for the message of a node.
func (w Words) Reason(n *Node, r *Reason) string {
	from := w.Named(r.From)
	switch r.Kind {
	case ReasonSeed:
		return "among the newest"
	case ReasonTemporal:
		return fmt.Sprintf("next to %s, %s apart", from, Span(r.Gap))
	case ReasonLineage:
		return "from an earlier question of this conversation"
	case ReasonReference, ReasonAnswer:
	}
	if r.Reference == ReferenceInferred {
		return w.inferred(n, r)
	}
	if r.Kind == ReasonAnswer {
		if r.Reference == ReferenceLink {
			return "links to " + from
		}
		return "replies to " + from
	}
	switch r.Reference {
	case ReferenceReply:
		return from + " replies to it"
	case ReferenceStarter:
		return "the thread of " + from + " starts with it"
	case ReferenceForward:
		return from + " forwards it"
	case ReferenceLink, ReferenceAddress, ReferenceInferred: // an address leads to no message
	}
	return from + " links to it"
}

// inferred describes a link that the affinity inferred. Of two messages of one person,
// the newer one continues the older one.
func (w Words) inferred(n *Node, r *Reason) string {
	from := w.Named(r.From)
	verb := "answer"
	if other, known := w.authors[r.From]; known && other.id == n.Message.Author {
		verb = "continue"
	}
	switch {
	case r.weight() == weightWeak:
		return "may belong with " + from
	case r.Kind == ReasonAnswer:
		return fmt.Sprintf("seems to %s %s, %s", verb, from, Percent(r.Probability))
	}
	return fmt.Sprintf("%s seems to %s it, %s", from, verb, Percent(r.Probability))
}

// Seal describes why a side was closed.
func (w Words) Seal(s *Seal) string {
	switch s.Why {
	case SealGap:
		return fmt.Sprintf("a gap of %s; up to %s is walked across", Span(s.Gap), Span(w.g.Threshold))
	case SealAffinity:
		return "what follows belongs to other talks"
	case SealChannel:
		if s.Direction == Older {
			return "the channel begins here"
		}
		return "the channel ends here"
	case SealUnreadable:
		return "heddle may not read further"
	case SealTrigger:
		return "nothing after the question is read"
	case SealBudget:
	}
	if s.Beyond != 0 {
		return "there was no more room"
	}
	return "no more was loaded"
}

// Weighted reports whether any message that is sent has a probability below 1.
func (g *Graph) Weighted() bool {
	unsure := func(n Node) bool { return n.Probability < 1 }
	return slices.ContainsFunc(g.Conversation, unsure) || slices.ContainsFunc(g.Background, unsure)
}

// Lost describes why references led to no message, in the order of the edges.
func (w Words) Lost() []string {
	var lost []string
	for i := range w.g.Edges {
		e := &w.g.Edges[i]
		if e.Kind == EdgeReference && e.State != ReferenceResolved {
			lost = append(lost, fmt.Sprintf("the %s of %s: %s", e.Reference, w.Named(e.From), lostBecause(e.State)))
		}
	}
	return lost
}

func lostBecause(s ReferenceState) string {
	switch s {
	case ReferenceDeleted:
		return "the message was deleted"
	case ReferenceUnreadable:
		return "heddle may not read the message"
	case ReferenceWithheld:
		return "the message is by somebody who opted out"
	case ReferenceNotLoaded, ReferenceResolved:
	}
	return "the message was not read"
}
