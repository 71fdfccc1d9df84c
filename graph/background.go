package graph

import (
	"cmp"
	"slices"
)

// These constants decide what is sent along with the conversation. docs/context-quality.md
// has the figures.
const (
	// mostLike is the number of newest messages that cost as much as a question may.
	mostLike = 60
	// mostLines is the greatest number of messages that a Reader is given.
	mostLines = 100
	// leastWorth is the least probability, for each of its characters, that a message is
	// needed, for it to be sent.
	leastWorth = 1e-5
	// framed is the number of characters that a message takes on top of its text.
	framed = 150
	// clearly are the odds that a question needs any message, above which that is clear. The
	// smaller the odds, the less every need counts.
	clearly = 40
	// sharedNeed is the share of a message's need that its question and its answers take over
	// if the link between them is certain, and sharedFar how many links far.
	sharedNeed = 0.8
	sharedFar  = 5
	// leastShared is the least probability of being needed that is shared.
	leastShared = 0.004
	// surely is the probability of being needed above which there is no doubt.
	surely = 0.8
)

// addBackground adds what is sent whether it belongs to the conversation or not: the
// seeds, the messages around what the trigger refers to, and those that it may need.
// Then it adds, within MaxTotal, the messages around other targets.
func (s *selection) addBackground() {
	sent := s.count(inConversation)
	s.sendSeeds()
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

// sendSeeds sends the seeds, whatever else is chosen.
func (s *selection) sendSeeds() {
	for _, at := range s.reached[1:] {
		if s.entries[at].seed {
			s.send(at, Reason{})
		}
	}
}

// characters returns how many characters may still be sent: up to Background, and not more than the
// newest messages take. What the trigger refers to does not count.
func (s *selection) characters() int {
	newest := 0
	for _, at := range s.recent[:min(len(s.recent), mostLike)] {
		newest += s.length(at)
	}
	room, referred := min(s.options.Background, newest), s.referred()
	for _, at := range s.reached[1:] {
		if s.sent(at) && !referred[at] {
			room -= s.length(at)
		}
	}
	return room
}

// bound leaves out what least likely belongs to the conversation while that takes more
// characters than the newest messages. Seeds, what the trigger refers to, and what a message of
// the conversation answers stay.
func (s *selection) bound() {
	referred, over := s.referred(), 0
	for _, at := range s.recent[:min(len(s.recent), mostLike)] {
		over -= s.length(at)
	}
	var others []int
	for _, at := range s.reached[1:] {
		e := &s.entries[at]
		if e.seed || e.place == inConversation && !referred[at] {
			over += s.length(at)
			others = append(others, at)
		}
	}
	likelier := func(a, b int) int {
		x, y := &s.entries[a], &s.entries[b]
		return cmp.Or(cmp.Compare(x.probability, y.probability), y.message.Position().Compare(x.message.Position()))
	}
	slices.SortFunc(others, likelier)
	isAnswered := func(at int) bool {
		for i := range s.references {
			r := &s.references[i]
			if s.resolve(r) && r.to == at && r.kind != ReferenceStarter && s.entries[r.from].place == inConversation {
				return true
			}
		}
		return false
	}
	for over > 0 {
		least := slices.IndexFunc(others, func(at int) bool { return !s.entries[at].seed && !isAnswered(at) })
		if least < 0 {
			return
		}
		s.entries[others[least]].place = leftOut
		over -= s.length(others[least])
		others = slices.Delete(others, least, least+1)
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
// length, as far as there is room.
func (s *selection) sendNeeded() {
	room := s.characters()
	var others []int
	for _, at := range s.explored {
		if !s.sent(at) {
			others = append(others, at)
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
	for range sharedFar {
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
	stays := s.referred()
	for _, at := range s.reached[1:] {
		if s.sent(at) && s.entries[at].message.Origin == OriginSelf {
			stays[at] = true
		}
	}
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

// referred returns the entries that belong because of a place or a reference: the fixed ones,
// and what the trigger refers to, directly or not.
func (s *selection) referred() map[int]bool {
	referred := make(map[int]bool)
	for _, at := range s.fixed() {
		referred[at] = true
	}
	refers := s.belief.refers()
	for level := []int{len(refers) - 1}; len(level) > 0; level = level[1:] {
		for _, number := range refers[level[0]] {
			if at := s.explored[number]; !referred[at] {
				referred[at] = true
				level = append(level, number)
			}
		}
	}
	return referred
}

// apply sends what a reader chose of its entries, the newest first, as far as there is room and
// within MaxTotal, and the seeds and what stays in any case. Of messages that the reader was not
// given, those around the trigger's references are sent.
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
	s.sendSeeds()
	room := s.characters()
	for i, at := range slices.Backward(entries) {
		if stays[at] || !choice.Needed[i] && !s.entries[at].seed {
			continue
		}
		if !s.sent(at) {
			if s.length(at) > room {
				continue
			}
			room -= s.length(at)
		}
		if choice.Needed[i] {
			s.sendFor(at, Reason{Kind: ReasonRead, Round: 1, Probability: 1, By: choice.By})
		}
		if choice.Talk[i] && s.count(inConversation) < s.options.MaxTotal {
			s.entries[at].place = inConversation
		}
	}
}
