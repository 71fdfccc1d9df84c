package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"heddle/graph/path"
	"heddle/internal/wait"
)

// Want describes the response that Seek looks for: one to this path, by this model,
// with these facts in the tail.
type Want struct {
	Scope     Scope
	PathHash  path.Hash
	FactsHash path.Hash
	Model     string
	MaxAge    time.Duration // greatest age of a response that may be reused; 0: any
}

// hash returns the same hash for equal wants. Callers with equal wants wait for each
// other.
func (w *Want) hash() path.Hash {
	b := append(append([]byte(nil), w.PathHash[:]...), w.FactsHash[:]...)
	return sha256.Sum256(append(b, w.Model...))
}

// finishStop is the finish reason of a complete answer, as in llm.FinishStop.
const finishStop = "stop"

// fits reports whether a response is a complete answer that may be reused.
func (w *Want) fits(r *Response, now time.Time) bool {
	return r.FactsHash == w.FactsHash && r.Model == w.Model && r.FinishReason == finishStop && r.Text != "" &&
		!r.TimeBound && (w.MaxAge == 0 || now.Sub(r.Created) < w.MaxAge)
}

// Sought is the result of Seek. If Found is set, Response is the response. Otherwise
// the caller has the lead, and Lead is its lease.
type Sought struct {
	Found    bool
	Response Response
	Lead     Lease
	Waited   bool // Seek waited for another caller with an equal want
	Damaged  int  // number of damaged responses that were ignored
}

// Seek looks for a response that can be reused. If there is none, one caller gets the
// lead. It must ask the model, save the response and release the lead, which it renews
// like a claim. All other callers with an equal want wait for the response. If the lead
// ends without a response, for example because its process died, one of the waiting
// callers gets the lead. If the store becomes unavailable, callers wait on as long as a
// lead that they have seen may still be held.
func (s *Responses) Seek(ctx context.Context, want Want, ttl time.Duration) (Sought, error) {
	var held time.Time // the latest end of somebody else's lead
	for pause := time.Duration(0); ; pause = min(max(firstPause, 2*pause), lastPause) {
		if err := pauseFor(ctx, pause); err != nil {
			return Sought{}, err
		}
		asked := s.base.now()
		sought, err := s.look(ctx, want, ttl, pause > 0)
		switch {
		case errors.Is(err, ErrHeld):
			held = asked.Add(ttl)
		case errors.Is(err, ErrUnavailable) && asked.Before(held): // the leader may still hold the lead
		default:
			return sought, err
		}
	}
}

// look tries once to take the lead, and then looks for a response. Whoever had the lead
// before has saved its response by then, if there is one. look returns ErrHeld if another
// caller has the lead and there is no response yet.
func (s *Responses) look(ctx context.Context, want Want, ttl time.Duration, waited bool) (Sought, error) {
	lead, leads := s.claims.lead(ctx, want, ttl)
	sought, err := s.fitting(ctx, want)
	sought.Waited = waited
	switch {
	case leads != nil && sought.Found: // a full store can still be read
		return sought, nil
	case leads != nil:
		return Sought{}, leads
	case err != nil || sought.Found:
		return sought, errors.Join(err, s.claims.Release(ctx, lead))
	}
	sought.Lead = lead
	return sought, nil
}

// The bounds of the pause between two looks for another caller's answer. They are short
// compared with the seconds that an answer takes, and long enough for a hundred waiting
// callers.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 160 * time.Millisecond
)

// fitting returns the newest response that fits, and the number of damaged ones that it
// met. It reads reused responses only if none that the model gave is left. Otherwise it
// would read one for each time that the same question was asked before.
func (s *Responses) fitting(ctx context.Context, want Want) (Sought, error) {
	const some = 16
	members, err := s.base.members(ctx, want.Scope,
		Query{Set: answersName(want.PathHash), Last: true}, Query{Set: againName(want.PathHash), Limit: some})
	if err != nil {
		return Sought{}, fmt.Errorf("seek a response: %w", err)
	}
	responses, damaged := s.base.decode(ctx, want.Scope, slices.Concat(members...))
	for _, r := range alternatives(responses, want.PathHash) {
		if want.fits(&r, s.base.now()) {
			return Sought{Found: true, Response: r, Damaged: damaged}, nil
		}
	}
	return Sought{Damaged: damaged}, nil
}

func (c *Claims) lead(ctx context.Context, want Want, ttl time.Duration) (Lease, error) {
	lead := Lease{Until: c.base.now().Add(ttl), scope: want.Scope, name: leadName(want.hash()), owner: rand.Text()}
	failed, err := c.base.change(ctx, Change{lead.scope, []Op{
		{Kind: OpHold, Name: lead.name, Value: lead.owner, TTL: ttl},
	}})
	if err != nil {
		return Lease{}, fmt.Errorf("take the lead: %w", err)
	}
	if failed[0] != Applied {
		return Lease{}, ErrHeld
	}
	return lead, nil
}

// pauseFor waits for about d.
func pauseFor(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	if err := wait.For(ctx, d/2+mathrand.N(d)); err != nil { //nolint:gosec // it spreads load
		return fmt.Errorf("wait for another's answer: %w", err)
	}
	return nil
}
