package path

import "heddle/graph"

// Retention defines which old messages of a long conversation stay. The zero Retention
// keeps all of them. The token budget overrides it.
type Retention struct {
	// Base is the number of characters (Unicode code points) at the end of the
	// conversation that always stay, in whole messages.
	Base int
	// Recent is the number of the newest messages before the trigger that always stay.
	Recent int
	// Always is the least confidence with which an answer and its request stay. Spaced
	// is the least confidence with which they stay at every Every-th position; if Every
	// is 0, at none.
	Always, Spaced float64
	Every          int
	// Step is the number of positions that are judged at a time. Between two steps no
	// message leaves, so that each path extends the one before. With 0 or 1, every
	// message is judged as soon as it is no longer recent.
	Step int
}

// DefaultRetention returns heddle's default settings.
func DefaultRetention() Retention {
	return Retention{Base: 4000, Recent: 20, Always: 0.7, Spaced: 0.6, Every: 3, Step: 32}
}

// retain leaves out what is neither recent, nor in the base window, nor certain enough.
// What was left out never returns as the conversation goes on.
func (s *shaping) retain() {
	if s.Retention == (Retention{}) {
		return
	}
	weighed, seen := s.boundary()
	window := 0 // the characters from a unit to the end
	for i := weighed; i < seen; i++ {
		window += s.units[i].chars()
	}
	inside := weighed // the units from here on are in the base window
	for inside > 0 {
		if window += s.units[inside-1].chars(); window > s.Retention.Base {
			break
		}
		inside--
	}
	s.leave(LeftUncertain, func(i int, u *unit) bool {
		return i < inside && !u.repliedTo && !s.certain(u)
	})
}

// boundary returns the number of units that are judged, and the number of units that
// there were when the last of those ceased to be recent. Both are derived from
// positions in steps, so that they stay the same until the next step.
func (s *shaping) boundary() (weighed, seen int) {
	r := s.Retention
	recent := s.messages() - r.Recent // the number that is not recent
	for old := 0; weighed < len(s.units); weighed++ {
		if old += len(s.units[weighed].drafts); old > recent {
			break
		}
	}
	if weighed == 0 {
		return 0, 0
	}
	end := s.units[weighed-1].last() + 1 // the first position that is recent
	if r.Step > 1 {
		end -= end % r.Step
	}
	for weighed > 0 && s.units[weighed-1].last() >= end {
		weighed--
	}
	seen = weighed
	for seen < len(s.units) && s.units[seen].last() < end+r.Recent {
		seen++
	}
	return weighed, seen
}

// certain reports whether a unit is certain enough to stay.
func (s *shaping) certain(u *unit) bool {
	r, value := s.Retention, u.value()
	last := u.drafts[len(u.drafts)-1]
	spaced := r.Every > 0 && last.position%r.Every == 0 && !last.late
	return value >= r.Always || spaced && value >= r.Spaced
}

// value returns what a unit is worth: the confidence of its answer, the highest if
// there are several, or without an answer the probability that it belongs to the
// conversation.
func (u *unit) value() float64 {
	if u.drafts[len(u.drafts)-1].message.Origin != graph.OriginSelf { // an answer is last
		return admission(u.drafts[0].node)
	}
	best := float64(unknown)
	for i := range u.drafts {
		best = max(best, u.drafts[i].record.certainty())
	}
	return best
}

// admission returns the probability with which a message was admitted. It is 1 for
// explicit references and for what an earlier answer was made from.
func admission(node *graph.Node) float64 {
	for i := range node.Reasons {
		r := &node.Reasons[i]
		if r.Kind == graph.ReasonLineage || r.Kind == graph.ReasonReference && explicit(r.Reference) {
			return 1
		}
	}
	return share(node.Probability)
}
