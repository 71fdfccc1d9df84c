package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"heddle/graph"
	"heddle/store"
)

// Apart is a store in which many scopes contain responses to the same triggers and
// paths, sent as the same replies. A random half of the possible responses is missing.
type Apart struct {
	store  *store.Store
	scopes []store.Scope
}

// triggers is the number of possible responses in each scope.
const triggers = 4

// NewApart fills a store with scopes whose names are easy to confuse.
func NewApart(tb testing.TB, s *store.Store, scopes int) Apart {
	tb.Helper()
	a := Apart{store: s}
	for i := range graph.GuildID(scopes) { //nolint:gosec // few
		scope := store.GuildScope(i/2 + 1)
		if i%2 == 1 {
			scope = store.ChannelScope(i/2+1, graph.ChannelID(i/4+1))
		}
		a.scopes = append(a.scopes, scope)
	}
	var group sync.WaitGroup
	for worker := range 16 {
		group.Go(func() {
			for i := worker; i < len(a.scopes); i += 16 {
				for trigger := range graph.MessageID(triggers) {
					if !a.holds(i, trigger) {
						continue
					}
					if err := s.Responses.Save(tb.Context(), a.response(i, trigger)); err != nil {
						tb.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	return a
}

func (a Apart) holds(scope int, trigger graph.MessageID) bool {
	return (scope>>trigger)&1 == 0
}

func (a Apart) response(scope int, trigger graph.MessageID) store.Response {
	r := Example(a.scopes[scope], trigger+1)
	r.Text = string(r.Scope)
	return r
}

// Look looks up a random response in a random scope, in one of three ways. It returns
// an error if the result is from another scope, or if it is found or missing wrongly.
func (a Apart) Look(ctx context.Context, random *rand.Rand) error {
	i, trigger := random.IntN(len(a.scopes)), graph.MessageID(random.IntN(triggers)) //nolint:gosec // few
	want := a.response(i, trigger)
	var found []store.Response
	var err error
	switch random.IntN(3) {
	case 0:
		found, err = ByPath(ctx, a.store, want)
	case 1:
		found, err = a.store.Responses.ByTrigger(ctx, want.Scope, want.Trigger)
	default:
		var sent map[graph.MessageID]store.Response
		sent, err = a.store.Responses.ByReplies(ctx, want.Scope, []graph.MessageID{want.Replies[0].ID})
		for _, r := range sent {
			found = append(found, r)
		}
	}
	if err != nil {
		return fmt.Errorf("look into %s: %w", want.Scope, err)
	}
	for _, r := range found {
		if r.Scope != want.Scope || r.Text != want.Text || r.Trigger != want.Trigger {
			return fmt.Errorf("a look-up in %s returns a response of %s", want.Scope, r.Scope)
		}
	}
	if got := len(found) == 1; got != a.holds(i, trigger) {
		return fmt.Errorf("a look-up in %s returns %d responses to trigger %d", want.Scope, len(found), trigger)
	}
	return nil
}

func manyScopes(b bench) {
	a := NewApart(b.T, b.store, 60)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test's
	for range 2000 {
		b.must(a.Look(b.ctx, random))
	}
}
