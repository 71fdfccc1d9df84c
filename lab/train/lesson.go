package train

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// A lesson is a stretch of a log. It is varied each time that it is shown, so that
// habits of one platform are not learnt as rules.
const (
	stride = 60 // messages with known answers between the ends of two lessons of a log

	mostReplies   = 0.6  // greatest share of the messages with a parent that are shown as replies
	usualReplies  = 0.5  // chance of showing instead the replies that people usually make
	repliesChance = 0.75 // chance that a lesson shows replies at all
	mostDropped   = 1.2  // greatest share of messages that lose their addresses; above 1, so that sometimes all do
	dropChance    = 0.3
	mostWarped    = 1.5 // greatest spread of the logarithm of the factor for gaps
	warpChance    = 0.5

	// In slow channels nobody writes at night, and people continue in the morning.
	nightsChance  = 0.3
	mostNights    = 0.05 // greatest share of the gaps that become nights
	shortestNight = 3    // natural logarithm of the least factor by which such a gap grows
	longestNight  = 8

	// Some stretches of a lesson are shown at a faster pace than others.
	paceChance = 0.2
	mostPace   = 2 // greatest spread of the logarithm of the factor for the gaps of a stretch

	// Slow channels also have fewer talks at a time, so some lessons leave talks out.
	thinChance = 0.35
	leastKept  = 0.15 // least share of the other talks than the last message's that are kept

	hideAllChance = 0.3  // chance that a lesson hides all its real replies
	blindChance   = 0.15 // chance that a message is shown as if it were the last

	askChance = 0.25 // chance that a lesson ends with a question to a bot

	// mostRepeats bounds how often a lesson of a small community is repeated to give it
	// weight beside large ones. mostMarked is the bound for annotated communities.
	mostRepeats = 11
	mostMarked  = 16
)

// community is logs of people with the same habits in using the reply button.
type community struct {
	logs    []*chatlog.Log
	shown   *shown
	repeats int // the number of times that its lessons are shown in an epoch
}

// byCommunity groups logs by the folder that contains them. The lessons of small
// communities are repeated.
func byCommunity(logs []*chatlog.Log) []community {
	var communities []community
	at := map[string]int{}
	for _, log := range logs {
		folder := filepath.Dir(log.Path)
		k, known := at[folder]
		if !known {
			k = len(communities)
			at[folder] = k
			communities = append(communities, community{shown: &shown{}})
		}
		communities[k].logs = append(communities[k].logs, log)
	}
	largest := 0
	for _, c := range communities {
		largest = max(largest, chatlog.Sum(c.logs, (*chatlog.Log).Learnable))
	}
	for k := range communities {
		c := &communities[k]
		most := mostRepeats
		if chatlog.Sum(c.logs, (*chatlog.Log).Annotated) > 0 {
			most = mostMarked
		}
		c.repeats = max(1, min(most, largest/max(chatlog.Sum(c.logs, (*chatlog.Log).Learnable), 1)))
	}
	return communities
}

// busyCommunities is byCommunity for the busy network. Logs with replies are of Discord,
// where channels are quieter than on IRC. Repeated, they would teach that network the habits
// of quiet channels, so their lessons are shown once.
func busyCommunities(logs []*chatlog.Log) []community {
	communities := byCommunity(logs)
	for k := range communities {
		c := &communities[k]
		if chatlog.Sum(c.logs, func(l *chatlog.Log) int { return l.Replies }) > 0 {
			c.repeats = 1
		}
	}
	return communities
}

// lesson is one stretch of a log to learn from.
type lesson struct {
	log *chatlog.Log
	*community
	end int // index of its last message
}

// lessons draws the lessons of one epoch.
func lessons(communities []community, random *rand.Rand) []lesson {
	var all []lesson
	for k := range communities {
		c := &communities[k]
		for range c.repeats {
			for _, log := range c.logs {
				all = appendLessons(all, log, c, random.IntN(stride))
			}
		}
	}
	random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}

// appendLessons appends to all the lessons of a log, one for every stride messages with
// known answers. offset is how many such messages before the log are counted.
func appendLessons(all []lesson, log *chatlog.Log, c *community, offset int) []lesson {
	count, last := offset, -1
	for i := range log.Gold {
		if !log.Teaches(i) {
			continue
		}
		last = i
		if count++; count%stride == 0 {
			all = append(all, lesson{log: log, community: c, end: i})
		}
	}
	if last >= 0 {
		all = append(all, lesson{log: log, community: c, end: last})
	}
	return all
}

// variation describes how a lesson is varied when it is shown.
type variation struct {
	random                        *rand.Rand
	replies, dropped, warped      float64
	nights, pace, hidden, thinned float64
	usual                         bool // shows the replies that people usually make
	asks                          bool // the last message is a question about an earlier one
}

// vary draws a variation. Each kind of it has a chance of its own.
func vary(random *rand.Rand) variation {
	v := variation{random: random, thinned: 1, hidden: 1}
	if random.Float64() < repliesChance {
		v.replies = random.Float64() * mostReplies
		if v.usual = random.Float64() < usualReplies; v.usual {
			v.replies = 0.5 + random.Float64()
		}
	}
	if random.Float64() < dropChance {
		v.dropped = random.Float64() * mostDropped
	}
	if random.Float64() < warpChance {
		v.warped = random.Float64() * mostWarped
	}
	if random.Float64() < nightsChance {
		v.nights = random.Float64() * mostNights
	}
	if random.Float64() < paceChance {
		v.pace = mostPace * random.NormFloat64()
	}
	if random.Float64() < thinChance {
		v.thinned = leastKept + random.Float64()*(1-leastKept)
	}
	v.asks = random.Float64() < askChance
	if random.Float64() >= hideAllChance {
		v.hidden = random.Float64()
	}
	return v
}

// chance returns true with the given probability.
func (v *variation) chance(p float64) bool { return v.random.Float64() < p }

// gap returns the varied length of a gap. part is the position of the gap in the
// lesson, from 0 to 1.
func (v *variation) gap(gap time.Duration, part float64) time.Duration {
	longer := v.warped * v.random.NormFloat64()
	if part < 0.5 {
		longer += v.pace
	}
	if v.chance(v.nights) {
		longer += shortestNight + v.random.Float64()*(longestNight-shortestNight)
	}
	return time.Duration(float64(max(0, gap)) * math.Exp(longer))
}

// pick picks the messages of a lesson, oldest first: the last history messages or, if
// the lesson is thinned, those of some talks.
func (l lesson) pick(history int, v *variation) []int {
	if v.thinned == 1 || !l.log.Gold[l.end].Annotated {
		picked, _ := evaluation.Last(history)(evaluation.Sight{Before: l.log.Messages[:l.end]})
		return append(picked.Conversation, l.end)
	}
	kept := map[int]bool{l.log.Gold[l.end].Conversation: true}
	picked := []int{l.end}
	for i := l.end - 1; i >= 0 && len(picked) <= history && l.log.Gold[i].Conversation > 0; i-- {
		if l.log.Messages[i].System {
			continue
		}
		talk := l.log.Gold[i].Conversation
		keep, known := kept[talk]
		if !known {
			keep = v.chance(v.thinned)
			kept[talk] = keep
		}
		if keep {
			picked = append(picked, i)
		}
	}
	slices.Reverse(picked)
	return picked
}

// show returns a variation of the lesson: its messages, with their known answers and
// weights.
func (l lesson) show(history int, random *rand.Rand) exercise {
	v := vary(random)
	picked := l.pick(history, &v)
	e := exercise{
		Window: make([]*graph.Message, len(picked)), Parents: make([][]int, len(picked)),
		Blind: make([]bool, len(picked)), Hidden: make([]bool, len(picked)),
		Weight: make([]float32, len(picked)),
	}
	if l.log.Replies > 0 {
		e.Shown = l.shown
	}
	at := make(map[int]int, len(picked))
	var clock time.Time
	for k, i := range picked {
		at[i] = k
		m := l.log.Messages[i]
		if k == 0 {
			clock = m.Time
		} else {
			clock = clock.Add(v.gap(m.Time.Sub(l.log.Messages[picked[k-1]].Time), float64(k)/float64(len(picked))))
		}
		m.Time = clock
		e.Hidden[k] = l.showMessage(i, &m, at, &v, &e.Parents[k])
		e.Window[k], e.Blind[k] = &m, v.chance(blindChance)
		e.Weight[k] = l.weight(i, &v)
	}
	if v.asks {
		v.ask(&e)
	}
	return e
}

// weight returns the weight of a message. A message without a reply whose answer is
// unknown counts as answering nothing, but only with the share of replies that the
// lesson hides as its weight. Links are learnt only from hidden replies. If few are
// hidden, messages without a reply would otherwise outweigh them, and teach that most
// messages answer nothing.
func (l lesson) weight(i int, v *variation) float32 {
	if l.log.Replies > 0 && !l.log.Gold[i].Annotated && evaluation.ReplyOf(&l.log.Messages[i]) < 0 {
		return float32(v.hidden)
	}
	return 1
}

// showMessage returns one message, perhaps without its addresses or its reply, and sets
// what it answers. It reports whether a reply was hidden.
func (l lesson) showMessage(i int, m *graph.Message, at map[int]int, v *variation, parents *[]int) (hidden bool) {
	g := &l.log.Gold[i]
	reply := evaluation.ReplyOf(m)
	if v.chance(v.dropped) {
		m.References = chatlog.KeepReply(m.References)
	}
	if g.Annotated {
		*parents = []int{}
		for _, parent := range g.Parents {
			if to, inSight := at[parent]; inSight {
				*parents = append(*parents, to)
			}
		}
	}
	switch {
	case reply >= 0:
		if !v.chance(v.hidden) {
			return false
		}
		*m = chatlog.WithoutAddress(chatlog.WithoutReply(*m), l.log.Messages[reply].Author)
		if to, inSight := at[reply]; inSight && !g.Annotated {
			*parents = []int{to}
		}
		return true
	case len(g.Parents) > 0 && l.log.Replies == 0:
		parent := g.Parents[len(g.Parents)-1]
		p := v.replies
		if v.usual {
			p *= (&shown{}).chance(shownCell(i-parent, m.Author == l.log.Messages[parent].Author))
		}
		if v.chance(p) {
			m.References = chatlog.WithReply(m.References, parent)
		}
	}
	return false
}
