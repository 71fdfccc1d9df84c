package path

import (
	"math/bits"
	"slices"
)

// truncate leaves out the oldest units until the rest fits the budget. It cuts at the
// position, among those that leave between half of the budget and all of it in use,
// that is the multiple of the highest power of two. The cut therefore rarely moves, and
// paths extend earlier ones. What was cut off stays out even if it would fit again.
// What the trigger replies to stays as long as it fits.
func (s *shaping) truncate() {
	if s.Budget <= 0 || s.Count == nil {
		return
	}
	cut := s.Lineage.Cut
	s.leave(LeftOverBudget, func(_ int, u *unit) bool {
		return u.first() < cut && !u.repliedTo && !slices.ContainsFunc(u.drafts, func(d draft) bool { return d.known })
	})
	system := s.Count(systemTurn(s.System))
	for { // messages that leave may change names, and with them the count
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
	at := roundest(s.units[least-1].first(), end)
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

// roundest returns the number above low and at most high that is divisible by the
// highest power of two, or high if there is none.
func roundest(low, high int) int {
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
