// Package recall finds older messages that share rare words, names, code or files with a
// question. It only compares its arguments: it reads nothing and knows no clock, and the
// same messages always give the same matches.
//
// Messages are compared in exchanges: a question to heddle together with the answers to
// it, or any other message alone. The fewer exchanges hold a word, the more it is worth,
// and a long exchange has to hold more than a short one (BM25). A word longer than five
// characters counts twice if the whole of it is equal, and once if only its first five
// characters are. A piece such as "deploy.yml" or "parse_frame" counts in addition to the
// words in it.
package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"heddle/graph"
)

// Search compares messages with a question. One goroutine at a time may use it.
type Search struct {
	words     Words
	hints     uint64     // the lowest six bits of each word, as a set, to skip most other words
	exchanges []exchange // by anchor
}

// exchange is what an exchange shares with the question.
type exchange struct {
	anchor graph.MessageID
	length int    // in words
	shared uint64 // the words of the question that it holds, by their numbers
}

// Scored is an exchange, by the message that it begins with, and what it shares.
type Scored struct {
	Anchor graph.MessageID
	Score  float64
}

// NewSearch returns a search for the words of a question.
func NewSearch(words Words) *Search {
	s := &Search{words: words}
	for t := range words {
		s.hints |= 1 << (t & 63)
	}
	return s
}

// Add compares one more message. It is fastest in the order of positions.
func (s *Search) Add(m *graph.Message) {
	anchor := m.Position().Anchor
	at, known := len(s.exchanges), false
	if at > 0 && s.exchanges[at-1].anchor >= anchor {
		at, known = slices.BinarySearchFunc(s.exchanges, anchor, func(e exchange, anchor graph.MessageID) int { return cmp.Compare(e.anchor, anchor) })
	}
	if !known {
		s.exchanges = slices.Insert(s.exchanges, at, exchange{anchor: anchor})
	}
	e := &s.exchanges[at]
	e.length += read(m, func(t term) {
		if s.hints>>(t&63)&1 == 0 {
			return
		}
		if number, asked := s.words[t]; asked {
			e.shared |= 1 << number
		}
	})
}

// Find returns the exchanges that share words of at least so many bits with the question,
// best first and the newest first of equally good ones.
func (s *Search) Find(least float64) []Scored {
	length := 0
	for i := range s.exchanges {
		length += s.exchanges[i].length
	}
	weights, average := s.weights(), float64(length)/max(float64(len(s.exchanges)), 1)
	return s.best(least, func(e *exchange) float64 { return score(e.shared, weights, e.length, average) })
}

// weights returns the weight of each word of the question.
func (s *Search) weights() []float64 {
	weights := make([]float64, len(s.words))
	for number := range weights {
		holding := 0
		for i := range s.exchanges {
			holding += int(s.exchanges[i].shared >> number & 1)
		}
		weights[number] = weight(holding, len(s.exchanges))
	}
	return weights
}

// Holding returns the exchanges that hold words of the question, however common these are:
// those with the most words first and, of equally many, the newest first. A score is the
// number of words.
func (s *Search) Holding() []Scored {
	return s.best(0, func(e *exchange) float64 { return float64(bits.OnesCount64(e.shared)) })
}

// best returns the exchanges with a score above 0, and of at least least.
func (s *Search) best(least float64, score func(*exchange) float64) []Scored {
	var found []Scored
	for i := range s.exchanges {
		if e := &s.exchanges[i]; e.shared != 0 {
			if score := score(e); score > 0 && score >= least {
				found = append(found, Scored{e.anchor, score})
			}
		}
	}
	slices.SortFunc(found, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Anchor, a.Anchor))
	})
	return found
}

// LeastOwn is the least score, in bits, of the asker's own exchanges with heddle and of
// messages that have just left the conversation. A single word that is not very rare may
// well refer to these.
const LeastOwn = 2

// LeastOther returns the least score, in bits, of exchanges of others. That is a rare word,
// and nearly two words that one exchange alone holds if the question has more to share: one
// about something else shares a single word with many.
func (s *Search) LeastOther() float64 {
	const rare, twoWords, nearlyAll = 5, 1.75, 0.6
	together := 0.0
	for _, w := range s.weights() {
		together += w
	}
	return max(rare, min(twoWords*weight(1, len(s.exchanges)), nearlyAll*together))
}

// The constants of BM25 (Robertson and Zaragoza, Foundations and Trends in Information
// Retrieval 3, 2009), which calls them k₁ and b. b is lower than the usual 0.75, so that
// length matters less.
const (
	saturation = 1.2
	lengthness = 0.5
)

// common is the share of the exchanges above which a word that they hold tells nothing.
const common = 0.25

// Fit returns the matches, best first, that fit into room one after the other. cost returns
// the room of a match; one that takes none is left out.
func Fit[T any](matches []T, room int, cost func(T) int) []T {
	var fitting []T
	for _, match := range matches {
		if takes := cost(match); takes > 0 && takes <= room {
			room -= takes
			fitting = append(fitting, match)
		}
	}
	return fitting
}

// weight returns the weight in bits of a word that holding of all exchanges hold:
//
//	log₂(1 + (all − holding + ½) / (holding + ½)),
//
// or 0 if too many hold it to tell anything.
func weight(holding, all int) float64 {
	with := float64(holding)
	if holding == 0 || holding > 2 && with > common*float64(all) {
		return 0
	}
	return math.Log2(1 + (float64(all)-with+0.5)/(with+0.5))
}

// score returns the score of an exchange, in bits: with the sum w of the weights of the
// words that it shares,
//
//	w · (k₁ + 1) / (1 + k₁ · (1 − b + b · length/average)).
//
// A word counts once, however often the exchange holds it.
func score(shared uint64, weights []float64, length int, average float64) float64 {
	sum := 0.0
	for ; shared != 0; shared &= shared - 1 {
		sum += weights[bits.TrailingZeros64(shared)]
	}
	longer := float64(length) / max(average, 1)
	return sum * (saturation + 1) / (1 + saturation*(1-lengthness+lengthness*longer))
}
