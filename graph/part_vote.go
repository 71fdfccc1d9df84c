package graph

// These constants define the windows of a stretch. The affinity was trained on windows
// of about a hundred messages, and uses the twenty messages after one to place it.
const (
	partBefore = 64 // the messages before those that a window decides on
	partAfter  = 20 // the messages after them
	partLeast  = 16 // the least number of messages that a window decides on
	partMost   = 64
	partMean   = 32 // the mean of that number; a power of two
)

// byAffinity joins every message to the talk that it most likely answers.
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

// vote joins message j to the talk that has most of its links, unless the probability
// that it answers nothing weighs more. Probabilities are squared, so that one likely
// link outweighs several unlikely ones. row holds the links to the messages from number
// from on.
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
