package llm

import (
	"context"
	"errors"
)

// Chain asks one of several models. It asks the model that a request names, or the first
// one. If the first one fails before it has said anything, Chain asks the next ones in
// turn. Its methods may be called from any goroutine.
type Chain struct {
	first   *Client
	next    []*Client
	offered map[string]*Client
	failed  func(model string, kind Kind, next string)
}

// NewChain returns a chain of the first model and of those to ask if it fails. failed,
// which may be nil, is called when the next model is asked.
func NewChain(first *Client, next []*Client, failed func(model string, kind Kind, next string)) *Chain {
	if failed == nil {
		failed = func(string, Kind, string) {}
	}
	return &Chain{first: first, next: next, offered: make(map[string]*Client), failed: failed}
}

// Offer adds a model that requests may name. It must not be called at the same time as
// other methods.
func (c *Chain) Offer(client *Client) { c.offered[client.Model()] = client }

// Model returns the name of the first model.
func (c *Chain) Model() string { return c.first.Model() }

// Rejected is Client.Rejected of the first model.
func (c *Chain) Rejected() []string { return c.first.Rejected() }

// TestVision is Client.TestVision of the first model.
func (c *Chain) TestVision(ctx context.Context) (bool, error) { return c.first.TestVision(ctx) }

// Close closes idle connections.
func (c *Chain) Close() {
	c.first.Close()
	for _, client := range c.next {
		client.Close()
	}
	for _, client := range c.offered {
		client.Close()
	}
}

// Stream asks like Client.Stream. The answer is that of the model that answered, or of
// the last that failed; Answer.Asked names it.
func (c *Chain) Stream(ctx context.Context, request Request, each func(Delta)) (Answer, error) {
	asked := c.first
	if wanted := c.offered[request.Model]; wanted != nil {
		asked = wanted
	}
	answer, err := asked.Stream(ctx, request, each)
	for _, next := range c.next {
		var failure *Error
		if !errors.As(err, &failure) || !failure.Kind.isOfProvider() || answer.Text != "" || ctx.Err() != nil {
			break
		}
		if next == asked {
			continue
		}
		c.failed(asked.Model(), failure.Kind, next.Model())
		asked = next
		answer, err = asked.Stream(ctx, request, each)
	}
	return answer, err
}

// isOfProvider reports whether the provider and not the request is to blame, so that
// another provider may do better.
func (k Kind) isOfProvider() bool {
	switch k {
	case Unreachable, Auth, NotFound, RateLimited, Quota, Server, Stalled, Malformed, Away:
		return true
	case ContextTooLong, Refused, BadRequest, Cut, Empty, Cancelled, Limited:
	}
	return false
}
