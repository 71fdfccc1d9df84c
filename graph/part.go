package graph

import "time"

// Talk is one conversation within a stretch of a channel.
type Talk struct {
	// Messages are the conversation's messages, at least one, oldest first by Position.
	Messages []Message
	// Answers holds, for each message, the index of the earlier message that it
	// answers: the one that it refers to, or else the one that it most likely answers.
	// It is -1 for a message that begins the conversation or answers one outside of the
	// stretch.
	Answers []int
}

// Part divides a stretch of one channel into its conversations, in the order of their
// beginnings. The messages are folded (see Fold) and ordered by Position; system messages
// are left out. Every other message is in exactly one conversation.
//
// Each message joins a conversation in the order of the stretch:
//
//   - A reply, a forward and an answer of heddle's join what they point to, however old
//     that is. If they point to several conversations of the stretch, these become one.
//     Messages that point to the same message before the stretch are in one, too.
//   - Any other message joins the conversation that it answers likeliest: the one with the
//     highest sum of the squares of the affinity's links to its messages. It begins a new one
//     where the square of the probability that it answers nothing is higher still.
//
// The first is link clustering (Kummerfeld et al., ACL 2019) with links that are
// known; summing the links of a conversation is the greedy vote of Elsner and Charniak
// (Computational Linguistics 36, 2010). A pause alone ends no conversation: the affinity
// weighs it, in units of the channel's own pace. docs/context-quality.md says how well
// this works.
//
// The affinity judges windows of at most 149 messages, and each message in about four of
// them, so the time is proportional to the length of the stretch. The ids of the messages
// decide where a window begins: stretches that overlap are judged alike where they do,
// except for their first and last messages.
//
// Of the options only Affinity and TimeThreshold are used. Without an affinity a message
// that points to nothing joins that of the message right before it, unless the gap
// between them is longer than the threshold.
func Part(messages []Message, options Options) []Talk {
	p := newParting(messages)
	if options.Affinity == nil {
		p.byPause(options.TimeThreshold)
	} else {
		p.byAffinity(options.Affinity)
	}
	return p.talks()
}

// parting is a stretch that is being divided.
type parting struct {
	messages []Message // without system messages
	at       map[MessageID]int
	before   map[MessageID]int // by message before the stretch: the first one in the stretch that points to it
	up       []int             // by message: an earlier one of its conversation, or itself
	answers  []int             // by message: what it answers, -1 for nothing

	sums    []float64 // by first message of a conversation: the sum of the links to the conversation; zero between messages
	touched []int     // the indices of the sums that are not zero
}

// newParting returns a parting in which every message is a talk of its own.
func newParting(messages []Message) *parting {
	p := &parting{at: make(map[MessageID]int, len(messages)), before: make(map[MessageID]int)}
	for i := range messages {
		if !messages[i].System {
			p.messages = append(p.messages, messages[i])
		}
	}
	n := len(p.messages)
	p.up, p.answers, p.sums = make([]int, n), make([]int, n), make([]float64, n)
	for i := range p.messages {
		p.up[i], p.answers[i] = i, -1
		p.at[p.messages[i].ID] = i
		for _, part := range p.messages[i].Parts {
			p.at[part] = i
		}
	}
	return p
}

// talkOf returns the first message of the conversation that a message is in.
func (p *parting) talkOf(i int) int {
	for p.up[i] != i {
		p.up[i] = p.up[p.up[i]]
		i = p.up[i]
	}
	return i
}

// join merges the talks of two messages.
func (p *parting) join(i, j int) {
	a, b := p.talkOf(i), p.talkOf(j)
	p.up[max(a, b)] = min(a, b)
}

// point joins a message to the talk of what it points to, and reports whether it points
// to anything.
func (p *parting) point(j int) (points bool) {
	m := &p.messages[j]
	if m.Answers != 0 {
		points = p.pointTo(j, m.Answers)
	}
	for _, r := range m.References {
		if r.answers() && r.Message != 0 && r.in(m) == m.Channel {
			points = p.pointTo(j, r.Message) || points
		}
	}
	return points
}

// pointTo joins message j to the talk of target, which may lie before the stretch. It
// reports false if target is not older than j.
func (p *parting) pointTo(j int, target MessageID) bool {
	i, inside := p.at[target]
	switch first, known := p.before[target]; {
	case inside && i >= j: // a message cannot answer a later one
		return false
	case inside:
		p.join(i, j)
		if p.answers[j] < 0 {
			p.answers[j] = i
		}
	case known:
		p.join(first, j)
	default:
		p.before[target] = j
	}
	return true
}

// byPause joins every message that points to nothing to the talk of the one right before
// it, unless the gap is too long, by the threshold or by the pace before the message. If
// there are too few messages before it, the pace is that of the first ones of the stretch.
func (p *parting) byPause(threshold time.Duration) {
	gaps := make([]time.Duration, 0, paceGaps)
	for j := range p.messages {
		if p.point(j) || j == 0 {
			continue
		}
		longest := threshold
		if threshold == AutoThreshold {
			to := min(max(j, paceGaps+1), len(p.messages))
			gaps = gaps[:0]
			for k := max(1, to-paceGaps); k < to; k++ {
				gaps = append(gaps, gap(&p.messages[k-1], &p.messages[k]))
			}
			longest = longestGap(gaps)
		}
		if gap(&p.messages[j-1], &p.messages[j]) <= longest {
			p.join(j-1, j)
			p.answers[j] = j - 1
		}
	}
}

// These constants define the windows of a stretch. The affinity was trained on windows
// of about a hundred messages, and uses the twenty messages after a message to place it.
const (
	partBefore = 64 // the messages before those that a window decides on
	partAfter  = 20 // the messages after them
	partLeast  = 16 // the least number of messages that a window decides on
	partMost   = 64
	partMean   = 32 // the mean of that number; a power of two
)

// byAffinity joins every message to the conversation that it most likely answers.
func (p *parting) byAffinity(affinity Affinity) {
	window := make([]*Message, 0, partBefore+partMost+partAfter+1)
	for begin := 0; begin < len(p.messages); {
		end := p.blockEnd(begin)
		from := max(0, begin-partBefore)
		// The affinity takes a short window for the whole channel, and the last message of
		// any for a mention, after which nothing is looked at.
		to := max(end+partAfter, from+page) + 1
		window = window[:0]
		for i := from; i < min(to, len(p.messages)); i++ {
			window = append(window, &p.messages[i])
		}
		links := affinity.Links(window)
		for j := begin; j < end; j++ {
			if !p.point(j) {
				p.vote(j, from, links.Row(j-from))
			}
		}
		begin = end
	}
}

// blockEnd returns the end of the messages that a window decides on. It depends on the
// ids alone, so that it is the same wherever the stretch begins.
func (p *parting) blockEnd(begin int) int {
	most := min(begin+partMost, len(p.messages))
	for end := begin + partLeast; end < most; end++ {
		if mixed := uint64(p.messages[end].ID) * 0x9e3779b97f4a7c15; mixed>>32%partMean == 0 {
			return end
		}
	}
	return most
}

// vote joins message j to the conversation that has most of its links, unless the probability
// that it answers nothing weighs more. Probabilities are squared, so that one likely
// link outweighs several unlikely ones. row holds the links to the messages since from.
func (p *parting) vote(j, from int, row []float32) {
	none := 1.0
	for k, link := range row {
		if link <= 0 {
			continue
		}
		none -= float64(link)
		first := p.talkOf(from + k)
		if p.sums[first] == 0 {
			p.touched = append(p.touched, first)
		}
		p.sums[first] += float64(float64(link) * float64(link)) // rounded, so that no machine fuses the two
	}
	best, talk := none*none, -1
	for _, first := range p.touched {
		if p.sums[first] > best {
			best, talk = p.sums[first], first
		}
		p.sums[first] = 0
	}
	p.touched = p.touched[:0]
	if talk < 0 {
		return
	}
	p.join(talk, j)
	likeliest := float32(0)
	for k, link := range row {
		if link >= likeliest && p.talkOf(from+k) == talk {
			likeliest, p.answers[j] = link, from+k
		}
	}
}

// talks returns the talks of the stretch.
func (p *parting) talks() []Talk {
	var talks []Talk
	number, place := make([]int, len(p.messages)), make([]int, len(p.messages))
	for i := range p.messages {
		first := p.talkOf(i)
		if first == i {
			number[i] = len(talks)
			talks = append(talks, Talk{})
		}
		t := &talks[number[first]]
		place[i] = len(t.Messages)
		answers := p.answers[i]
		if answers >= 0 {
			answers = place[answers]
		}
		t.Messages, t.Answers = append(t.Messages, p.messages[i]), append(t.Answers, answers)
	}
	return talks
}
