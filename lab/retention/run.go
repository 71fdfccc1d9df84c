package retention

import (
	"slices"
	"strings"

	"heddle/graph"
	"heddle/graph/path"
)

// tokens estimates the tokens of a turn: one for every four bytes, and four for the
// turn itself.
func tokens(turn path.Turn) int { return (len(turn.PlainText())+3)/4 + 4 }

// replay builds the path of every request of a talk as the bot does: from the path
// before, its answer and the new request. It calls see with each path.
func (t *talk) replay(retention path.Retention, confidences []*float64, see func(i int, built path.Built)) {
	shape := path.Shape{Retention: retention, Count: tokens, Answers: make(map[graph.MessageID]path.Answer, len(t.exchanges))}
	var held []graph.Message
	for i := range t.exchanges {
		g := &graph.Graph{Trigger: t.request(i)}
		for _, m := range held {
			g.Conversation = append(g.Conversation, graph.Node{Message: &m, Probability: 1})
		}
		built := path.Build(g, shape)
		see(i, built)

		answer := t.response(i)
		shape.Answers[answer.ID] = path.Answer{Trigger: answer.Answers, Finish: "stop", Confidence: confidences[i]}
		held = append(slices.Clip(built.Messages), answer)
		shape.Lineage = path.Lineage{Positions: make(map[graph.MessageID]int, len(held)), Cut: built.Cut}
		for k, m := range built.Messages {
			shape.Lineage.Positions[m.ID] = built.Positions[k]
		}
	}
}

// tally counts the needed exchanges that are on the path, over requests.
type tally struct {
	Needed     int `json:"needed"`  // needed exchanges, summed over the requests that need them
	Present    int `json:"present"` // how many of these are on the path
	Linear     int `json:"linear"`  // how many are among the newest exchanges with at most as many tokens
	Far        int `json:"far"`     // as above, of those older than the last 20 messages
	FarPresent int `json:"far_present"`
	FarLinear  int `json:"far_linear"`
	Tokens     int `json:"tokens"`   // tokens of all paths of requests that need an exchange
	Wasted     int `json:"wasted"`   // how many of these the request did not need
	Requests   int `json:"requests"` // number of requests that need an exchange
}

func (a *tally) add(b tally) {
	a.Needed += b.Needed
	a.Present += b.Present
	a.Linear += b.Linear
	a.Far += b.Far
	a.FarPresent += b.FarPresent
	a.FarLinear += b.FarLinear
	a.Tokens += b.Tokens
	a.Wasted += b.Wasted
	a.Requests += b.Requests
}

// farExchanges is the number of exchanges among the last 20 messages.
const farExchanges = 10

// measure replays a talk and returns the counts.
func (t *talk) measure(retention path.Retention, confidences []*float64) tally {
	var sum tally
	sizes := t.sizes()
	t.replay(retention, confidences, func(i int, built path.Built) {
		if len(t.exchanges[i].needs) > 0 {
			sum.add(t.weigh(i, built, sizes))
		}
	})
	return sum
}

// weigh compares the path of a request with a window of the newest exchanges.
func (t *talk) weigh(i int, built path.Built, sizes []int) tally {
	held := t.held(i, built)
	needed := make([]bool, i)
	c := tally{Requests: 1}
	for _, j := range t.exchanges[i].needs {
		needed[j] = true
		c.Needed++
		if held[j] {
			c.Present++
		}
		if i-j > farExchanges {
			c.Far++
			if held[j] {
				c.FarPresent++
			}
		}
	}
	for j, in := range held {
		if in {
			c.Tokens += sizes[j]
			if !needed[j] {
				c.Wasted += sizes[j]
			}
		}
	}
	t.linear(i, &c, needed, sizes)
	return c
}

// held reports for each exchange before a request whether it is on the path.
func (t *talk) held(i int, built path.Built) []bool {
	held := make([]bool, i)
	for _, m := range built.Messages[:len(built.Messages)-1] {
		held[exchangeOf(m.ID)] = true
	}
	return held
}

// linear counts the needed exchanges in the largest window of the newest exchanges that
// has no more tokens than the path.
func (t *talk) linear(i int, c *tally, needed []bool, sizes []int) {
	used := 0
	for j := i - 1; j >= 0; j-- {
		if used += sizes[j]; used > c.Tokens {
			break
		}
		if !needed[j] {
			continue
		}
		c.Linear++
		if i-j > farExchanges {
			c.FarLinear++
		}
	}
}

// sizes returns the tokens of every exchange.
func (t *talk) sizes() []int {
	sizes := make([]int, len(t.exchanges))
	for i := range t.exchanges {
		for _, m := range []graph.Message{t.request(i), t.response(i)} {
			sizes[i] += tokens(path.TurnOf(m, m.Name))
		}
	}
	return sizes
}

// facts counts the facts in the text of the path of a scripted talk's last request.
func (t *talk) facts(retention path.Retention, confidences []*float64) tally {
	last := len(t.exchanges) - 1
	sizes := t.sizes()
	var c tally
	t.replay(retention, confidences, func(i int, built path.Built) {
		if i != last {
			return
		}
		var text strings.Builder
		for _, turn := range built.Path.Turns {
			text.WriteString(turn.PlainText())
		}
		c = t.weigh(i, built, sizes)
		c.Present = 0
		for _, j := range t.exchanges[last].needs {
			if strings.Contains(text.String(), t.exchanges[j].fact) {
				c.Present++
			}
		}
	})
	return c
}
