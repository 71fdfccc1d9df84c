package why

import (
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/evaluation"
)

// heldBefore is the number of messages before the trigger that other strategies are shown.
const heldBefore = 400

// strategy is a strategy to compare heddle with.
type strategy struct {
	name   string
	choose evaluation.Strategy // nil for the plain algorithm
}

// parseStrategies parses names of strategies.
func parseStrategies(names []string, options graph.Options) ([]strategy, error) {
	var strategies []strategy
	for _, name := range names {
		s := strategy{name: name}
		switch name {
		case "last-30":
			s.choose = evaluation.Last(30)
		case "reply-chain":
			s.choose = evaluation.ReplyChain(options.MaxTotal)
		case "plain":
		default:
			return nil, wrong("there is no strategy %q to compare with; there are last-30, reply-chain and plain", name)
		}
		strategies = append(strategies, s)
	}
	return strategies, nil
}

func besideOf(name string, messages []graph.Message) Beside {
	b := Beside{Strategy: name, Messages: []graph.MessageID{}}
	for i := range messages {
		b.Messages = append(b.Messages, messages[i].ID)
		b.Characters += utf8.RuneCountInString(messages[i].Text)
	}
	return b
}
