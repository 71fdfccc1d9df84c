package phrases

import "heddle/graph"

// Reason is why a message was chosen, with what people call the message that it is about.
type Reason struct {
	*graph.Reason

	Name string
	Same bool // both are by the same person, so that the newer one continues the older one
}

// Reason returns a reason in words.
func (l Language) Reason(r Reason) string {
	values := Values{"From": r.Name, "Sure": l.Sure(r.Probability), "Gap": l.Roughly(r.Gap)}
	switch r.Kind {
	case graph.ReasonSeed:
		return l.Text(WhyNewest, nil)
	case graph.ReasonTemporal:
		return l.Text(WhyNeighbour, values)
	case graph.ReasonNeeded:
		return l.Text(WhyNeeded, nil)
	case graph.ReasonRead:
		return l.Text(WhyRead, Values{"Model": r.By})
	case graph.ReasonLineage:
		return l.Text(WhyLineage, nil)
	case graph.ReasonRecalled:
		return l.Text(WhyShares, nil)
	case graph.ReasonReference, graph.ReasonAnswer:
	}
	var does, done ID // what the message does to the other, and the other to it
	switch r.Reference {
	case graph.ReferenceReply:
		does, done = WhyReplies, WhyRepliedTo
	case graph.ReferenceStarter:
		does, done = WhyStarter, WhyStarter
	case graph.ReferenceForward:
		does, done = WhyForwarded, WhyForwarded
	case graph.ReferenceLink:
		does, done = WhyLinks, WhyLinked
	case graph.ReferenceAddress, graph.ReferenceInferred:
		does, done = WhyAnswers, WhyAnswered
		if r.Weak() {
			does, done = WhyWeak, WhyWeak
		} else if r.Same {
			does, done = WhyContinues, WhyContinued
		}
	}
	if r.Kind == graph.ReasonAnswer {
		return l.Text(does, values)
	}
	return l.Text(done, values)
}

// From these probabilities on something is likely or sure.
const (
	likely = 0.5
	surely = 0.8
)

// Sure returns how likely something is in a word.
func (l Language) Sure(probability float64) string {
	switch {
	case probability >= surely:
		return l.Text(WhySurely, nil)
	case probability >= likely:
		return l.Text(WhyLikely, nil)
	}
	return l.Text(WhyPerhaps, nil)
}

// Stop returns why reading ended, or "" if that explains nothing.
func (l Language) Stop(s *graph.Seal) string {
	switch s.Why {
	case graph.SealGap:
		return l.Text(WhyStopGap, Values{"Gap": l.Roughly(s.Gap)})
	case graph.SealAffinity:
		return l.Text(WhyStopOther, nil)
	case graph.SealChannel:
		if s.Direction == graph.Older {
			return l.Text(WhyStopBegin, nil)
		}
	case graph.SealBudget:
		return l.Text(WhyStopRoom, nil)
	case graph.SealUnreadable:
		return l.Text(WhyStopDenied, nil)
	case graph.SealTrigger:
	}
	return "" // the channel's end and the question itself explain nothing
}
