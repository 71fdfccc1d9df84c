package eval

import (
	"math"

	"heddle/lab/chatlog"
)

// Disentanglement measures how well a log was separated into conversations, by the
// measures of the literature on disentanglement, over all annotated messages. A message
// that starts a conversation counts as linked to itself.
type Disentanglement struct {
	LinkF1   float64 `json:"link_f1"`
	OneToOne float64 `json:"one_to_one"` // overlap under the best pairing of conversations
	VI       float64 `json:"vi"`         // 1 - variation of information / log2 n: 1 is perfect
}

// links collects predicted links.
type links struct {
	log    *chatlog.Log
	parent map[int]int // parent of each annotated message: itself if it starts a conversation
}

// disentangled measures the predicted links and the conversations that they make.
func (l *links) disentangled() Disentanglement {
	predicted, marked, right := 0, 0, 0
	group := newGroups(len(l.log.Gold))
	var annotated []int
	for i := range l.log.Gold {
		parent, judged := l.parent[i]
		if !judged {
			continue
		}
		annotated = append(annotated, i)
		predicted++
		gold := l.log.Gold[i].Parents
		if len(gold) == 0 {
			gold = []int{i}
		}
		marked += len(gold)
		for _, g := range gold {
			if g == parent {
				right++
			}
		}
		group.join(i, parent)
	}
	if predicted == 0 {
		return Disentanglement{}
	}
	counts := contingency(l.log, annotated, group)
	return Disentanglement{
		LinkF1:   2 * float64(right) / float64(predicted+marked),
		OneToOne: float64(bestPairing(counts)) / float64(len(annotated)),
		VI:       scaledVI(counts, len(annotated)),
	}
}

// contingency counts the messages of each predicted group in each conversation.
func contingency(log *chatlog.Log, annotated []int, group *groups) [][]int {
	rows, columns := map[int]int{}, map[int]int{}
	for _, i := range annotated {
		number(rows, group.of(i))
		number(columns, log.Gold[i].Conversation)
	}
	counts := make([][]int, len(rows))
	for r := range counts {
		counts[r] = make([]int, len(columns))
	}
	for _, i := range annotated {
		counts[rows[group.of(i)]][columns[log.Gold[i].Conversation]]++
	}
	return counts
}

func number(numbers map[int]int, key int) {
	if _, known := numbers[key]; !known {
		numbers[key] = len(numbers)
	}
}

// scaledVI returns 1 - VI/log2(n), where VI is the variation of information in bits (Meilă,
// COLT 2003) and log2(n) the greatest value that it has for n messages.
func scaledVI(counts [][]int, n int) float64 {
	if n < 2 {
		return 1
	}
	columns := make([]int, len(counts[0]))
	vi := 0.0
	entropy := func(k int) float64 { return float64(k) / float64(n) * math.Log2(float64(k)/float64(n)) }
	for _, row := range counts {
		sum := 0
		for c, k := range row {
			sum += k
			columns[c] += k
			if k > 0 {
				vi -= 2 * entropy(k)
			}
		}
		vi += entropy(sum)
	}
	for _, k := range columns {
		vi += entropy(k)
	}
	return 1 - vi/math.Log2(float64(n))
}

// groups are disjoint sets of indices.
type groups struct{ up []int }

func newGroups(n int) *groups {
	g := &groups{up: make([]int, n)}
	for i := range g.up {
		g.up[i] = i
	}
	return g
}

func (g *groups) of(i int) int {
	for g.up[i] != i {
		g.up[i] = g.up[g.up[i]]
		i = g.up[i]
	}
	return i
}

func (g *groups) join(a, b int) { g.up[g.of(a)] = g.of(b) }
