package llm

import (
	"context"
	"fmt"
)

// Rebuild returns the body of a request that was sent before, byte for byte. without is
// its Answer.Without. A later version of heddle may render turns differently, so
// callers must compare the RequestHash.
func Rebuild(ctx context.Context, model string, request Request, without []string) ([]byte, error) {
	chat, from, fields, _ := compose(ctx, model, request, named(without))
	body, err := new(surrounds).encode(chat, from, fields)
	if err != nil {
		return nil, fmt.Errorf("rebuild a request: %w", err)
	}
	return body, nil
}
