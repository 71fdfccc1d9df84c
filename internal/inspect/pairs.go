package inspect

import (
	"encoding/json"
	"fmt"
	"slices"

	"heddle/graph/path"
	"heddle/store"
)

// tally counts the ratings of a response by consenting people, the latest of each
// person.
type tally struct {
	Good int `json:"good"`
	Bad  int `json:"bad"`
}

func (t *tally) count(r store.Rating) {
	if r.Good {
		t.Good++
	} else {
		t.Bad++
	}
}

func (t *tally) net() int { return t.Good - t.Bad }

// likes is the key by which alternatives can be compared: same path, same model, and
// the same facts in the tail. Other parts of the tail, such as background, may differ.
type likes struct {
	path, facts path.Hash
	model       string
	without     string
}

func (s *sample) likes() likes {
	return likes{s.response.PathHash, s.response.FactsHash, s.response.Model, fmt.Sprint(s.response.Without)}
}

// pair is a response and one that people like less. The prompt of a row is that of
// chosen.
type pair struct{ chosen, rejected *sample }

// eachPair returns a maker that makes one row from each two alternatives with different
// net ratings. Which alternative is shown does not count as a preference, because after
// another attempt the newest is shown automatically.
func eachPair(row func(pair) (any, error)) maker {
	return func(samples []sample, withheld *Withheld) ([]any, error) {
		samples = slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return s.step != "" }) // people rate only answers
		alternatives := make(map[likes][]*sample)
		for i := range samples {
			alternatives[samples[i].likes()] = append(alternatives[samples[i].likes()], &samples[i])
		}
		rows := []any{}
		paired := make(map[store.ResponseID]bool)
		for i := range samples {
			chosen := &samples[i]
			for _, other := range alternatives[chosen.likes()] {
				if chosen.tally.net() <= other.tally.net() || other.response.Text == chosen.response.Text {
					continue
				}
				made, err := row(pair{chosen, other})
				if err != nil {
					return nil, err
				}
				rows = append(rows, made)
				paired[chosen.response.ID], paired[other.response.ID] = true, true
			}
		}
		withheld.Unpaired += len(samples) - len(paired)
		return rows, nil
	}
}

// trlPair returns TRL's preference with an explicit prompt.
func trlPair(p pair) (any, error) {
	prompt, err := p.chosen.prompt()
	return struct {
		Prompt   []json.RawMessage `json:"prompt"`
		Chosen   []message         `json:"chosen"`
		Rejected []message         `json:"rejected"`
		Tools    json.RawMessage   `json:"tools,omitempty"`
	}{prompt, []message{assistant(p.chosen.response.Said())}, []message{assistant(p.rejected.response.Said())}, p.chosen.tools}, err
}

// openAIPair returns OpenAI's preference, with the messages as they were sent.
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
		[]message{assistant(p.chosen.response.Said())},
		[]message{assistant(p.rejected.response.Said())},
	}, nil
}
