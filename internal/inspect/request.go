package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

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
// "data:TYPE;base64,BYTES".
type picture struct {
	SHA256 path.Hash `json:"sha256"`
	Type   string    `json:"type"` // media type
	Size   int64     `json:"size,omitempty"`
}

// pictureAddress returns the replacement for the address of a picture.
func pictureAddress(content path.Hash) string { return "sha256:" + content.String() }

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
	var made request
	asked := llm.Request{
		Path: path.Path{Turns: turns, Tools: tools, Options: r.Options}, Tail: r.Tail, Since: r.Since(), CacheKey: r.CacheKey,
		Image: func(_ context.Context, shown path.Image) (string, error) {
			if !slices.Contains(r.Pictures, shown.Content.Hash) {
				return "", errNotTheSame // the picture was only named in the request
			}
			made.pictures = append(made.pictures, picture{shown.Content.Hash, shown.Type, shown.Content.Size})
			return pictureAddress(shown.Content.Hash), nil
		},
	}
	made.body, err = llm.Rebuild(ctx, r.Model, asked, r.Without)
	if err != nil {
		return request{}, err
	}
	if len(made.pictures) == 0 && path.RequestHash(made.body) != r.RequestHash {
		return request{}, errNotTheSame
	}
	return made, nil
}
