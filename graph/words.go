package graph

import (
	"fmt"
	"slices"
)

// Words describes a graph in sentences. The messages that are sent are numbered,
// oldest first; the trigger has the last number.
type Words struct {
	g       *Graph
	numbers map[MessageID]int
}

// Words numbers the graph's messages.
func (g *Graph) Words() Words {
	w := Words{g: g, numbers: map[MessageID]int{}}
	sent := slices.Concat(g.Conversation, g.Background)
	slices.SortFunc(sent, func(a, b Node) int { return byPosition(a.Message, b.Message) })
	for i := range sent {
		w.numbers[sent[i].Message.ID] = i + 1
	}
	w.numbers[g.Trigger.ID] = len(sent) + 1
	return w
}

// Number is a message's number; 0 where it is not sent.
func (w Words) Number(id MessageID) int { return w.numbers[id] }

// Named is what a message is called in a sentence.
func (w Words) Named(id MessageID) string {
	if id == w.g.Trigger.ID {
		return "the question"
	}
	if number := w.numbers[id]; number != 0 {
		return fmt.Sprintf("no. %d", number)
	}
	return "another message"
}

// Reason describes what led to a message.
func (w Words) Reason(r *Reason) string {
	from := w.Named(r.From)
	switch r.Kind {
	case ReasonSeed:
		return "among the newest"
	case ReasonTemporal:
		return fmt.Sprintf("next to %s, %s apart", from, Span(r.Gap))
	case ReasonLineage:
		return "an earlier answer was made from it"
	case ReasonAnswer:
		if r.Reference == ReferenceInferred {
			return fmt.Sprintf("seems to answer %s, %s", from, Percent(r.Probability))
		}
		return "replies to " + from
	case ReasonReference:
	}
	switch r.Reference {
	case ReferenceReply:
		return from + " replies to it"
	case ReferenceStarter:
		return "the thread of " + from + " starts with it"
	case ReferenceForward:
		return from + " forwards it"
	case ReferenceInferred:
		return fmt.Sprintf("%s seems to answer it, %s", from, Percent(r.Probability))
	case ReferenceAddress:
	}
	return from + " addresses its author"
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

// Lost describes why references led to nothing, in the order of the edges.
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
	case ReferenceNotLoaded, ReferenceResolved:
	}
	return "the message was not read"
}
