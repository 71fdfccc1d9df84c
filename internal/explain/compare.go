package explain

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/selection"
)

// windowLength is how far back the strategy "window" looks.
const windowLength = 10 * time.Minute

// strategy is a strategy to compare heddle with.
type strategy struct {
	name   string
	choose selection.Strategy // nil for the plain algorithm
}

// taken holds the messages that a strategy takes, oldest first.
type taken struct {
	Strategy string            `json:"strategy"`
	Messages []graph.MessageID `json:"messages"`
	held     []graph.Message   // the same messages
}

// parseStrategies parses names of strategies: those that heddle eval shows, and simpler
// ones.
func parseStrategies(names []string, options graph.Options) ([]strategy, error) {
	var strategies []strategy
	for _, name := range names {
		s := strategy{name: name}
		count, last := strings.CutPrefix(name, "last-")
		n, err := strconv.Atoi(count)
		switch {
		case last && err == nil && n >= 1 && n <= heldBefore:
			s.choose = selection.Last(n)
		case name == "window" || name == "10-min":
			s.choose = selection.Window(windowLength, options.MaxTotal)
		case name == "reply-chain" || name == "chain":
			s.choose = selection.ReplyChain(options.MaxTotal)
		case name == "plain":
		default:
			return nil, wrong("there is no strategy %q to compare with; choose from last-10, last-30 (or any number to %d), window, reply-chain, plain", name, heldBefore)
		}
		strategies = append(strategies, s)
	}
	return strategies, nil
}

// compare lets every strategy choose from the same messages.
func (c *conversation) compare(ctx context.Context, strategies []strategy, options graph.Options) ([]taken, error) {
	all := make([]taken, 0, len(strategies))
	for _, s := range strategies {
		messages, err := c.choose(ctx, s, options)
		if err != nil {
			return nil, err
		}
		t := taken{Strategy: s.name, Messages: []graph.MessageID{}, held: messages}
		for i := range messages {
			t.Messages = append(t.Messages, messages[i].ID)
		}
		all = append(all, t)
	}
	return all, nil
}

// choose returns what a strategy chooses. Messages that the chosen ones lead to and that
// are not loaded yet are loaded, and the strategy chooses again.
func (c *conversation) choose(ctx context.Context, s strategy, options graph.Options) ([]graph.Message, error) {
	if s.choose == nil {
		options.Affinity = nil
		g, err := c.expand(ctx, options)
		if err != nil {
			return nil, err
		}
		return messagesOf(g.Conversation), nil
	}
	for {
		sight := c.sight()
		chosen, err := s.choose.Select(sight)
		if err != nil {
			return nil, fmt.Errorf("choose as %s does: %w", s.name, err)
		}
		messages := make([]graph.Message, 0, len(chosen.Conversation))
		for _, at := range chosen.Conversation {
			messages = append(messages, sight.Before[at])
		}
		further := c.beyond(messages)
		if len(further) == 0 {
			return messages, nil
		}
		if err := c.follow(ctx, further); err != nil {
			return nil, err
		}
	}
}

// beyond returns the targets of replies among messages that no pass over the files has
// looked for yet.
func (c *conversation) beyond(messages []graph.Message) []graph.Lookup {
	var lookups []graph.Lookup
	for _, m := range append(slices.Clip(messages), c.trigger) {
		for _, r := range m.References {
			l := graph.Lookup{Channel: r.Channel, Message: r.Message}
			_, held := c.held[r.Message]
			if r.Kind == graph.ReferenceReply && r.Channel == c.home.Channel && !held && !c.settled[l] {
				lookups = append(lookups, l)
			}
		}
	}
	return lookups
}

func messagesOf(nodes []graph.Node) []graph.Message {
	messages := make([]graph.Message, len(nodes))
	for i := range nodes {
		messages[i] = *nodes[i].Message
	}
	return messages
}

// characters returns the number of characters in messages.
func characters(messages []graph.Message) int {
	n := 0
	for i := range messages {
		n += utf8.RuneCountInString(messages[i].Text)
	}
	return n
}
