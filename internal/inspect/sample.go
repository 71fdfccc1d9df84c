package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// sample is a response with the request as it was sent.
type sample struct {
	response store.Response
	request  request
	// step names a response on the way to the answer, and said is its message if it
	// called tools. Both are empty for the answer itself.
	step     string
	said     json.RawMessage
	messages []json.RawMessage // of the request
	reuses   int               // how often the answer was reused
	replaces store.ResponseID  // the answer that this one replaced after an edit, or zero
	shown    bool              // a message shows it, as far as the store knows
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
			e.Withheld[Changed]++
		case err != nil:
			return err
		default:
			samples = append(samples, made)
		}
		return nil
	}
	whole, wholeErr := newSample(ctx, e.Store, *r)
	for i := range len(r.Requests) - 1 {
		if err := add(roundOf(ctx, e.Store, r, i, whole.messages)); err != nil {
			return nil, err
		}
	}
	for i := range r.Branches {
		b := &r.Branches[i]
		if b.FinishReason != llm.FinishStop || strings.TrimSpace(b.Text) == "" {
			e.Withheld[Partial]++
			continue
		}
		if err := add(helperOf(r, b)); err != nil {
			return nil, err
		}
	}
	return samples, add(whole, wholeErr)
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
	}
	if err := json.Unmarshal(made.body, &wire); err != nil {
		return sample{}, fmt.Errorf("read a request: %w", err)
	}
	return sample{response: r, request: made, messages: wire.Messages}, nil
}

// roundOf returns the sample of a request to which the model responded with tool calls. The
// last request of the answer, whose messages are whole, repeats that request and then what
// the model responded.
func roundOf(ctx context.Context, s *store.Store, r *store.Response, i int, whole []json.RawMessage) (sample, error) {
	asked := r.Requests[i]
	if asked.Turns >= len(r.Transcript) {
		return sample{}, errNotTheSame
	}
	said := r.Transcript[asked.Turns]
	step := *r
	step.Requests, step.RequestHash, step.Without = r.Requests[:i+1], asked.Hash, asked.Without
	step.FinishReason = finishCalls
	step.ResponseHash = path.ResponseHash(said.PlainText(), finishCalls)
	step.Artifacts, step.Confidence, step.Usage = nil, nil, store.Usage{}
	step.Tokens, step.Model = asked.Tokens, cmp.Or(asked.Model, r.Model)
	made, err := newSample(ctx, s, step)
	if err == nil && len(made.messages) >= len(whole) {
		err = errNotTheSame
	}
	if err != nil {
		return sample{}, err
	}
	made.step, made.said = fmt.Sprintf("round %d", i+1), whole[len(made.messages)]
	return made, nil
}

// finishCalls is the finish reason of a response that calls tools.
const finishCalls = "tool_calls"

// helperOf returns the sample of a helper's answer.
func helperOf(r *store.Response, b *store.Branch) (sample, error) {
	asked := llm.Request{Path: path.Path{Turns: b.Turns, Options: b.Options}}
	model := cmp.Or(b.Model, r.Model)
	body, err := llm.Rebuild(model, asked, b.Without)
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
	step.Prompts = path.Prompts(b.Turns)
	made, err := sampleOf(step, request{body: body})
	made.step = "helper " + b.Call
	return made, err
}

// errNotTheSame means that the request rebuilt from the stored parts differs from the
// one that was sent.
var errNotTheSame = errors.New("the request that was sent cannot be rebuilt")

// request is the body of a response's request.
type request struct {
	body []byte
	// pictures holds the pictures in the request, in order. Their bytes are not stored,
	// so the body contains their SHA-256 in their places. Without pictures the body is
	// exactly what was sent.
	pictures []picture
}

// picture is a picture that the model was shown. The address that was sent is
// "data:TYPE;base64,BYTES". Of a picture that Discord's media proxy converted, SHA256 is the
// hash of the original's id.
type picture struct {
	SHA256 path.Hash `json:"sha256"`
	Type   string    `json:"type"` // media type
	Size   int64     `json:"size,omitempty"`
}

// requestOf rebuilds the body of a response's request.
func requestOf(ctx context.Context, s *store.Store, r *store.Response) (request, error) {
	turns, err := s.Responses.Turns(ctx, *r)
	if err != nil {
		return request{}, fmt.Errorf("read a path: %w", err)
	}
	tools, err := s.Responses.Tools(ctx, *r)
	if err != nil {
		return request{}, fmt.Errorf("read the tools of a path: %w", err)
	}
	r.Prompts = path.Prompts(turns)
	var made request
	asked := llm.Request{
		Path: path.Path{Turns: turns, Tools: tools, Options: r.Options}, Tail: r.Tail, Since: r.Since(), CacheKey: r.CacheKey,
		Image: func(shown path.Image) string {
			if !slices.Contains(r.Pictures, shown.Content.Hash) {
				return "" // it was only named in the request
			}
			made.pictures = append(made.pictures, picture{shown.Content.Hash, shown.Type, shown.Content.Size})
			return "sha256:" + shown.Content.Hash.String()
		},
	}
	made.body, err = llm.Rebuild(r.Model, asked, r.Without)
	if err != nil {
		return request{}, err
	}
	if len(made.pictures) == 0 && path.RequestHash(made.body) != r.RequestHash {
		return request{}, errNotTheSame
	}
	return made, nil
}
