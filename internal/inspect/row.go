package inspect

import (
	"encoding/json"
	"fmt"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// answered returns the model's answer as a message.
func (s *sample) answered() (json.RawMessage, error) {
	if s.said != nil {
		return s.said, nil
	}
	said, err := json.Marshal(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{"assistant", s.response.Said()})
	if err != nil {
		return nil, fmt.Errorf("write an answer: %w", err)
	}
	return said, nil
}

// row returns everything that is stored about a response.
func (s *sample) row() (any, error) {
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
