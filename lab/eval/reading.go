package eval

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/terminal"
)

// reading has questions read by somebody whose answers are in a file.
type reading struct {
	prompts string            // the folder for what readers are shown; "" writes nothing
	answers map[string]string // by the hash of what was shown
	least   int               // the doubt from which on they are asked

	asked, unanswered atomic.Int64
}

// ReadAnswers reads the answers of readers from a file of JSON lines, by the hash of what
// they were shown.
func ReadAnswers(file string) (map[string]string, error) {
	f, err := os.Open(file) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return nil, terminal.Errorf("the answers of readers cannot be opened: %w; name a file such as lab/questions/read.json", err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	answers, lines := make(map[string]string), bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var answer struct {
			Shown  string `json:"shown"`
			Answer string `json:"answer"`
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			return nil, terminal.Errorf("%s, line %d is no answer: %w", file, n, err)
		}
		answers[answer.Shown] = answer.Answer
	}
	return answers, lines.Err()
}

// choose implements graph.Reader.
func (r *reading) choose(trigger *graph.Message, lines []*graph.Message, doubt int) (graph.Choice, bool) {
	if doubt < r.least || trigger.AsksNothing() {
		return graph.Choice{}, false
	}
	r.asked.Add(1)
	shown := conversation.ToRead(trigger, lines, path.Naming{}.Names(), conversation.Says)
	hash := path.RequestHash([]byte(shown)).String()
	if r.prompts != "" {
		_ = os.WriteFile(filepath.Join(r.prompts, hash+".txt"), []byte(strings.Join([]string{phrases.ModelRead, shown}, "\n\n")), 0o600) // what is missing is seen
	}
	choice, err := conversation.AsRead(r.answers[hash], len(lines))
	if err != nil {
		r.unanswered.Add(1)
	}
	return choice, err == nil
}
