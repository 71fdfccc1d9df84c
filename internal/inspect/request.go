package inspect

import (
	"context"
	"errors"
	"fmt"

	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// errNotTheSame is met where what is stored makes another request than was sent:
// it showed pictures, or is older than what is kept of requests today.
var errNotTheSame = errors.New("the request that was sent cannot be made again")

// request makes the body of a response's request again, byte for byte.
func request(ctx context.Context, s *store.Store, r *store.Response) ([]byte, error) {
	turns, err := s.Turns(ctx, *r)
	if err != nil {
		return nil, fmt.Errorf("read a path: %w", err)
	}
	tools, err := s.ToolsOf(ctx, *r)
	if err != nil {
		return nil, fmt.Errorf("read the tools of a path: %w", err)
	}
	asked := llm.Request{Path: path.Path{Turns: turns, Tools: tools, Options: r.Options}, Tail: r.Tail, Since: r.Since(), CacheKey: r.CacheKey}
	body, err := llm.Rebuild(ctx, r.Model, asked, r.Without)
	if err != nil {
		return nil, err //nolint:wrapcheck // says what it does
	}
	if path.RequestHash(body) != r.RequestHash {
		return nil, errNotTheSame
	}
	return body, nil
}
