package affinity

import (
	"math"
	"slices"

	"heddle/graph"
)

// A question to a bot needs some of the messages before it: most of them are of its own
// conversation, but not all of that is needed, and a question may return to an earlier
// conversation. So a network of its own judges what the question needs, by the links and by
// what both texts have in common. Its weights are learnt from questions with known needs.

// needInput is an input of that network.
type needInput int

const (
	needAlways      needInput = iota // 1
	needLink                         // that the question answers the message, as log-odds
	needTogether                     // that both belong to one conversation
	needCount                        // messages from one to the other
	needNext                         // there is none in between
	needTime                         // time from one to the other
	needPause                        // the longest gap on the way
	needOwn                          // the asker wrote it
	needNamed                        // the question names its author
	needAlike                        // how alike both texts are
	needTalkAlike                    // how alike the question is to its conversation
	needWords                        // the weight of the words that both hold
	needRarest                       // the highest of these weights
	needNone                         // that the question answers nothing
	needLength                       // its characters
	needReplied                      // the question replies to it
	needAskedLength                  // the question's characters
	needMostAlike                    // how alike the question is to the message that it is most alike
	needAuthorIn                     // that the asker speaks in its conversation
	needAlikeShare                   // how alike both are, as a share of that
	needLater                        // newer messages of its conversation
	needEarlier                      // older ones
	needAnswered                     // answers to it
	needCode                         // it holds code, a path or an option
	needNumber                       // it holds a digit
	needNewWords                     // that messages hold some of the question's words, and others not
	needInputs
)

// needUnits is the number of hidden units of the network.
const needUnits = 8

// NeedInputs are the signs of one message of whether the question needs it.
type NeedInputs [needInputs]float32

// askInput is an input of the model of whether a question needs any message.
type askInput int

const (
	askAlways   askInput = iota // 1
	askExpected                 // how many it needs, as the network judges
	askNewWords                 // needNewWords
	askInputs
)

// AskInputs are the signs of whether a question needs any message.
type AskInputs [askInputs]float32

// Needs holds the weights of a network with one hidden layer of rectified units and a
// linear model beside it. The logistic function of its score is the probability that a
// question needs a message. Asks is another linear model: its score is the logarithm of
// the odds that a question needs any.
type Needs struct {
	In     [needUnits]NeedInputs
	Out    [needUnits]float32
	Linear NeedInputs
	Asks   AskInputs
}

// Score returns the score of a message. units are set to the values of the hidden units.
func (n *Needs) Score(x *NeedInputs, units *[needUnits]float32) float32 {
	score := dot(&n.Linear, x)
	for h := range n.In {
		units[h] = max(0, dot(&n.In[h], x))
		score += float32(n.Out[h] * units[h])
	}
	return score
}

func dot(a, b *NeedInputs) float32 {
	sum := float32(0)
	for k := range a {
		sum += float32(a[k] * b[k])
	}
	return sum
}

// Judge returns the probability that a question needs each message with these inputs, and
// the signs of whether it needs any. There must be a message.
func (n *Needs) Judge(inputs []NeedInputs) ([]float32, AskInputs) {
	needs, expected := make([]float32, len(inputs)), float32(leastExpected)
	var units [needUnits]float32
	for i := range inputs {
		needs[i] = float32(1 / (1 + math.Exp(-float64(n.Score(&inputs[i], &units)))))
		expected += needs[i]
	}
	return needs, AskInputs{askAlways: 1, askExpected: log2(expected), askNewWords: inputs[0][needNewWords]}
}

// leastExpected keeps the logarithm of the number of messages that a question needs finite.
const leastExpected = 0.01

// Odds returns the odds that a question needs any message.
func (n *Needs) Odds(x AskInputs) float64 {
	score := 0.0
	for k := range x {
		score += float64(float64(n.Asks[k]) * float64(x[k]))
	}
	return math.Exp(score)
}

// NeedInputs returns the inputs of every message before the last one of a window, as if
// that were a question.
func (m *Model) NeedInputs(window []*graph.Message) []NeedInputs {
	w := newWindow(window, len(window)-1, nil)
	return m.weights.infer(w).needInputs(window)
}

// needInputs returns the inputs of every message before that of the row, which must be the
// last one judged.
func (r *row) needInputs(messages []*graph.Message) []NeedInputs {
	w, j, q := r.w, r.j, r.answer
	all := make([]NeedInputs, j)
	if j == 0 {
		return all
	}
	mostAlike := float32(0)
	for i := range j {
		mostAlike = max(mostAlike, w.alike[j*w.n+i])
	}
	named, newWords := r.named(messages), r.newWords()
	longest := 0.0
	for i := j - 1; i >= 0; i-- {
		e, x, k := &w.entries[i], &all[i], j*w.n+i
		longest = max(longest, w.times[i+1]-w.times[i])
		x[needAlways] = 1
		x[needLink] = logOdds(w.links.Row(j)[i]) / 4
		x[needTogether] = w.together[k]
		x[needCount] = log2(float32(j-i+1)) / 3
		x[needNext] = one(i == j-1)
		x[needTime] = r.needPace(w.times[j] - w.times[i])
		x[needPause] = r.needPace(longest)
		x[needOwn] = one(e.author == q.author)
		x[needNamed] = one(named[e.author])
		x[needAlike] = root(w.alike[k])
		x[needTalkAlike] = root(r.alike[i])
		x[needWords] = log2(1+w.words[k]) / 3
		x[needRarest] = w.rarest[k] / 6
		x[needLength] = e.features.length / 6
		x[needCode] = one(e.features.shape&shapeCode != 0)
		x[needNumber] = one(e.features.shape&shapeNumber != 0)
		x[needNone] = w.none[j]
		x[needReplied] = one(q.certain == i)
		x[needAskedLength] = q.features.length / 6
		x[needMostAlike] = root(mostAlike)
		x[needAuthorIn] = w.authorIn[q.author*w.n+i]
		x[needAlikeShare] = w.alike[k] / max(mostAlike, leastAlike)
		x[needLater] = log2(1+w.later[i]) / 3
		x[needEarlier] = log2(1+w.earlier[i]) / 3
		x[needAnswered] = log2(1 + w.answers[i])
		x[needNewWords] = newWords
	}
	return all
}

// needPace returns a time in units of the pace, as an input.
func (r *row) needPace(seconds float64) float32 {
	return min(12, max(-6, r.inPace(seconds)-6)) / 5
}

// newWords returns how clearly the answer changes the subject: 4·s·(1−s), where s is the
// share of its words that no message before it holds. It is 1 for a half, and 0 not only
// for none, but also for all: a question in another language shows nothing.
func (r *row) newWords() float32 {
	words := r.answer.features.words
	unknown := len(words)
	for _, word := range words {
		if slices.ContainsFunc(r.w.entries[:r.j], func(e entry) bool {
			_, held := slices.BinarySearch(e.features.words, word)
			return held
		}) {
			unknown--
		}
	}
	share := float32(unknown) / float32(max(1, len(words)))
	return 4 * share * (1 - share)
}

// named reports, by person, whether the answer addresses or names them.
func (r *row) named(messages []*graph.Message) []bool {
	named, asked := make([]bool, len(r.w.people)), make([]bool, len(r.w.people))
	for _, person := range r.answer.addressed {
		named[person] = true
	}
	for i := range r.j {
		author := r.w.entries[i].author
		if asked[author] {
			continue
		}
		asked[author] = true
		for _, word := range analyze(&graph.Message{Text: messages[i].Name}).words {
			if _, held := slices.BinarySearch(r.answer.features.words, word); held {
				named[author] = true
			}
		}
	}
	return named
}

// logOdds returns the binary logarithm of the odds of a probability, within bounds.
func logOdds(p float32) float32 {
	const least = 0.002
	p = min(1-least, max(least, p))
	return log2(p) - log2(1-p)
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

//nolint:revive // whether an input is on is its value, not a choice between two functions
func one(is bool) float32 {
	if is {
		return 1
	}
	return 0
}
