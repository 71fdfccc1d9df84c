package inspect

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// The names of the formats.
const (
	formatOpenAI    = "openai"     // OpenAI's supervised fine-tuning
	formatOpenAIDPO = "openai-dpo" // OpenAI's preference fine-tuning
	formatRaw       = "raw"        // everything
)

// Formats returns the names of all formats, as people see them.
func Formats() []string { return []string{formatOpenAI, formatOpenAIDPO, formatRaw} }

// IsTraining reports whether a format is for training models, which requires Discord's
// permission.
func IsTraining(format string) bool { return format != formatRaw }

// rows returns the rows of samples in a format.
func (e *Exporter) rows(samples []sample, format string) ([]any, error) {
	row := raw
	if IsTraining(format) {
		samples, row = e.trainable(samples), openAI
	}
	if format == formatOpenAIDPO {
		return e.pairs(samples), nil
	}
	rows := make([]any, len(samples))
	for i := range samples {
		var err error
		if rows[i], err = row(&samples[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// trainable withholds samples whose requests showed pictures, which training formats
// cannot contain, and samples with words of somebody who may not have consented.
func (e *Exporter) trainable(samples []sample) []sample {
	return slices.DeleteFunc(samples, func(s sample) bool {
		switch {
		case s.quotes:
			e.Withheld[Quotes]++
		case len(s.request.pictures) > 0:
			e.Withheld[Pictures]++
		default:
			return false
		}
		return true
	})
}

// message is an answer in the form of a message.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func assistant(text string) message { return message{Role: "assistant", Content: text} }

// answered returns the model's answer as a message.
func (s *sample) answered() (json.RawMessage, error) {
	if s.said != nil {
		return s.said, nil
	}
	said, err := json.Marshal(assistant(s.response.Said()))
	if err != nil {
		return nil, fmt.Errorf("write an answer: %w", err)
	}
	return said, nil
}

// openAI returns a conversation in which only the last answer has a weight for
// training. Earlier answers have rows of their own.
func openAI(s *sample) (any, error) {
	answer, err := s.answered()
	if err != nil {
		return nil, err
	}
	messages := append(slices.Clip(s.messages), answer)
	weighted := make([]json.RawMessage, len(messages))
	for i, raw := range messages {
		weight := "0"
		if i == len(messages)-1 {
			weight = "1"
		}
		if weighted[i], err = withWeight(raw, weight); err != nil {
			return nil, err
		}
	}
	return struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools,omitempty"`
	}{weighted, s.tools}, nil
}

// withWeight adds a weight for training to a message, if it is an answer.
func withWeight(raw json.RawMessage, weight string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	if string(fields["role"]) != `"assistant"` {
		return raw, nil
	}
	fields["weight"] = json.RawMessage(weight)
	weighted, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("write a message: %w", err)
	}
	return weighted, nil
}

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

// pairs makes one row from each two alternatives with different net ratings. Which
// alternative is shown does not count as a preference, because after another attempt the
// newest is shown automatically.
func (e *Exporter) pairs(samples []sample) []any {
	samples = slices.DeleteFunc(samples, func(s sample) bool { return s.step != "" }) // people rate only answers
	alternatives := make(map[likes][]*sample)
	for i := range samples {
		alternatives[samples[i].likes()] = append(alternatives[samples[i].likes()], &samples[i])
	}
	var rows []any
	paired := make(map[store.ResponseID]bool)
	for i := range samples {
		chosen := &samples[i]
		for _, other := range alternatives[chosen.likes()] {
			if chosen.tally.net() > other.tally.net() && other.response.Text != chosen.response.Text {
				rows = append(rows, openAIPair(chosen, other))
				paired[chosen.response.ID], paired[other.response.ID] = true, true
			}
		}
	}
	e.Withheld[Unpaired] += len(samples) - len(paired)
	return rows
}

// openAIPair returns a response and one that people like less, with the messages of the
// former as they were sent.
func openAIPair(chosen, rejected *sample) any {
	type input struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools,omitempty"`
	}
	return struct {
		Input        input     `json:"input"`
		Preferred    []message `json:"preferred_output"`
		NonPreferred []message `json:"non_preferred_output"`
	}{
		input{chosen.messages, chosen.tools},
		[]message{assistant(chosen.response.Said())},
		[]message{assistant(rejected.response.Said())},
	}
}

// raw returns everything that is stored about a response.
func raw(s *sample) (any, error) {
	answered, err := s.answered()
	if err != nil {
		return nil, err
	}
	r, code := &s.response, []codeBlock{}
	if s.step == "" {
		code = codeBlocks(r.Text)
	}
	return struct {
		Schema       string            `json:"schema"`
		ID           store.ResponseID  `json:"id"`
		Scope        store.Scope       `json:"scope"`
		PathHash     path.Hash         `json:"path_hash"`
		PromptHashes []path.Hash       `json:"prompt_hashes"`
		RequestHash  path.Hash         `json:"request_hash"`
		ResponseHash path.Hash         `json:"response_hash"`
		Model        string            `json:"model"`          // as requested
		Reported     *string           `json:"reported_model"` // the provider's name for it
		Fingerprint  *string           `json:"system_fingerprint"`
		Options      path.Options      `json:"options"`
		Without      []string          `json:"without"`
		Request      json.RawMessage   `json:"request"`
		Pictures     []picture         `json:"pictures,omitempty"` // the request holds their hashes
		Response     json.RawMessage   `json:"response"`
		FinishReason string            `json:"finish_reason"`
		Usage        store.Usage       `json:"usage"`
		Confidence   *store.Confidence `json:"confidence"`
		OnPolicy     string            `json:"on_policy"` // "text": no token ids are stored
		// Tokens holds the sampled tokens of the text that people read; null if they were
		// not stored.
		Tokens     []store.Token   `json:"tokens"`
		Created    time.Time       `json:"created"`
		Reused     int             `json:"reused"`
		Question   graph.MessageID `json:"question"`
		Generation int             `json:"generation"` // number of edits of the question before this answer
		// Replaces is the answer that this one replaced after an edit of the question,
		// and Continues the answer whose path this one's path continues.
		Replaces  *store.ResponseID `json:"replaces"`
		Continues *store.ResponseID `json:"continues"`
		Shown     bool              `json:"shown"` // by a message, as far as the store knows
		// Step is empty for an answer. "round 2" is the second response that called
		// tools on the way to an answer, and "helper" with the id of a call is the
		// answer of a helper.
		Step      string           `json:"step,omitempty"`
		Artifacts []store.Artifact `json:"artifacts"`
		Code      []codeBlock      `json:"code"` // in the text that people read; empty for a step
		Ratings   tally            `json:"ratings"`
	}{
		"heddle/raw/2", r.ID, r.Scope, r.PathHash, r.Prompts, r.RequestHash, r.ResponseHash, r.Model, known(r.Reported), known(r.Fingerprint), r.Options,
		append([]string{}, r.Without...), s.request.body, s.request.pictures, answered, r.FinishReason, r.Usage, r.Confidence,
		"text", r.Tokens, r.Created, s.reuses, r.Trigger, r.Generation, known(s.replaces), known(r.Continues), s.shown,
		s.step, append([]store.Artifact{}, r.Artifacts...), code, s.tally,
	}, nil
}

// known returns a pointer to a value, or nil if it is zero.
func known[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}
