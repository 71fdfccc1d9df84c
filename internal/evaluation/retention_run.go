package evaluation

import (
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// tokens counts what a turn takes: a token for every four bytes and four for the
// turn. The same count holds for everything that is compared.
func tokens(turn path.Turn) int { return (len(turn.PlainText())+3)/4 + 4 }

// replay shapes the path of every request of a talk, one after the other as the bot
// does: from the path before, the answer to it and the new request. see is told of
// each.
func (t *talk) replay(shape path.Shape, confidences []*float64, see func(i int, built path.Built)) {
	shape.Answers = make(map[graph.MessageID]path.Answer, len(t.exchanges))
	shape.Count, shape.ArtifactWindow = tokens, 5*time.Second
	var held []graph.Message
	for i := range t.exchanges {
		g := &graph.Graph{Trigger: t.request(i)}
		for _, m := range held {
			g.Conversation = append(g.Conversation, graph.Node{Message: m, Probability: 1})
		}
		built := path.Build(g, shape)
		see(i, built)

		answer := t.response(i)
		record := path.Answer{Trigger: answer.Answers, Finish: "stop", Confidence: confidences[i]}
		for _, a := range answer.Attachments {
			record.Artifacts = append(record.Artifacts, path.Artifact{Message: answer.ID, Attachment: a.ID, Name: a.Name})
		}
		shape.Answers[answer.ID] = record
		held = append(slices.Clip(built.Messages), answer)
		shape.Lineage = path.Lineage{Positions: make(map[graph.MessageID]int, len(held)), Cut: built.Cut, Files: built.Files}
		for k, m := range built.Messages {
			shape.Lineage.Positions[m.ID] = built.Positions[k]
		}
	}
}

// tally counts over requests what of a talk is there when it is needed.
type tally struct {
	Needed     int `json:"needed"`  // exchanges, summed over the requests that need them
	Present    int `json:"present"` // of these, in the path
	Linear     int `json:"linear"`  // in the newest exchanges of no more tokens
	Far        int `json:"far"`     // as above, of those older than the last 20 messages
	FarPresent int `json:"far_present"`
	FarLinear  int `json:"far_linear"`
	Tokens     int `json:"tokens"`   // of all paths of requests that need something
	Wasted     int `json:"wasted"`   // of these, what the request did not need
	Requests   int `json:"requests"` // that need something
	FollowUps  int `json:"follow_ups"`
	Extended   int `json:"extended"` // follow-ups whose path begins with the whole path before
}

func (a *tally) add(b tally) {
	for _, f := range []struct {
		to   *int
		more int
	}{
		{&a.Needed, b.Needed},
		{&a.Present, b.Present},
		{&a.Linear, b.Linear},
		{&a.Far, b.Far},
		{&a.FarPresent, b.FarPresent},
		{&a.FarLinear, b.FarLinear},
		{&a.Tokens, b.Tokens},
		{&a.Wasted, b.Wasted},
		{&a.Requests, b.Requests},
		{&a.FollowUps, b.FollowUps},
		{&a.Extended, b.Extended},
	} {
		*f.to += f.more
	}
}

// farExchanges is how many exchanges the last 20 messages are.
const farExchanges = 10

// measure replays a talk and counts.
func (t *talk) measure(shape path.Shape, confidences []*float64) tally {
	var sum tally
	var before []path.Hash
	sizes := t.sizes()
	t.replay(shape, confidences, func(i int, built path.Built) {
		hashes := built.Path.Hashes()
		if i > 0 {
			sum.FollowUps++
			if len(hashes) >= len(before) && hashes[len(before)-1] == before[len(before)-1] {
				sum.Extended++
			}
		}
		before = hashes
		if len(t.exchanges[i].needs) > 0 {
			sum.add(t.weigh(i, built, sizes))
		}
	})
	return sum
}

// weigh compares what a request's path holds with the newest exchanges.
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

// held says of the exchanges before a request which its path holds.
func (t *talk) held(i int, built path.Built) []bool {
	held := make([]bool, i)
	for _, m := range built.Messages[:len(built.Messages)-1] {
		held[exchangeOf(m.ID)] = true
	}
	return held
}

// linear adds what the newest exchanges of no more tokens hold.
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

// sizes are the tokens of every exchange.
func (t *talk) sizes() []int {
	sizes := make([]int, len(t.exchanges))
	for i := range t.exchanges {
		for _, m := range []graph.Message{t.request(i), t.response(i)} {
			sizes[i] += tokens(path.TurnOf(m, m.Name, false))
		}
	}
	return sizes
}

// facts counts of a scripted talk's last request, by what can be read in its path.
func (t *talk) facts(shape path.Shape, confidences []*float64) tally {
	last := len(t.exchanges) - 1
	sizes := t.sizes()
	var c tally
	t.replay(shape, confidences, func(i int, built path.Built) {
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
