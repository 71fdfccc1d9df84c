package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"heddle/graph/path"
	"heddle/store"
)

// Sent is a stored request that begins as a conversation does.
type Sent struct {
	Response store.ResponseID `json:"response"` // whose request it is
	// Messages is how many messages of the conversation the request begins with, and Of
	// how many the request has.
	Messages int `json:"messages"`
	Of       int `json:"of"`
	// Exact is set if the request was read byte for byte.
	Exact bool `json:"exact"`
}

// sent returns the request of a scope that shares most messages with the conversation;
// nil if there is none that shares more than the system prompt.
func (c *Conversed) sent(ctx context.Context, s *store.Store, scope store.Scope) (*Sent, error) {
	given, err := readings(c.messages)
	if err != nil {
		return nil, err
	}
	asked := path.RequestHash(c.request)
	var best *Sent
	for r, err := range s.Archive.All(ctx, scope) {
		if err != nil {
			return nil, fmt.Errorf("read the requests of %s: %w", scope, err)
		}
		if r.Original() != r.ID || r.Gone() || r.IsSummary() {
			continue
		}
		made, err := newSample(ctx, s, r)
		switch {
		case errors.Is(err, errNotTheSame), errors.Is(err, store.ErrCorrupt): // verify names these
			continue
		case err != nil:
			return nil, err
		}
		stored, err := readings(made.messages)
		if err != nil {
			return nil, err
		}
		found := Sent{Response: r.ID, Messages: shared(given, stored), Of: len(stored), Exact: c.request != nil && isRequestOf(&r, asked)}
		if found.Exact || found.Messages > 1 && (best == nil || found.Messages > best.Messages) {
			best = &found
		}
		if found.Exact {
			break
		}
	}
	return best, nil
}

// isRequestOf reports whether a request was made for a response, last or on the way to it.
func isRequestOf(r *store.Response, request path.Hash) bool {
	return r.RequestHash == request || slices.ContainsFunc(r.Requests, func(made store.Request) bool { return made.Hash == request })
}

// readings returns messages as texts that are equal if the model reads the same.
func readings(messages []json.RawMessage) ([]string, error) {
	texts := make([]string, len(messages))
	for i, raw := range messages {
		var m wireMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, fmt.Errorf("read a message: %w", err)
		}
		text, err := json.Marshal([]any{m.Role, m.Name, m.text(), m.Calls, m.CallID})
		if err != nil {
			return nil, fmt.Errorf("compare a message: %w", err)
		}
		texts[i] = string(text)
	}
	return texts, nil
}
