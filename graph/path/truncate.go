package path

import (
	"math/bits"
	"slices"
)

// truncate leaves out the oldest units until the rest fits the budget. It cuts at a
// position that is a multiple of as high a power of two as it finds where between
// the half and the whole of the budget is used, so that the cut stays where it is for
// long, and paths extend the ones before. What was cut off stays so, though it may
// fit again. What the trigger replies to stays as long as that fits.
func (s *shaping) truncate() {
	if s.Budget <= 0 || s.Count == nil {
		return
	}
	cut := s.Lineage.Cut
	s.leave(LeftOverBudget, func(_ int, u *unit) bool {
		return u.first() < cut && !u.repliedTo && !slices.ContainsFunc(u.drafts, func(d draft) bool { return d.known })
	})
	s.name()
	if s.surelyFits() {
		return
	}
	system := s.Count(systemTurn(s.System))
	for { // leaving may change names, and these the count
		s.name()
		if !s.cut(s.Budget - system - s.tokens(&s.trigger)) {
			return
		}
	}
}

// surelyFits reports whether all that is left fits the budget whatever its exact count.
func (s *shaping) surelyFits() bool {
	if s.AtMost == nil {
		return false
	}
	left := s.Budget - s.AtMost(systemTurn(s.System))
	for d := range s.kept() {
		for _, turn := range d.turns {
			left -= s.AtMost(turn)
		}
	}
	return left >= 0
}

// cut makes the rest fit into budget tokens and reports whether anything had to leave.
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
	at := roundest(s.units[least-1].first(), end)
	s.built.Cut = max(s.built.Cut, at)
	s.leave(LeftOverBudget, func(i int, u *unit) bool {
		return (i < least || u.first() < at) && !stays(u)
	})
	return true
}

// fit returns the oldest unit from which on all fit into budget tokens. Units that stay
// in any case are not counted.
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

// roundest returns the number above low and up to high that the highest power of two
// divides, or high if there is no such number.
func roundest(low, high int) int {
	if low >= high {
		return high
	}
	keep := bits.Len(uint(low^high)) - 1
	return high >> keep << keep
}

// tokens counts a unit, each message once.
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
