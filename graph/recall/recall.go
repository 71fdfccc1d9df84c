// Package recall finds older messages that a question shares rare words, names, code or
// files with. It only compares what it is handed: it reads nothing and knows no clock,
// and the same messages always lead to the same matches.
//
// Messages are compared in exchanges: a question to heddle together with the answers to
// it, or any other message alone. A word is worth the more, the fewer exchanges hold
// it, and a long exchange has to hold more than a short one (BM25). A word longer than
// five characters counts twice if the whole of it is equal, and once if only its first
// five characters are. A piece such as "deploy.yml" or "parse_frame" counts for itself,
// beside the words in it.
package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"heddle/graph"
)

// Match is an exchange that shares words with a question.
type Match struct {
	From, To int     // the exchange is held[From:To]
	Score    float64 // bits of what is shared; a higher one is better
}

// Query is what older messages are compared with.
type Query struct {
	Trigger *graph.Message
	// Least returns the score from which on an exchange is a match. It is called with the
	// messages of exchanges that share words with the trigger.
	Least func(exchange []graph.Message) float64
	// Skip reports whether a message is not to be found again. Its words count all the
	// same, as words that are used here. If it is nil, no message is skipped.
	Skip func(*graph.Message) bool
	// Most bounds the number of matches.
	Most int
}

// The least scores that heddle asks for, in bits. What the asker talked about with
// heddle, or what has just left the conversation, may well be meant by a single word
// that is not very rare. Of what others said, a rare word or two words have to be equal.
const (
	LeastOwn   = 2
	LeastOther = 5
)

// The constants of BM25 (Robertson and Zaragoza, Foundations and Trends in Information
// Retrieval 3, 2009), which calls them k₁ and b. b is lower than the usual 0.75, so that
// length matters less.
const (
	saturation = 1.2
	lengthness = 0.5
)

// common is the share of the exchanges from which on a word that they hold says nothing.
const common = 0.25

// Find returns the exchanges among held that share words with the query's trigger, best
// first and, of equally good ones, the newest first. Held is ordered by position and
// does not hold the trigger.
func Find(held []graph.Message, q Query) []Match {
	words := WordsOf(q.Trigger)
	if words.size() == 0 || q.Most <= 0 {
		return nil
	}
	exchanges := compare(held, words)
	weights, average := weigh(exchanges, words.size())
	var matches []Match
	for i := range exchanges {
		e := &exchanges[i]
		score := e.score(weights, average)
		if score <= 0 {
			continue
		}
		messages := held[e.from:e.to]
		if q.skips(messages) {
			continue
		}
		if score >= q.Least(messages) {
			matches = append(matches, Match{From: e.from, To: e.to, Score: score})
		}
	}
	slices.SortFunc(matches, bestFirst)
	return matches[:min(len(matches), q.Most)]
}

// Holding returns the exchanges among held that hold words of a message, however common
// these are: those with the most words first and, of equally many, the newest first. There
// are at most so many. A match's score is the number of words.
func Holding(held []graph.Message, wanted *graph.Message, most int) []Match {
	var matches []Match
	for _, e := range compare(held, WordsOf(wanted)) {
		if e.shared != 0 {
			matches = append(matches, Match{From: e.from, To: e.to, Score: float64(bits.OnesCount64(e.shared))})
		}
	}
	slices.SortFunc(matches, bestFirst)
	return matches[:min(len(matches), most)]
}

// bestFirst compares matches by score. Of equally good ones, the newest comes first.
func bestFirst(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.From, a.From))
}

// skips reports whether one of the messages is not to be found again.
func (q *Query) skips(messages []graph.Message) bool {
	for i := range messages {
		if q.Skip != nil && q.Skip(&messages[i]) {
			return true
		}
	}
	return false
}

// Fit returns those of the matches, best first, that fit into room one after the other.
// Cost returns what a match takes; one that takes nothing is left out.
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

// exchange is held[from:to], compared with a vocabulary.
type exchange struct {
	from, to int
	shared   uint64 // the words of the vocabulary that it holds, by number
	length   int    // in words
}

// compare cuts messages into exchanges and compares them with a vocabulary.
func compare(held []graph.Message, words *Words) []exchange {
	exchanges := make([]exchange, 0, len(held))
	for i := range held {
		m := &held[i]
		if i == 0 || m.Position().Anchor != held[i-1].Position().Anchor {
			exchanges = append(exchanges, exchange{from: i})
		}
		e := &exchanges[len(exchanges)-1]
		e.to = i + 1
		shared, length := words.read(m)
		e.shared |= shared
		e.length += length
	}
	return exchanges
}

// weigh returns what each word is worth, in bits, and the average length of an exchange.
func weigh(exchanges []exchange, words int) (weights []float64, average float64) {
	holding, length := make([]int, words), 0
	for i := range exchanges {
		length += exchanges[i].length
		for shared := exchanges[i].shared; shared != 0; shared &= shared - 1 {
			holding[bits.TrailingZeros64(shared)]++
		}
	}
	weights = make([]float64, words)
	for word, n := range holding {
		weights[word] = weight(n, len(exchanges))
	}
	return weights, float64(length) / max(float64(len(exchanges)), 1)
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

// score returns what an exchange shares, in bits: with the sum w of the weights of the
// words that it shares,
//
//	w · (k₁ + 1) / (1 + k₁ · (1 − b + b · length/average)).
//
// A word counts once, however often the exchange holds it.
func (e *exchange) score(weights []float64, average float64) float64 {
	sum := 0.0
	for shared := e.shared; shared != 0; shared &= shared - 1 {
		sum += weights[bits.TrailingZeros64(shared)]
	}
	if sum == 0 {
		return 0
	}
	longer := float64(e.length) / max(average, 1)
	return sum * (saturation + 1) / (1 + saturation*(1-lengthness+lengthness*longer))
}
