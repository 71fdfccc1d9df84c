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

// Sent is a stored request that begins like a conversation.
type Sent struct {
	Response store.ResponseID `json:"response"` // whose request it is
	// Messages is the number of messages that the request and the conversation have in
	// common at their beginnings, and Of the number of messages of the request.
	Messages int `json:"messages"`
	Of       int `json:"of"`
	// Exact is set if the conversation is a whole request and equal to this one, byte
	// for byte.
	Exact bool `json:"exact"`
}

// candidates finds, among responses, the one whose request shares most messages with a
// conversation.
type candidates struct {
	conversation *Conversed
	given        []string  // the messages of the conversation
	asked        path.Hash // request hash of the conversation, if it is a whole request
	best         *Sent
}

// add compares the request of a response with the conversation.
func (c *candidates) add(ctx context.Context, s *store.Store, r *store.Response) error {
	if r.Original() != r.ID || r.Gone() || r.IsSummary() || c.best != nil && c.best.Exact {
		return nil
	}
	made, err := newSample(ctx, s, *r)
	switch {
	case errors.Is(err, errNotTheSame), errors.Is(err, store.ErrCorrupt): // the verify command reports these
		return nil
	case err != nil:
		return err
	}
	stored, err := readings(made.messages)
	if err != nil {
		return err
	}
	exact := c.conversation.request != nil && isRequestOf(r, c.asked)
	found := Sent{Response: r.ID, Messages: shared(c.given, stored), Of: len(stored), Exact: exact}
	if exact || found.Messages > 1 && (c.best == nil || found.Messages > c.best.Messages) {
		c.best = &found
	}
	return nil
}

// isRequestOf reports whether a request was one of those that led to a response.
func isRequestOf(r *store.Response, request path.Hash) bool {
	return r.RequestHash == request || slices.ContainsFunc(r.Requests, func(made store.Request) bool { return made.Hash == request })
}

// readings returns messages in a form in which they are equal if the model reads the
// same.
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
