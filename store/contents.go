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

// Turns reads the turns of a response's path, root first. It returns ErrCorrupt if what is
// stored of its path does not match its path hash.
func (s *Responses) Turns(ctx context.Context, r Response) ([]path.Turn, error) {
	stored, err := s.base.contents(ctx, &r)
	return stored.Turns, err
}

// Tools reads the tools that the model could call for a response. It fails as Turns does.
func (s *Responses) Tools(ctx context.Context, r Response) ([]path.Tool, error) {
	stored, err := s.base.contents(ctx, &r)
	return stored.Tools, err
}

// contents reads the path and the tools of a response.
func (s *base) contents(ctx context.Context, r *Response) (stored contents, err error) {
	values, err := s.values(ctx, r.Scope, contentsName(recordName(r.ID)))
	if err != nil {
		return contents{}, fmt.Errorf("read the path of a response: %w", err)
	}
	if json.Unmarshal(values[0], &stored) != nil || (path.Path{Turns: stored.Turns, Tools: stored.Tools, Options: r.Options}).Hash() != r.PathHash {
		err := fmt.Errorf("%w: its path is missing or does not match the path_hash", ErrCorrupt)
		s.reject(ctx, err)
		return contents{}, err
	}
	return stored, nil
}
