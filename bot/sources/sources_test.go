package sources_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/bot/sources"
	"heddle/graph"
	"heddle/store"
)

const (
	home    = store.Scope("home")
	foreign = store.Scope("foreign")
)

// world is a world of six channels, of which two are in another scope, and of four people.
// Whoever is in out has opted out, and nobody may read the channels in shut.
type world struct {
	sources.Everybody

	out, shut uint64
}

func (w world) OptedOut(person graph.UserID) bool { return w.out&(1<<person) != 0 }

func (world) Scope(_ graph.GuildID, channel graph.ChannelID) store.Scope {
	if channel > 4 {
		return foreign
	}
	return home
}

func (w world) MayRead(_ context.Context, _ graph.GuildID, channel graph.ChannelID, _ graph.UserID) (bool, error) {
	return w.shut&(1<<channel) == 0, nil
}

// drawn returns some sources, of few messages so that they meet.
func drawn(random *rand.Rand) []store.SourceRef {
	made := make([]store.SourceRef, random.IntN(5))
	for i := range made {
		made[i] = store.SourceRef{
			Message: graph.MessageID(random.IntN(4)), Channel: graph.ChannelID(1 + random.IntN(6)), Author: graph.UserID(1 + random.IntN(4)),
			Position: random.IntN(3),
		}
	}
	return made
}

// key returns what identifies a source.
func key(s store.SourceRef) store.SourceRef {
	return store.SourceRef{Message: s.Message, Channel: s.Channel, Author: s.Author}
}

func holds(all []store.SourceRef, one store.SourceRef) bool {
	return slices.ContainsFunc(all, func(s store.SourceRef) bool { return key(s) == key(one) })
}

// TestSomethingIsUsedOnlyWhileAllItsSourcesMayBe compares the rule with what it says, for
// drawn worlds, sources and questions.
func TestSomethingIsUsedOnlyWhileAllItsSourcesMayBe(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	used := 0
	const rounds = 20_000
	for range rounds {
		w := world{out: random.Uint64() & random.Uint64(), shut: random.Uint64() & random.Uint64()}
		rule := &sources.Rule{People: w, Channels: w, Log: slog.New(slog.DiscardHandler)}
		made, own := drawn(random), drawn(random)
		asker := sources.Asker{Person: graph.UserID(random.IntN(5)), Scope: home, Own: own}
		want := true
		for _, source := range made {
			readable := w.Scope(0, source.Channel) == home && (asker.Person == 0 || w.shut&(1<<source.Channel) == 0)
			want = want && !w.OptedOut(source.Author) && (readable || holds(own, source))
		}
		if got := rule.MayUse(t.Context(), asker, made); got != want {
			t.Fatalf("in %+v something made from %+v may be used for %+v: %t, want %t", w, made, asker, got, want)
		}
		if want && len(made) > 0 {
			used++
		}
	}
	if used < rounds/20 || used > rounds*19/20 {
		t.Errorf("%d of %d may be used, want many of both", used, rounds)
	}
}

// TestWhatIsInheritedIsEverySourceOnce draws sources of two things, of which one is made
// from the other.
func TestWhatIsInheritedIsEverySourceOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range 5_000 {
		own, made := drawn(random), drawn(random)
		got := sources.Inherit(slices.Clone(own), made)
		if !slices.Equal(got[:len(own)], own) {
			t.Fatalf("of %+v and %+v is inherited %+v, want the first as they were", own, made, got)
		}
		for i, source := range got[len(own):] {
			if !holds(made, source) || holds(got[:len(own)+i], source) || source.Position != 0 {
				t.Fatalf("of %+v and %+v is inherited %+v, want each of the second once and without its position", own, made, source)
			}
		}
		if slices.ContainsFunc(made, func(s store.SourceRef) bool { return !holds(got, s) }) {
			t.Fatalf("of %+v and %+v is inherited %+v, want all of the second", own, made, got)
		}
	}
}
