package path_test

import (
	"fmt"
	"strings"

	"heddle/graph"
	"heddle/graph/path"
)

// chat is a scripted conversation with heddle, whose paths are shaped one after the
// other with what is on record of those before, as the bot does it.
type chat struct {
	shape   path.Shape
	say     func(turn int) string
	certain func(exchange int) *float64
	sees    func(c *chat, request graph.Message) *graph.Graph

	messages []graph.Message
	lineage  path.Lineage
	answers  map[graph.MessageID]path.Answer
}

func newChat(shape path.Shape) *chat {
	return &chat{
		shape:   shape,
		say:     func(turn int) string { return fmt.Sprintf("turn %d: %s", turn, strings.Repeat("word ", 20)) },
		certain: func(int) *float64 { return nil },
		sees:    (*chat).graph,
		answers: map[graph.MessageID]path.Answer{},
	}
}

// exchange asks once and takes the answer; it gives the path that was shaped.
func (c *chat) exchange() path.Built {
	turn := len(c.messages) + 1
	request := said(uint64(turn), 1, "ann", c.say(turn))
	shape := c.shape
	shape.Answers, shape.Lineage = c.answers, c.lineage
	built := path.Build(c.sees(c, request), shape)

	answer := said(uint64(turn+1), 9, "heddle", c.say(turn+1))
	answer.Origin, answer.Answers = graph.OriginSelf, request.ID
	c.messages = append(c.messages, request, answer)
	c.answers[answer.ID] = path.Answer{Trigger: request.ID, Finish: "stop", Confidence: c.certain(turn / 2)}
	c.remember(built)
	return built
}

// graph is what is known at a request: the messages of the last path, its answer,
// and the 30 newest messages, as an expansion would find them.
func (c *chat) graph(request graph.Message) *graph.Graph {
	g := conversation(request, c.messages[max(0, len(c.messages)-30):]...)
	var lineage []graph.Message
	for _, m := range c.messages {
		if _, on := c.lineage.Positions[m.ID]; on {
			lineage = append(lineage, m)
		}
	}
	g.Join(0, lineage)
	return g
}

// everything is a graph of all that was said.
func (c *chat) everything(request graph.Message) *graph.Graph {
	return conversation(request, c.messages...)
}

func (c *chat) remember(built path.Built) {
	c.lineage = path.Lineage{Positions: map[graph.MessageID]int{}, Cut: built.Cut, Checkpoint: built.Checkpoint, Files: built.Files}
	for i, m := range built.Messages {
		c.lineage.Positions[m.ID] = built.Positions[i]
	}
}

// extends reports whether a path begins with every turn of another.
func extends(built, last path.Built) bool {
	hashes, before := built.Path.Hashes(), last.Path.Hashes()
	return len(hashes) >= len(before) && hashes[len(before)-1] == before[len(before)-1]
}

// characters counts a turn's text in bytes, as a token counter would.
func characters(turn path.Turn) int { return len(turn.Speaker) + len(turn.PlainText()) }

func total(p path.Path) int {
	sum := 0
	for _, turn := range p.Turns {
		sum += characters(turn)
	}
	return sum
}
