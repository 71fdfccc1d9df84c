package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// roundOf returns the sample of a request to which the model responded with tool calls.
func roundOf(ctx context.Context, s *store.Store, r *store.Response, i int) (sample, error) {
	asked := r.Requests[i]
	if asked.Turns >= len(r.Transcript) {
		return sample{}, errNotTheSame
	}
	said := r.Transcript[asked.Turns]
	step := *r
	step.Requests, step.RequestHash, step.Without = r.Requests[:i+1], asked.Hash, asked.Without
	step.FinishReason = finishCalls
	step.ResponseHash = path.ResponseHash(said.PlainText(), finishCalls)
	step.Artifacts, step.Code, step.Confidence, step.Usage = nil, nil, nil, store.Usage{}
	step.Tokens, step.Model = asked.Tokens, cmp.Or(asked.Model, r.Model)
	made, err := newSample(ctx, s, step)
	if err != nil {
		return sample{}, err
	}
	made.step = fmt.Sprintf("round %d", i+1)
	made.said, err = called(ctx, step.Model, said)
	return made, err
}

// finishCalls is the finish reason of a response that calls tools.
const finishCalls = "tool_calls"

// called returns a turn in which the model calls tools, in the form that a later
// request contains.
func called(ctx context.Context, model string, said path.Turn) (json.RawMessage, error) {
	body, err := llm.Rebuild(ctx, model, llm.Request{Path: path.Path{Turns: []path.Turn{{Role: path.RoleUser}}}, Since: []path.Turn{said}}, nil)
	if err != nil {
		return nil, err
	}
	var wire struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &wire); err != nil || len(wire.Messages) == 0 {
		return nil, fmt.Errorf("read a turn: %w", err)
	}
	return wire.Messages[len(wire.Messages)-1], nil
}

// helperOf returns the sample of a helper's answer.
func helperOf(ctx context.Context, r *store.Response, b *store.Branch) (sample, error) {
	asked := llm.Request{Path: path.Path{Turns: b.Turns, Options: b.Options}}
	model := cmp.Or(b.Model, r.Model)
	body, err := llm.Rebuild(ctx, model, asked, b.Without)
	if err != nil {
		return sample{}, err
	}
	if path.RequestHash(body) != b.RequestHash {
		return sample{}, errNotTheSame
	}
	step := store.Response{ID: r.ID, Standing: r.Standing}
	step.Sources, step.Model, step.Options, step.Without = r.Sources, model, b.Options, b.Without
	step.PathHash, step.RequestHash, step.ResponseHash = b.PathHash, b.RequestHash, b.ResponseHash
	step.Text, step.FinishReason, step.Usage = b.Text, b.FinishReason, b.Usage
	step.Tokens = b.Tokens
	for _, turn := range b.Turns {
		step.Prompts = append(step.Prompts, turn.Hash())
	}
	made, err := sampleOf(step, request{body: body})
	made.step = "helper " + b.Call
	return made, err
}
