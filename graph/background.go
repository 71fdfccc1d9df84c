package graph

import (
	"cmp"
	"slices"
)

// These constants decide what is sent along with the conversation. docs/context-quality.md
// has the figures.
const (
	// nearest is the number of newest messages that are always sent. Other seeds are judged
	// like any message.
	nearest = 3
	// mostLines is the greatest number of messages that a Reader is given.
	mostLines = 100
	// leastWorth is the least probability, for each of its characters, that a message is
	// needed, for it to be sent.
	leastWorth = 8e-6
	// framed is the number of characters that a message takes on top of its text.
	framed = 150
	// clearly are the odds that a question needs any message, above which that is clear. The
	// smaller the odds, the less every need counts.
	clearly = 40
	// sharedNeed is the share of a message's need that its question and its answers take over
	// if the link between them is certain.
	sharedNeed = 0.4
	// leastShared is the least probability of being needed that is shared.
	leastShared = 0.02
	// surely is the probability of being needed above which there is no doubt.
	surely = 0.8
)

// addBackground adds what is sent whether it belongs to the conversation or not: the
// nearest messages, those around what the trigger refers to, and those that it may need.
// Then it adds, within MaxTotal, the messages around other targets.
func (s *selection) addBackground() {
	sent := s.count(inConversation)
	seeds := nearest
	if s.entries[0].message.AsksNothing() {
		seeds = s.options.MinLinear
	}
	for at := s.entries[0].neighbour[Older]; seeds > 0 && at >= 0 && s.entries[at].seed; at = s.entries[at].neighbour[Older] {
		s.send(at, Reason{})
		seeds--
	}
	for step := range keptAround {
		for _, at := range s.askedAbout() {
			s.sendNeighbours(at, step+1)
		}
	}
	s.sendNeeded()
	for step := range keptAround {
		for _, at := range s.targets {
			if s.entries[at].place == inConversation && s.count(inConversation, inBackground)-sent+1 < s.options.MaxTotal {
				s.sendNeighbours(at, step+1)
			}
		}
	}
}

// send puts an entry into the background unless it is sent already. The reason is for an
// entry that was not reached.
func (s *selection) send(at int, reason Reason) {
	if s.entries[at].place == unreached {
		s.reach(at, reason)
		s.entries[at].place = leftOut
	}
	if s.entries[at].place == leftOut {
		s.entries[at].place = inBackground
	}
}

// sendFor puts an entry into the background unless it is sent already, and adds the reason.
func (s *selection) sendFor(at int, reason Reason) {
	if e := &s.entries[at]; e.place != unreached {
		e.reasons = append(e.reasons, reason)
	}
	s.send(at, reason)
}

// sendNeighbours sends the messages so many steps from an entry, on both sides, unless a
// gap on the way is longer than the threshold.
func (s *selection) sendNeighbours(at, steps int) {
	for _, direction := range [...]Direction{Older, Newer} {
		next, from := at, at
		for range steps {
			from = next
			next = s.entries[from].neighbour[direction]
			if next <= 0 || s.gapBetween(from, next, direction) > s.longest {
				next = 0
				break
			}
		}
		if next > 0 {
			s.send(next, Reason{
				Kind: ReasonTemporal, Round: steps, From: s.entries[from].message.ID,
				Probability: 1, Gap: s.gapBetween(from, next, direction),
			})
		}
	}
}

// sendNeeded sends what the trigger may need, the likeliest first: all that is worth its
// length, up to the characters of Background that are left.
func (s *selection) sendNeeded() {
	room := s.options.Background
	var others []int
	for _, at := range s.explored {
		switch s.entries[at].place {
		case unreached, leftOut:
			others = append(others, at)
		case inBackground:
			room -= s.length(at)
		case inConversation:
		}
	}
	s.shareNeeds()
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(s.entries[b].needed, s.entries[a].needed) })
	asks := min(1, s.asks/clearly)
	for _, at := range others {
		needed := s.entries[at].needed
		if length := s.length(at); length <= room && needed*asks >= leastWorth*float64(length+framed) {
			room -= length
			s.sendFor(at, Reason{Kind: ReasonNeeded, Round: 1, Probability: needed})
		}
	}
}

// shareNeeds lets linked messages share their needs, as a needed line is seldom understood
// without the conversation around it.
func (s *selection) shareNeeds() {
	shared := make([]float64, len(s.explored))
	for number, at := range s.explored {
		if needed := s.entries[at].needed; needed >= leastShared {
			shared[number] = needed
		}
	}
	for number, at := range s.explored[:len(s.explored)-1] {
		for older, link := range s.belief.row(number) {
			share := sharedNeed * float64(link)
			answers, answered := &s.entries[at], &s.entries[s.explored[older]]
			answers.needed = max(answers.needed, share*shared[older])
			answered.needed = max(answered.needed, share*shared[number])
		}
	}
}

// Sure reports whether the trigger surely needs one of the judged messages. Then it hardly
// asks about older ones.
func (g *Graph) Sure() bool {
	for _, judged := range [][]Node{g.Conversation, g.Background, g.Explored} {
		if slices.ContainsFunc(judged, func(n Node) bool { return n.Needed >= surely }) {
			return true
		}
	}
	return false
}

// askReader lets a reader choose of the newest messages, in place of the affinity.
func (s *selection) askReader() {
	if s.options.Reader == nil {
		return
	}
	entries := slices.Clone(s.recent[:min(len(s.recent), mostLines)])
	slices.Reverse(entries)
	lines := make([]*Message, len(entries))
	for i, at := range entries {
		lines[i] = s.entries[at].message
	}
	stays := s.staying()
	doubt := 0 // the characters that are sent, other than of seeds and of what stays
	for _, at := range s.reached[1:] {
		if e := &s.entries[at]; e.place != leftOut && !e.seed && !stays[at] {
			doubt += s.length(at)
		}
	}
	choice, read := s.options.Reader(s.entries[0].message, lines, doubt)
	if read && len(choice.Needed) == len(lines) && len(choice.Talk) == len(lines) {
		s.choice = &choice
		s.apply(&choice, entries, stays)
	}
}

// staying returns the entries that are sent whatever a reader chooses: the fixed ones, what
// the trigger refers to, directly or not, and heddle's own messages.
func (s *selection) staying() map[int]bool {
	stays := make(map[int]bool)
	for _, at := range s.fixed() {
		stays[at] = true
	}
	refers := s.belief.refers()
	for level := []int{len(refers) - 1}; len(level) > 0; level = level[1:] {
		for _, number := range refers[level[0]] {
			if at := s.explored[number]; !stays[at] {
				stays[at] = true
				level = append(level, number)
			}
		}
	}
	for _, at := range s.reached {
		if s.entries[at].place != leftOut && s.entries[at].message.Origin == OriginSelf {
			stays[at] = true
		}
	}
	return stays
}

// apply sends what a reader chose of its entries, the newest first, within MaxTotal and
// Background, and the nearest messages and what stays in any case. Of messages that the
// reader was not given, those around the trigger's references are sent.
func (s *selection) apply(choice *Choice, entries []int, stays map[int]bool) {
	for _, at := range s.reached[1:] {
		if !stays[at] {
			s.entries[at].place = leftOut
		}
	}
	for _, at := range s.askedAbout() {
		for step := range keptAround {
			if !slices.Contains(entries, at) {
				s.sendNeighbours(at, step+1)
			}
		}
	}
	room := s.options.Background
	for i, at := range slices.Backward(entries) {
		near := s.entries[at].seed && i >= len(entries)-nearest
		if stays[at] || !choice.Needed[i] && !near {
			continue
		}
		into := inConversation
		if !choice.Talk[i] || s.count(inConversation) >= s.options.MaxTotal {
			into = inBackground
			if !near && s.length(at) > room {
				continue
			}
			room -= s.length(at)
		}
		if choice.Needed[i] {
			s.sendFor(at, Reason{Kind: ReasonRead, Round: 1, Probability: 1, By: choice.By})
		}
		s.entries[at].place = into
	}
}
