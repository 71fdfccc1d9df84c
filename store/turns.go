package store

import (
	"context"
	"encoding/json"
	"fmt"

	"heddle/graph/path"
)

// Turns reads the turns of a response's path, root first. It returns ErrCorrupt if one
// is damaged or missing.
func (s *Responses) Turns(ctx context.Context, r Response) ([]path.Turn, error) {
	keys := make([]Key, len(r.Prompts))
	for i, prompt := range r.Prompts {
		keys[i] = Key{r.Scope, turnName(prompt)}
	}
	values, err := s.base.get(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read the turns of a response: %w", err)
	}
	turns := make([]path.Turn, len(keys))
	for i, key := range keys {
		if turns[i], err = decodeTurn(key, r.Prompts[i], values[i]); err != nil {
			s.base.reject(ctx, err)
			return nil, fmt.Errorf("read turn %d of %d of a response: %w", i+1, len(keys), err)
		}
	}
	return turns, nil
}

// decodeTurn decodes the stored value of a turn. It returns ErrCorrupt unless the turn
// has the hash prompt.
func decodeTurn(key Key, prompt path.Hash, value []byte) (path.Turn, error) {
	if value == nil {
		return path.Turn{}, fmt.Errorf("%w: it is missing", ErrCorrupt)
	}
	payload, err := unseal(key, value)
	if err != nil {
		return path.Turn{}, err
	}
	turn, err := path.DecodeTurn(payload)
	if err != nil {
		return path.Turn{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if turn.Hash() != prompt {
		return path.Turn{}, fmt.Errorf("%w: it does not match its hash", ErrCorrupt)
	}
	return turn, nil
}

// Tools reads the tools that the model could call for a response.
func (s *Responses) Tools(ctx context.Context, r Response) ([]path.Tool, error) {
	key := Key{r.Scope, toolsName(r.Root)}
	values, err := s.base.get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("read the tools of a response: %w", err)
	}
	tools, err := decodeTools(key, &r, values[0])
	if err != nil {
		s.base.reject(ctx, err)
	}
	return tools, err
}

// decodeTools decodes the stored value of the tools of a response; nil stands for none.
// It returns ErrCorrupt unless they match the root of the response.
func decodeTools(key Key, r *Response, value []byte) ([]path.Tool, error) {
	var tools []path.Tool
	if value != nil {
		payload, err := unseal(key, value)
		if err != nil {
			return nil, err
		}
		if json.Unmarshal(payload, &tools) != nil {
			return nil, fmt.Errorf("%w: the tools do not decode", ErrCorrupt)
		}
	}
	if path.Root(tools, r.Options) != r.Root {
		return nil, fmt.Errorf("%w: the tools and options do not match the root", ErrCorrupt)
	}
	return tools, nil
}
