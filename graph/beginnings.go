package graph

// An affinity judges each message by itself, and expects talks to begin as often as in the
// channels that it learnt from. But how often they begin differs: in a channel that holds a
// single talk, they never do. There a little too much doubt at every message adds up, and
// cuts a long talk short. All messages together show how often talks begin here, and the
// links are corrected by that. This is how the posteriors of any classifier are adjusted to
// other shares of its classes (Saerens, Latinne and Decaestecker, "Adjusting the outputs of
// a classifier to new a priori probabilities", Neural Computation 14, 2002).
//
// Links are only corrected where talks begin seldom. Where they seem to begin often, the
// beginnings may as well be links to what was said before the window. Where people take
// turns, nothing is corrected either: turns tell more than how often talks begin.
// docs/context-quality.md has the figures.
const (
	// usualBeginnings is the share of messages that begin a talk below which links are
	// corrected. It is a little less than the mean of annotated channels, so that most
	// channels are left as they are.
	usualBeginnings = 0.13
	// leastBeginnings is the least share of messages that is taken to begin a talk. Even
	// where an affinity doubts little, some talk may begin unnoticed.
	leastBeginnings = 0.05
	// usualMessages is the number of messages for which the usual share counts.
	usualMessages = 2
	// cutOff is the number of messages at the beginning of a window that do not count.
	// What they answer is often cut off.
	cutOff = 4
	// fewestJudged is the number of messages below which nothing is concluded.
	fewestJudged = 8
	// beginningSteps is the number of steps towards the likeliest share. More would find
	// one that is hardly likelier.
	beginningSteps = 16
)

// correctBeginnings corrects what every message answers by how often talks begin. Explicit
// references stay as they are and do not count, and neither does the last message, so
// that a trigger does not change the links of others.
func (b *belief) correctBeginnings() {
	var begins []float64
	for j := range b.size - 1 {
		if !b.inside[j] || b.settled[j] {
			continue
		}
		if p := b.beginsTalk(j); p < 1 { // else it has no links, as it answers something outside
			begins = append(begins, p)
		}
	}
	if len(begins) < fewestJudged {
		return
	}
	share := shareOfBeginnings(begins)
	if share >= usualBeginnings {
		return
	}
	odds := oddsOf(max(share, leastBeginnings)) / oddsOf(usualBeginnings)
	for j := range b.size {
		if !b.settled[j] {
			b.scaleBeginning(j, odds)
		}
	}
}

// beginsTalk returns the probability that message j answers nothing.
func (b *belief) beginsTalk(j int) float64 {
	none := 1.0
	for _, p := range b.row(j) {
		none -= float64(p)
	}
	return max(0, none)
}

// scaleBeginning multiplies the odds that message j answers nothing.
func (b *belief) scaleBeginning(j int, odds float64) {
	none := b.beginsTalk(j)
	factor := float32(1 / (1 - float64(none*(1-odds))))
	row := b.row(j)
	for i := range row {
		row[i] *= factor
	}
}

// shareOfBeginnings returns the likeliest share of messages that begin a talk, given the
// probability that each does by an affinity that expects the usual share. It is found by
// expectation maximisation with a Beta prior. A share above the usual one is returned
// after a single step.
func shareOfBeginnings(begins []float64) float64 {
	share := float64(usualBeginnings)
	for range beginningSteps {
		begun, not := share/usualBeginnings, (1-share)/(1-usualBeginnings)
		sum := float64(usualMessages * usualBeginnings)
		for _, p := range begins {
			likely := float64(p * begun)
			sum += likely / (likely + float64((1-p)*not))
		}
		share = sum / float64(usualMessages+len(begins))
		if share >= usualBeginnings {
			break
		}
	}
	return share
}

func oddsOf(p float64) float64 { return p / (1 - p) }
