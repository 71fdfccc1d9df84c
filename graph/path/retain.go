package path

import (
	"math/bits"
	"slices"

	"heddle/graph"
)

// Retention defines which old messages of a long conversation stay, within the token
// budget. The zero Retention keeps all of them.
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
// What was left out never returns as the conversation continues.
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

// boundary returns the number of units to judge, and the number of units at the time when
// the last of those ceased to be recent. Both follow from positions in steps, so that they
// stay the same until the next step.
func (s *shaping) boundary() (weighed, seen int) {
	r := s.Retention
	recent := -r.Recent // the number of messages that are not recent
	for i := range s.units {
		recent += len(s.units[i].drafts)
	}
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

// value returns the value of a unit: the confidence of its answer, the highest if there
// are several, or without an answer the probability that it belongs to the conversation.
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
// explicit references and for the sources of an earlier answer.
func admission(node *graph.Node) float64 {
	for i := range node.Reasons {
		r := &node.Reasons[i]
		explicit := r.Kind == graph.ReasonReference && r.Reference != graph.ReferenceAddress && r.Reference != graph.ReferenceInferred
		if r.Kind == graph.ReasonLineage || explicit {
			return 1
		}
	}
	return share(node.Probability)
}

// truncate leaves out the oldest units until the rest fits the budget. Of the positions
// that leave between half of the budget and all of it in use, it cuts at the multiple of
// the highest power of two. The cut therefore rarely moves, and paths extend earlier ones.
// What was cut off stays out even if it would fit again. What the trigger replies to stays
// as long as it fits.
func (s *shaping) truncate() {
	if s.Budget <= 0 || s.Count == nil {
		return
	}
	cut := s.Lineage.Cut
	s.leave(LeftOverBudget, func(_ int, u *unit) bool {
		return u.first() < cut && !u.repliedTo && !slices.ContainsFunc(u.drafts, func(d draft) bool { return d.known })
	})
	system := s.Count(systemTurn(s.System))
	for { // names may change when messages leave, and with them the count
		s.name()
		if !s.cut(s.Budget - system - s.tokens(&s.trigger)) {
			return
		}
	}
}

// cut leaves out units until the rest takes at most budget tokens, and reports whether
// any had to leave.
func (s *shaping) cut(budget int) bool {
	asked, all := 0, 0
	for i := range s.units {
		tokens := s.tokens(&s.units[i])
		all += tokens
		if s.units[i].repliedTo {
			asked += tokens
		}
	}
	if all <= budget || len(s.units) == 0 {
		return false
	}
	stays := func(u *unit) bool { return u.repliedTo && asked <= budget }
	rest := budget
	if asked <= budget {
		rest -= asked
	}
	least := s.fit(rest, stays)
	end := s.trigger.first()
	if newest := len(s.units) - 1; least <= newest {
		end = s.units[min(s.fit(rest/2, stays), newest)].first()
	}
	at := mostDivisible(s.units[least-1].first(), end)
	s.built.Cut = max(s.built.Cut, at)
	s.leave(LeftOverBudget, func(i int, u *unit) bool {
		return (i < least || u.first() < at) && !stays(u)
	})
	return true
}

// fit returns the index of the oldest unit from which on all units fit into budget
// tokens. It does not count units that stay in any case.
func (s *shaping) fit(budget int, stays func(*unit) bool) int {
	from := len(s.units)
	for i, used := len(s.units)-1, 0; i >= 0; i-- {
		if !stays(&s.units[i]) {
			used += s.tokens(&s.units[i])
		}
		if used > budget {
			break
		}
		from = i
	}
	return from
}

// mostDivisible returns the number above low and at most high that is divisible by the
// highest power of two, or high if there is none.
func mostDivisible(low, high int) int {
	if low >= high {
		return high
	}
	keep := bits.Len(uint(low^high)) - 1
	return high >> keep << keep
}

// tokens returns the tokens of a unit. It counts each message once.
func (s *shaping) tokens(u *unit) int {
	sum := 0
	for i := range u.drafts {
		d := &u.drafts[i]
		if d.tokens < 0 {
			d.tokens = 0
			for _, turn := range d.turns {
				d.tokens += s.Count(turn)
			}
		}
		sum += d.tokens
	}
	return sum
}
