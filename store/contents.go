package store

import (
	"context"
	"encoding/json"
	"fmt"

	"heddle/graph/path"
)

// contents is what is stored apart from the record of a response.
type contents struct {
	Turns []path.Turn `json:"turns"`
	Tools []path.Tool `json:"tools,omitempty"`
}

// contents returns the stored form of the response's path and tools.
func (r *Response) contents() string {
	stored, _ := json.Marshal(contents{r.Path, r.Tools}) // it never fails: these are texts
	return string(stored)
}

// Turns reads the turns of a response's path, root first. It returns ErrCorrupt if one
// is damaged or missing.
func (s *Responses) Turns(ctx context.Context, r Response) ([]path.Turn, error) {
	stored, err := s.base.contents(ctx, &r)
	if err != nil {
		return nil, fmt.Errorf("read the turns of a response: %w", err)
	}
	for i := range r.Prompts {
		if i >= len(stored.Turns) || stored.Turns[i].Hash() != r.Prompts[i] {
			err := fmt.Errorf("%w: turn %d of %d is missing or does not match its hash", ErrCorrupt, i+1, len(r.Prompts))
			s.base.reject(ctx, err)
			return nil, err
		}
	}
	return stored.Turns, nil
}

// Tools reads the tools that the model could call for a response. It returns ErrCorrupt
// unless they match the root of the response.
func (s *Responses) Tools(ctx context.Context, r Response) ([]path.Tool, error) {
	stored, err := s.base.contents(ctx, &r)
	if err != nil {
		return nil, fmt.Errorf("read the tools of a response: %w", err)
	}
	if path.Root(stored.Tools, r.Options) != r.Root {
		err := fmt.Errorf("%w: the tools and options do not match the root", ErrCorrupt)
		s.base.reject(ctx, err)
		return nil, err
	}
	return stored.Tools, nil
}

// contents reads the path and the tools of a response. What is missing or damaged is none.
func (s *base) contents(ctx context.Context, r *Response) (stored contents, err error) {
	values, err := s.values(ctx, r.Scope, contentsName(recordName(r.ID)))
	if err != nil {
		return contents{}, err
	}
	if json.Unmarshal(values[0], &stored) != nil {
		stored = contents{}
	}
	return stored, nil
}
