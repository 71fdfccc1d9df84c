package answer

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"heddle/bot/sources"
	"heddle/bot/work"
	"heddle/llm"
	"heddle/store"
)

// maxWaits is how many requests of others a question waits for. If none of them results
// in an answer, the question makes its own, so that a hundred people who ask the same
// of a failing model do not wait for each other in turn.
const maxWaits = 2

// lookup finds the stored answer to an equal path, or one that is being made.
type lookup struct {
	responses Responses
	leases    *work.Leases
	guilds    Guilds
	people    sources.People
	model     string
	reuseFor  time.Duration
	calls     *singleflight
	counts    *counts
}

// newLookup returns a lookup of a model's answers. An answer may be given again for
// reuseFor; if that is 0, never.
func newLookup(responses Responses, leases *work.Leases, guilds Guilds, people sources.People, model string, reuseFor time.Duration) *lookup {
	return &lookup{
		responses: responses, leases: leases, guilds: guilds, people: people, model: model, reuseFor: reuseFor,
		calls: newSingleflight(), counts: &counts{},
	}
}

// lead is the right to ask the model.
type lead struct {
	share func(*store.Response) // passes the answer to those who wait for it
	end   func()                // must be called
}

// alone returns the lead of a question that nobody else waits for.
func alone() lead { return lead{share: func(*store.Response) {}, end: func() {}} }

// find returns a stored answer that the asker may be given. If there is none, it
// returns nil and the lead to ask the model. The error is the cause of ctx's end.
func (l *lookup) find(ctx context.Context, log *slog.Logger, p *Prepared) (*store.Response, lead, error) {
	l.counts.requests.Add(1)
	if p.Fresh || l.reuseFor <= 0 {
		l.counts.bypassed.Add(1)
		return nil, alone(), nil
	}
	want := l.want(p)
	for range maxWaits {
		inflight, leads := l.calls.join(want)
		if leads {
			return l.lead(ctx, log, p, want, inflight)
		}
		select {
		case <-inflight.done:
		case <-ctx.Done():
			l.counts.misses.Add(1)
			return nil, lead{}, context.Cause(ctx)
		}
		if inflight.response == nil {
			continue
		}
		if !l.permits(ctx, log, p, inflight.response) {
			break
		}
		l.counts.coalesced.Add(1)
		return inflight.response, lead{}, nil
	}
	l.counts.misses.Add(1)
	return nil, alone(), nil
}

// lead looks an answer up, also on behalf of equal questions that come meanwhile. Those
// in this process wait for the call to finish, and those in other processes wait for the
// lead in the store.
func (l *lookup) lead(ctx context.Context, log *slog.Logger, p *Prepared, want store.Want, led *call) (*store.Response, lead, error) {
	asks := false
	defer func() {
		if !asks {
			l.calls.finish(want, led, nil)
		}
	}()
	sought, err := l.responses.Seek(ctx, want, l.leases.TTL())
	if err != nil && ctx.Err() != nil {
		l.counts.misses.Add(1)
		return nil, lead{}, context.Cause(ctx)
	}
	if sought.Found {
		l.calls.finish(want, led, &sought.Response) // whoever waits is checked for permission, too
		if !l.permits(ctx, log, p, &sought.Response) {
			l.counts.misses.Add(1)
			return nil, alone(), nil
		}
	}
	l.counts.sought(sought, err)
	if err != nil { // an outage, which the store has logged
		log.DebugContext(ctx, "stored answers could not be looked up, the model is asked", "error", err)
	}
	if sought.Found {
		return &sought.Response, lead{}, nil
	}
	release := func() {}
	if err == nil {
		release = l.leases.Keep(ctx, log, sought.Lead)
	}
	asks = true
	return nil, lead{
		share: func(r *store.Response) { l.calls.finish(want, led, r) },
		end: func() {
			release()
			l.calls.finish(want, led, nil)
		},
	}, nil
}

// permits reports whether a stored answer may be given to the asker. An answer made
// from the words of somebody who opted out never is.
func (l *lookup) permits(ctx context.Context, log *slog.Logger, p *Prepared, stored *store.Response) bool {
	if sources.AnyOut(l.people, stored.Sources) {
		return false
	}
	asker := p.AskedBy(p.Person())
	asker.Own = p.Sources()
	return sources.MayBeGiven(ctx, log, l.guilds, asker, stored.Sources)
}

// want returns a description of the stored answers that may be given.
func (l *lookup) want(p *Prepared) store.Want {
	return store.Want{
		Scope: p.Place.Scope, PathHash: p.Hash(), FactsHash: p.Facts(), Model: cmp.Or(p.Model, l.model), MaxAge: l.reuseFor,
	}
}

// reusable reports whether an answer may be given to others who ask the same.
func reusable(r *store.Response) bool {
	return r.FinishReason == llm.FinishStop && r.Text != "" && !r.TimeBound
}

// shareIfReusable calls share with a copy of a response that may be given to others.
func shareIfReusable(r store.Response, share func(*store.Response)) {
	if reusable(&r) {
		share(&r)
	}
}
