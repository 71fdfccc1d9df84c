package answer

import (
	"context"

	"heddle/store"
)

// Follow joins the call in progress for an answer that p would do with, and reports
// whether there is one. Response waits for what the call comes to: nil if there is
// nothing to give to others.
func (a *Answers) Follow(p *Prepared) (response func(context.Context) (*store.Response, error), joined bool) {
	want := a.lookup.want(p)
	inflight, leads := a.lookup.calls.join(want)
	if leads {
		a.lookup.calls.finish(want, inflight, nil)
		return nil, false
	}
	return func(ctx context.Context) (*store.Response, error) {
		select {
		case <-inflight.done:
			return inflight.response, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, true
}
