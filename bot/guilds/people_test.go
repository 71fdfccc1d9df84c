package guilds_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/bolt"
)

// away is an engine that cannot be read while it has a failure.
type away struct {
	store.Engine
	failure error
}

func (a *away) Read(ctx context.Context, scope store.Scope, read func(store.Reader) error) error {
	if a.failure != nil {
		return a.failure
	}
	return a.Engine.Read(ctx, scope, read)
}

func TestWhoOptedOutIsKnownAsOfTheLastLook(t *testing.T) {
	engine := &away{errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t), errors.New("away")}
	kept := store.New(engine, store.Options{})
	t.Cleanup(func() { _ = kept.Close() })
	history := fetch.NewHistory(nil, nil)
	p := guilds.NewPeople(kept, history, slog.New(slog.DiscardHandler))
	look := func(known bool, out ...graph.UserID) {
		t.Helper()
		if err := p.Refresh(t.Context()); !errors.Is(err, engine.failure) {
			t.Errorf("a look ends with %v, want %v", err, engine.failure)
		}
		for person := graph.UserID(1); person < 5; person++ {
			if p.OptedOut(person) != slices.Contains(out, person) {
				t.Errorf("%d opted out: %t, want %t", person, p.OptedOut(person), slices.Contains(out, person))
			}
		}
		if p.Known() != known {
			t.Errorf("it is known who opted out: %t, want %t", p.Known(), known)
		}
	}
	look(false)
	engine.failure = nil
	look(true)
	errtest.None(t, errors.Join(kept.OptOuts.Add(t.Context(), 2), kept.OptOuts.Add(t.Context(), 3)))
	look(true, 2, 3)
	errtest.None(t, errors.Join(kept.OptOuts.Remove(t.Context(), 2), kept.OptOuts.Add(t.Context(), 4)))
	for _, author := range []graph.UserID{3, 4} {
		history.Hold(t.Context(), &discord.Message{ID: graph.MessageID(author), Channel: graph.ChannelID(author), Author: discord.User{ID: author}})
	}
	engine.failure = errors.New("away again")
	look(true, 2, 3)
	engine.failure = nil
	look(true, 3, 4)
	_, kept3 := history.Message(3, 3)
	if _, kept4 := history.Message(4, 4); !kept3 || kept4 || p.Epoch() != 4 {
		t.Errorf("what 3 wrote is held: %t, what 4 wrote: %t, in epoch %d; want true, false and 4, as four changes were read", kept3, kept4, p.Epoch())
	}
}
