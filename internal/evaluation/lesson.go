package evaluation

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/selection"
)

// Lessons are stretches of logs, each shown a little differently every time: so
// that no habit of one platform is learnt as if it were a law.
const (
	stride = 40 // annotated messages between the ends of two lessons of a log

	mostReplies   = 0.6  // of the messages with a parent, shown as replies
	repliesChance = 0.75 // of a lesson showing replies at all
	mostDropped   = 1.2  // of the messages, without the addresses they have; above 1: all, sometimes
	dropChance    = 0.3
	mostWarped    = 1.5 // spread of the logarithm that gaps are multiplied by
	warpChance    = 0.5

	// Slow channels sleep at night, and people go on in the morning.
	nightsChance  = 0.3
	mostNights    = 0.05 // of the gaps
	shortestNight = 3    // natural logarithm of how many times its length a gap becomes
	longestNight  = 8

	// mostRepeats bounds how often a lesson of a small community is repeated, so
	// that it weighs something beside a large one.
	mostRepeats = 8
)

// lesson is one stretch of a log to learn from.
type lesson struct {
	log *Log
	end int // index of its last message
}

// lessons draws the lessons of one epoch.
func lessons(communities [][]*Log, random *rand.Rand) []lesson {
	largest := 0
	for _, logs := range communities {
		largest = max(largest, annotated(logs))
	}
	var all []lesson
	for _, logs := range communities {
		repeats := min(mostRepeats, largest/max(annotated(logs), 1))
		for range max(repeats, 1) {
			for _, log := range logs {
				all = log.lessons(all, random.IntN(stride))
			}
		}
	}
	random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}

func annotated(logs []*Log) int {
	n := 0
	for _, log := range logs {
		for i := range log.Gold {
			if log.Gold[i].Annotated {
				n++
			}
		}
	}
	return n
}

func (l *Log) lessons(all []lesson, offset int) []lesson {
	count, last := offset, -1
	for i := range l.Gold {
		if !l.Gold[i].Annotated || l.Messages[i].System {
			continue
		}
		last = i
		if count++; count%stride == 0 {
			all = append(all, lesson{l, i})
		}
	}
	if last >= 0 {
		all = append(all, lesson{l, last})
	}
	return all
}

// byCommunity puts logs that lie in the same folder together.
func byCommunity(logs []*Log) [][]*Log {
	var communities [][]*Log
	at := map[string]int{}
	for _, log := range logs {
		folder := filepath.Dir(log.Path)
		k, known := at[folder]
		if !known {
			k = len(communities)
			at[folder] = k
			communities = append(communities, nil)
		}
		communities[k] = append(communities[k], log)
	}
	return communities
}

// variation is how one showing of a lesson differs from what was logged.
type variation struct{ replies, dropped, warped, nights float64 }

func vary(random *rand.Rand) variation {
	var v variation
	if random.Float64() < repliesChance {
		v.replies = random.Float64() * mostReplies
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
	return v
}

// gap gives a gap of the log as the variation shows it.
func (v variation) gap(gap time.Duration, random *rand.Rand) time.Duration {
	longer := v.warped * random.NormFloat64()
	if random.Float64() < v.nights {
		longer += shortestNight + random.Float64()*(longestNight-shortestNight)
	}
	return time.Duration(float64(gap) * math.Exp(longer))
}

// show makes the window of a lesson, with what people marked about it.
func (l lesson) show(history int, random *rand.Rand) affinity.Lesson {
	picked := selection.Last(history)(selection.Sight{Before: l.log.Messages[:l.end]}).Conversation
	picked = append(picked, l.end)
	v := vary(random)
	shown := affinity.Lesson{
		Window: make([]*graph.Message, len(picked)), Parents: make([][]int, len(picked)),
	}
	at := make(map[int]int, len(picked))
	var clock time.Time
	for k, i := range picked {
		at[i] = k
		m := l.log.Messages[i]
		if k == 0 {
			clock = m.Time
		} else {
			clock = clock.Add(v.gap(m.Time.Sub(l.log.Messages[picked[k-1]].Time), random))
		}
		m.Time = clock
		if random.Float64() < v.dropped {
			m.References = nil
		}
		g := &l.log.Gold[i]
		if g.Annotated {
			shown.Parents[k] = []int{}
			for _, parent := range g.Parents {
				if to, inSight := at[parent]; inSight {
					shown.Parents[k] = append(shown.Parents[k], to)
				}
			}
			if len(g.Parents) > 0 && random.Float64() < v.replies {
				m.References = withReply(m.References, g.Parents[len(g.Parents)-1])
			}
		}
		shown.Window[k] = &m
	}
	return shown
}

// withReply gives references with a reply to the message at an index before them.
func withReply(references []graph.Reference, to int) []graph.Reference {
	reply := graph.Reference{
		Kind: graph.ReferenceReply, Channel: logChannel,
		Message: messageID(to), State: graph.ReferenceResolved,
	}
	return append([]graph.Reference{reply}, references...)
}
