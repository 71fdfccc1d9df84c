package conversation_test

import (
	"fmt"
	"log/slog"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// town returns a guild of six channels and four people. Everybody may read the first four
// channels. Of the others, each of which has a scope of its own, person 1 may read both, person 2
// the first, and the others none.
func town(t *testing.T) *guilds.Cache {
	t.Helper()
	const guild = `{"id":"10","roles":[{"id":"10","permissions":"66560"}],"channels":[{"id":"1","type":0},{"id":"2","type":0},{"id":"3","type":0},{"id":"4","type":0},
		{"id":"5","type":0,"permission_overwrites":[%[1]s,{"id":"1","type":1,"allow":"66560"},{"id":"2","type":1,"allow":"66560"}]},
		{"id":"6","type":0,"permission_overwrites":[%[1]s,{"id":"1","type":1,"allow":"66560"}]}]}`
	known := guilds.New(discord.NewREST(discord.RESTConfig{}))
	_, _, err := known.Apply("GUILD_CREATE", fmt.Appendf(nil, guild, `{"id":"10","type":0,"deny":"66560"}`))
	errtest.None(t, err)
	for person := range graph.UserID(4) {
		known.Met(10, 1, person+1, &discord.Member{})
	}
	return known
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
// drawn sources and questions, in two scopes, while any of four people have opted out.
func TestSomethingIsUsedOnlyWhileAllItsSourcesMayBe(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	people := guilds.NewPeople(roomtest.OpenStore(t), fetch.NewHistory(nil, nil), slog.New(slog.DiscardHandler))
	rights := &conversation.Rights{People: people, Guilds: town(t), Log: slog.New(slog.DiscardHandler)}
	used := 0
	const rounds = 20_000
	for round := range rounds {
		if sets := rounds / 16; round > 0 && round%sets == 0 { // the next set of people, as in a Gray code
			change, person := people.OptOut, graph.UserID(1+bits.TrailingZeros(uint(round/sets)))
			if people.OptedOut(person) {
				change = people.OptIn
			}
			errtest.None(t, change(t.Context(), person))
		}
		made, own := drawn(random), drawn(random)
		asker := conversation.Asker{Person: graph.UserID(random.IntN(5)), Guild: 10, Scope: store.GuildScope(10), Own: own}
		if random.IntN(2) == 0 {
			asker.Scope = store.ChannelScope(10, 5)
		}
		want := true
		for _, source := range made {
			readable := source.Channel < 5
			if asker.Scope != store.GuildScope(10) {
				readable = source.Channel == 5 && asker.Person < 3
			}
			want = want && !people.OptedOut(source.Author) && (readable || holds(own, source))
		}
		if got := rights.MayUse(t.Context(), asker, made); got != want {
			t.Fatalf("something made from %+v may be used for %+v: %t, want %t", made, asker, got, want)
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
		got := conversation.Inherit(slices.Clone(own), made)
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
