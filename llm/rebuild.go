package llm

import (
	"context"
	"fmt"
)

// Rebuild makes the body of a request once more, byte for byte, as it was sent to a
// model without the features that Answer.Without named. That holds as long as
// heddle renders turns as it did then: whoever rebuilds compares the RequestHash.
func Rebuild(ctx context.Context, model string, request Request, without []string) ([]byte, error) {
	chat, fields, _ := compose(ctx, model, request, named(without))
	body, err := encode(chat, fields)
	if err != nil {
		return nil, fmt.Errorf("rebuild a request: %w", err)
	}
	return body, nil
}
