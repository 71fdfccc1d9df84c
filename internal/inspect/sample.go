package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"heddle/llm"
	"heddle/store"
)

// sample is a response with the request as it was sent.
type sample struct {
	response store.Response

	// again holds later responses to the same request with the same text. Their rows
	// would be the same.
	again   []store.Response
	request request
	quotes  bool // see quotes.unclear
	// step names a response on the way to the answer, and said is its message if it
	// called tools. Both are empty for the answer itself.
	step     string
	said     json.RawMessage
	messages []json.RawMessage // of the request
	tools    json.RawMessage   // of the request; nil if there are none
	reuses   int               // how often the answer was reused
	replaces store.ResponseID  // the answer that this one replaced after an edit, or zero
	shown    bool              // chosen among alternatives
	tally    tally
}

// samplesOf returns the samples of an answer. An answer that was made with tools took
// several requests: one for each round of calls, and one for each helper. Each is a sample
// of its own; that of the answer comes last. Requests that cannot be rebuilt count as
// withheld.
func (e *Exporter) samplesOf(ctx context.Context, r *store.Response) ([]sample, error) {
	var samples []sample
	add := func(made sample, err error) error {
		switch {
		case errors.Is(err, errNotTheSame), errors.Is(err, store.ErrCorrupt):
			e.Withheld.Changed++
		case err != nil:
			return err
		default:
			samples = append(samples, made)
		}
		return nil
	}
	for i := range len(r.Requests) - 1 {
		if err := add(roundOf(ctx, e.Store, r, i)); err != nil {
			return nil, err
		}
	}
	for i := range r.Branches {
		b := &r.Branches[i]
		if b.FinishReason != llm.FinishStop || strings.TrimSpace(b.Text) == "" {
			e.Withheld.Partial++
			continue
		}
		if err := add(helperOf(ctx, r, b)); err != nil {
			return nil, err
		}
	}
	if err := add(newSample(ctx, e.Store, *r)); err != nil {
		return nil, err
	}
	return samples, nil
}

// newSample returns the sample of a response, with its request rebuilt from the store.
func newSample(ctx context.Context, s *store.Store, r store.Response) (sample, error) {
	made, err := requestOf(ctx, s, &r)
	if err != nil {
		return sample{}, err
	}
	return sampleOf(r, made)
}

// sampleOf returns the sample of a response to a request.
func sampleOf(r store.Response, made request) (sample, error) {
	var wire struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools"`
	}
	if err := json.Unmarshal(made.body, &wire); err != nil {
		return sample{}, fmt.Errorf("read a request: %w", err)
	}
	return sample{response: r, request: made, messages: wire.Messages, tools: wire.Tools}, nil
}
