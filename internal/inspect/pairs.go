package inspect

import (
	"encoding/json"
	"fmt"

	"heddle/graph/path"
	"heddle/store"
)

// tally is what people who permit it think of a response, each counted once.
type tally struct {
	Good int `json:"good"`
	Bad  int `json:"bad"`
}

func (t *tally) count(good bool) {
	if good {
		t.Good++
	} else {
		t.Bad++
	}
}

func (t *tally) net() int { return t.Good - t.Bad }

// likes are the alternatives among which a preference means something: those by one
// model to one path, with the same facts in the tail. What else the tail holds,
// such as background, may differ.
type likes struct {
	path, facts path.Hash
	model       string
	without     string
}

func (s *sample) likes() likes {
	return likes{s.PathHash, s.FactsHash, s.Model, fmt.Sprint(s.Without)}
}

// pair is a response with one that people like less. The prompt is that of the first.
type pair struct{ chosen, rejected *sample }

// eachPair makes a row of every two alternatives of which one has the higher net
// rating. What is shown is no preference: whoever asks afresh sees the newest.
func eachPair(row func(pair) (any, error)) maker {
	return func(samples []sample, withheld *Withheld) ([]any, error) {
		alternatives := make(map[likes][]*sample)
		for i := range samples {
			alternatives[samples[i].likes()] = append(alternatives[samples[i].likes()], &samples[i])
		}
		rows := []any{}
		paired := make(map[store.ResponseID]bool)
		for i := range samples {
			chosen := &samples[i]
			for _, other := range alternatives[chosen.likes()] {
				if chosen.tally.net() <= other.tally.net() || other.Text == chosen.Text {
					continue
				}
				made, err := row(pair{chosen, other})
				if err != nil {
					return nil, err
				}
				rows = append(rows, made)
				paired[chosen.ID], paired[other.ID] = true, true
			}
		}
		withheld.Unpaired += len(samples) - len(paired)
		return rows, nil
	}
}

// trlPair is TRL's preference with an explicit prompt.
func trlPair(p pair) (any, error) {
	prompt, err := p.chosen.prompt()
	return struct {
		Prompt   []json.RawMessage `json:"prompt"`
		Chosen   []message         `json:"chosen"`
		Rejected []message         `json:"rejected"`
		Tools    json.RawMessage   `json:"tools,omitempty"`
	}{prompt, []message{assistant(p.chosen.Said())}, []message{assistant(p.rejected.Said())}, p.chosen.tools}, err
}

// openAIPair is OpenAI's preference, with the messages as they were sent.
func openAIPair(p pair) (any, error) {
	type input struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools,omitempty"`
	}
	return struct {
		Input        input     `json:"input"`
		Preferred    []message `json:"preferred_output"`
		NonPreferred []message `json:"non_preferred_output"`
	}{
		input{p.chosen.messages, p.chosen.tools},
		[]message{assistant(p.chosen.Said())},
		[]message{assistant(p.rejected.Said())},
	}, nil
}
