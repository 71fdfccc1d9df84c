package why

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
)

// heldBefore is the number of messages before the trigger that other strategies are shown.
const heldBefore = 400

// windowLength is how far back the strategy "window" looks.
const windowLength = 10 * time.Minute

// parseStrategies parses names of strategies to compare heddle with. That of the plain
// algorithm is nil.
func parseStrategies(names []string, options graph.Options) ([]evaluation.Rival, error) {
	var strategies []evaluation.Rival
	for _, name := range names {
		s := evaluation.Rival{Name: name}
		count, last := strings.CutPrefix(name, "last-")
		n, err := strconv.Atoi(count)
		switch {
		case last && err == nil && n >= 1 && n <= heldBefore:
			s.Strategy = evaluation.Last(n)
		case name == "window":
			s.Strategy = evaluation.Window(windowLength, options.MaxTotal)
		case name == "reply-chain":
			s.Strategy = evaluation.ReplyChain(options.MaxTotal)
		case name == "plain":
		default:
			return nil, terminal.Errorf("there is no strategy %q to compare with; choose from last-10, last-30 (or any number to %d), window, reply-chain, plain", name, heldBefore)
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
