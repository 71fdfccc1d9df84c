package retention

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// talk is a long conversation with heddle: exchanges of a request and its answer.
type talk struct {
	exchanges []exchange
}

// exchange is a request and its answer.
type exchange struct {
	request, answer string
	needs           []int  // the earlier exchanges that the request needs
	fact            string // what a later request needs of the answer, in scripted talks
}

// talkLength is the number of exchanges of each conversation that is cut from a log;
// they have 200 turns.
const talkLength = 100

// talksOf cuts a log into long conversations, as if heddle had been one of the
// speakers. Exchanges of different conversations stay interleaved. A request needs the
// exchanges with the messages that it answers according to people's marks, directly or
// through others.
func talksOf(log *chatlog.Log) []*talk {
	pairs, numbers := pairsOf(log)
	var talks []*talk
	for from := 0; from+talkLength/2 <= len(pairs); from += talkLength {
		t := &talk{}
		for _, p := range pairs[from:min(from+talkLength, len(pairs))] {
			x := exchange{request: log.Messages[p.request].Text, answer: log.Messages[p.answer].Text}
			for _, needed := range ancestors(log, p.request, numbers) {
				if number := needed - from; number >= 0 && number < len(t.exchanges) {
					x.needs = append(x.needs, number)
				}
			}
			t.exchanges = append(t.exchanges, x)
		}
		talks = append(talks, t)
	}
	return talks
}

// pair is the indices of two messages of a log that stand for a request and its answer.
type pair struct{ request, answer int }

// pairsOf takes the annotated messages of each conversation of a log in pairs. It
// returns the pairs in the order of their answers, and for each message of the log the
// number of its pair, from 1; 0 if it is in none.
func pairsOf(log *chatlog.Log) (pairs []pair, numbers []int) {
	numbers = make([]int, len(log.Messages))
	waiting := map[int]int{} // by conversation, the message that waits for its answer
	for i := range log.Messages {
		conversation := log.Gold[i].Conversation
		if conversation == 0 || log.Messages[i].System {
			continue
		}
		request, waits := waiting[conversation]
		if !waits {
			waiting[conversation] = i
			continue
		}
		pairs = append(pairs, pair{request, i})
		numbers[request], numbers[i] = len(pairs), len(pairs)
		delete(waiting, conversation)
	}
	return pairs, numbers
}

// ancestors returns the exchanges with the messages that a message answers, directly or
// through others. numbers are those of pairsOf.
func ancestors(log *chatlog.Log, message int, numbers []int) []int {
	var found []int
	seen, messages := map[int]bool{}, map[int]bool{message: true}
	for queue := []int{message}; len(queue) > 0; queue = queue[1:] {
		for _, parent := range log.Gold[queue[0]].Parents {
			if messages[parent] {
				continue
			}
			messages[parent] = true
			queue = append(queue, parent)
			if number := numbers[parent] - 1; number >= 0 && !seen[number] {
				seen[number] = true
				found = append(found, number)
			}
		}
	}
	return found
}

// scripted returns a conversation with a number of turns. Facts are stated in its first
// half, among exchanges that are not needed again. The last request needs all facts.
func scripted(turns, facts int, r *rand.Rand) *talk {
	n := turns / 2
	t := &talk{exchanges: make([]exchange, n)}
	for i := range t.exchanges {
		t.exchanges[i] = exchange{request: babble(r, 8+r.IntN(16)), answer: babble(r, 20+r.IntN(60))}
	}
	last := &t.exchanges[n-1]
	last.request = "What were all the numbers I gave you?"
	for k, i := range r.Perm(n / 2)[:facts] {
		x := &t.exchanges[i]
		x.fact = fmt.Sprintf("%d-%06d", k, r.IntN(1e6))
		x.request = fmt.Sprintf("Remember that number %d is %s.", k, x.fact)
		x.answer = fmt.Sprintf("I will: number %d is %s. %s", k, x.fact, babble(r, 10+r.IntN(30)))
		last.needs = append(last.needs, i)
	}
	return t
}

func babble(r *rand.Rand, words int) string {
	vocabulary := strings.Fields("the a we you server channel build test today maybe works again with without into some other thing time ask answer small large message question reason plan")
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[r.IntN(len(vocabulary))])
	}
	return b.String()
}

// request returns the first message of an exchange. The ids of messages are their
// positions in the talk.
func (t *talk) request(i int) graph.Message {
	return graph.Message{ID: graph.MessageID(2*i + 1), Channel: evaluation.LogChannel, Author: 1, Name: "Ann", Text: t.exchanges[i].request} //nolint:gosec // an index is not negative
}

// response returns the second message of an exchange.
func (t *talk) response(i int) graph.Message {
	return graph.Message{ID: graph.MessageID(2*i + 2), Channel: evaluation.LogChannel, Author: 2, Name: "heddle", Text: t.exchanges[i].answer, //nolint:gosec // an index is not negative
		Origin: graph.OriginSelf, Answers: graph.MessageID(2*i + 1)} //nolint:gosec // an index is not negative
}

// exchangeOf returns the exchange that a message of a talk belongs to.
func exchangeOf(id graph.MessageID) int { return int(id-1) / 2 } //nolint:gosec // ids of a talk are small
