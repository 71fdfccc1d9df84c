package eval

import (
	"os"
	"path/filepath"
	"sync/atomic"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
)

// reading has questions read by somebody who answers in files. Each file is named by the
// hash of what the reader is shown.
type reading struct {
	prompts string // the folder for what readers are shown; "" writes nothing
	answers string // the folder of what they answered
	least   int    // the doubt from which on they are asked

	asked, unanswered atomic.Int64
}

// choose implements graph.Reader.
func (r *reading) choose(trigger *graph.Message, lines []*graph.Message, doubt int) (graph.Choice, bool) {
	if doubt < r.least || trigger.AsksNothing() {
		return graph.Choice{}, false
	}
	r.asked.Add(1)
	shown := conversation.ToRead(trigger, lines)
	name := path.RequestHash([]byte(shown)).String() + ".txt"
	if r.prompts != "" {
		_ = os.WriteFile(filepath.Join(r.prompts, name), []byte(phrases.ModelRead+"\n\n"+shown), 0o600) // what is missing is seen
	}
	answer, err := os.ReadFile(filepath.Join(r.answers, name)) //nolint:gosec // the folder is the caller's choice
	if err != nil {
		r.unanswered.Add(1)
		return graph.Choice{}, false
	}
	choice, err := conversation.AsRead(string(answer), lines)
	if err != nil {
		r.unanswered.Add(1)
	}
	return choice, err == nil
}
