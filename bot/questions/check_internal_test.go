package questions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// behind is a REST client of a process whose clock is behind that of others.
type behind struct {
	*discord.REST

	by time.Duration
}

func (b behind) Now() time.Time { return b.REST.Now().Add(-b.by) }

// found remembers what a check finds.
type found struct {
	deleted, edited []graph.MessageID
	channels        []graph.ChannelID
	guilds          []graph.GuildID
}

func (f *found) add(one Finding) bool {
	switch f.deleted = append(f.deleted, one.Deleted.Messages...); {
	case one.Edited != nil:
		f.edited = append(f.edited, one.Edited.ID)
	case one.Lost != 0:
		f.channels = append(f.channels, one.Lost)
	case one.Left != 0:
		f.guilds = append(f.guilds, one.Left)
	}
	return true
}

// counted is a REST client that counts its reads. It spoils the newest message of each page if
// garbles is set.
type counted struct {
	*discord.REST

	garbles bool
	reads   atomic.Int64
}

func (c *counted) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	c.reads.Add(1)
	raw, err := c.REST.Get(ctx, path, query)
	var page []json.RawMessage
	if err == nil && c.garbles && json.Unmarshal(raw, &page) == nil && len(page) > 0 {
		page[0] = json.RawMessage(`{"id":null}`)
		raw, err = json.Marshal(page)
	}
	return raw, err
}

// TestWhatACheckFinds checks an answer that was made from three messages, the first of which
// is heddle's. A page that is empty
// or that holds something unreadable proves nothing by itself, so the newest message is looked
// up. Only if the page was empty are the older ones gone with it.
func TestWhatACheckFinds(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile       func(h *roomtest.Env, said []graph.MessageID)
		garbles         bool
		deleted, edited []int // which of the messages
		reads           int64
	}{
		"nothing":                  {meanwhile: func(*roomtest.Env, []graph.MessageID) {}, reads: 1},
		"everything deleted":       {meanwhile: func(h *roomtest.Env, said []graph.MessageID) { h.Discord.Chat.Delete(h.Channel, said...) }, deleted: []int{2, 1, 0}, reads: 2},
		"one edited":               {meanwhile: func(h *roomtest.Env, said []graph.MessageID) { h.Edit(said[1], "indigo") }, edited: []int{1}, reads: 1},
		"one of heddle's edited":   {meanwhile: func(h *roomtest.Env, said []graph.MessageID) { h.Edit(said[0], "indigo") }, reads: 1},
		"one deleted, one garbled": {meanwhile: func(h *roomtest.Env, said []graph.MessageID) { h.Discord.Chat.Delete(h.Channel, said[2]) }, garbles: true, deleted: []int{2}, reads: 6},
		"one edited, all garbled":  {meanwhile: func(h *roomtest.Env, said []graph.MessageID) { h.Edit(said[2], "indigo") }, garbles: true, edited: []int{2}, reads: 6},
	} {
		t.Run(name, func(t *testing.T) {
			h := roomtest.New(t)
			authors, said := []graph.UserID{h.Self, h.Ann, h.Ann}, make([]graph.MessageID, 3)
			for i, author := range authors {
				said[i] = h.Post(author, discordtest.Draft{Content: "bule"})
			}
			made := store.Response{
				Standing: store.Standing{Scope: h.Place().Scope, Channel: h.Channel, Trigger: said[2], Self: h.Self, Created: time.Now()},
				Input:    store.Input{PathHash: path.Path{}.Hash()},
				Output:   store.Output{Text: "No colour."},
			}
			made.ID[0] = 1
			for i, author := range authors {
				made.Sources = append(made.Sources, store.SourceRef{Message: said[i], Channel: h.Channel, Author: author})
			}
			errtest.None(t, h.Store.Responses.Save(h.Context(), made))
			test.meanwhile(h, said)
			finds, rest := &found{}, &counted{REST: h.REST, garbles: test.garbles}
			checkOnce(t, h, finds, rest)
			for what, c := range map[string]struct {
				got  []graph.MessageID
				want []int
			}{"deleted": {finds.deleted, test.deleted}, "edited": {finds.edited, test.edited}} {
				var want []graph.MessageID
				for _, i := range c.want {
					want = append(want, said[i])
				}
				if !slices.Equal(c.got, want) {
					t.Errorf("found as %s are %v, want %v", what, c.got, want)
				}
			}
			if got := rest.reads.Load(); got != test.reads {
				t.Errorf("the check took %d reads, want %d", got, test.reads)
			}
		})
	}
}

// faltering is a REST client whose first read fails for a passing reason.
type faltering struct {
	*discord.REST

	failed bool
}

func (f *faltering) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	if !f.failed {
		f.failed = true
		return nil, errors.New("connection reset")
	}
	return f.REST.Get(ctx, path, query)
}

// TestACheckGoesOnUntilAllWasRead holds answers from the guild of the room, from two that
// heddle has left and one that it is in, and from channels that are gone. The first check meets
// a fault, and the second finds everything.
func TestACheckGoesOnUntilAllWasRead(t *testing.T) {
	h := roomtest.New(t)
	said := h.Post(h.Ann, discordtest.Draft{Content: "bule"})
	var left []graph.GuildID
	for n, name := range []string{"here", "left", "left too", "of another shard"} {
		at, channel, message := h.Guild, h.Channel, said
		if n > 0 {
			at = h.Discord.World.AddGuild(name)
			channel, message = graph.ChannelID(at)+graph.ChannelID(n), said+graph.MessageID(n)
			left = append(left, at)
		}
		if n == 3 {
			left = left[:2]
			h.Guilds.Ready(discord.Ready{User: h.Guilds.Self(), Guilds: []discord.Guild{{ID: at}}})
		}
		answered(t, h, at, channel, message)
	}
	h.Discord.Chat.Delete(h.Channel, said)
	finds, rest := &found{}, &faltering{REST: h.REST}
	if once(h, checkerOf(h, rest), finds, h.REST.Now()) {
		t.Error("a check that could not read a channel succeeds, want another one")
	}
	checkOnce(t, h, finds, rest)
	guilds, channels, deleted := each(finds.guilds), each(finds.channels), each(finds.deleted)
	if !strings.Contains(h.Logged(), "left=2") {
		t.Errorf("logged was\n%s\nwant %d guilds that were left", h.Logged(), len(left))
	}
	if !slices.Equal(guilds, each(left)) || len(channels) != 3 || !slices.Equal(deleted, []graph.MessageID{said}) {
		t.Errorf("found are left guilds %v, lost channels %v and deleted messages %v, want %v, three and %v",
			guilds, channels, deleted, left, []graph.MessageID{said})
	}
}

// answered stores an answer in a guild that was made from one message.
func answered(t *testing.T, h *roomtest.Env, guild graph.GuildID, channel graph.ChannelID, message graph.MessageID) {
	t.Helper()
	errtest.None(t, h.Store.Responses.Save(h.Context(), store.Response{
		Standing: store.Standing{Scope: store.GuildScope(guild), Channel: channel, Trigger: message, Created: time.Now()},
		Input:    store.Input{PathHash: path.Path{}.Hash(), Sources: []store.SourceRef{{Message: message, Channel: channel, Author: h.Ann}}},
		Output:   store.Output{Text: "No colour."},
	}))
}

// TestAGapIsCheckedInItsGuildsAlone ends gaps of shards and of guilds. What was deleted
// elsewhere is found only by the checks of its own guild.
func TestAGapIsCheckedInItsGuildsAlone(t *testing.T) {
	h := roomtest.New(t)
	said := h.Post(h.Ann, discordtest.Draft{Content: "bule"})
	answered(t, h, h.Guild, h.Channel, said)
	h.Discord.Chat.Delete(h.Channel, said)
	shards, other := gateway.Shard{ID: 0, Count: 2}, gateway.Shard{ID: 1, Count: 2}
	if !shards.Has(h.Guild) {
		shards, other = other, shards
	}
	for _, test := range []struct {
		gap   gap
		found bool
	}{{gap{alone: true, guild: h.Guild + 1<<22}, false}, {gap{alone: true}, false}, {gap{shard: other}, false}, {gap{shard: shards}, true}, {gap{alone: true, guild: h.Guild}, true}} {
		finds, rest := &found{}, &counted{REST: h.REST}
		c := checkerOf(h, rest)
		c.add(test.gap)
		if !c.once(h.Context(), finds.add) || len(finds.deleted) > 0 != test.found || rest.reads.Load() > 0 != test.found {
			t.Errorf("after the gap %+v, %v are found by %d reads; want it: %t", test.gap, finds.deleted, rest.reads.Load(), test.found)
		}
	}
}

// each returns ids once each, in order. A check that is repeated finds the same again.
func each[T cmp.Ordered](ids []T) []T { return slices.Compact(slices.Sorted(slices.Values(ids))) }

// TestAGapIsCheckedByEveryClock ends a gap of one process right after another one has
// begun a check, by clocks that differ by a second. What was deleted in between is found
// only if both check. What was checked since is not checked again.
func TestAGapIsCheckedByEveryClock(t *testing.T) {
	h := roomtest.New(t)
	answered(t, h, h.Guild, h.Channel, h.Post(h.Ann, discordtest.Draft{Content: "bule"}))
	for _, by := range []time.Duration{0, time.Second} {
		checkOnce(t, h, &found{}, behind{h.REST, by})
	}
	rest := &counted{REST: h.REST}
	c := checkerOf(h, rest)
	if !once(h, c, &found{}, h.REST.Now().Add(-time.Minute)) || strings.Count(h.Logged(), "were checked against Discord") != 2 || rest.reads.Load() > 0 {
		t.Errorf("logged was\n%s\nwant two checks: one by each clock; the third took %d reads", h.Logged(), rest.reads.Load())
	}
	gap := h.REST.Now().Add(time.Minute)
	errtest.Must(h.Store.Claims.Claim(h.Context(), store.CheckClaim(h.Guild).At(gap), time.Hour))(t)
	if once(h, c, &found{}, gap) {
		t.Error("a check that another process makes is over, want it to be looked at again")
	}
}

func checkerOf(h *roomtest.Env, rest REST) *Checker {
	return NewChecker(Deps{Store: h.Store, Leases: h.Leases, REST: rest, Guilds: h.Guilds, Writes: h.Writes, Log: h.Log}, h.Replies)
}

// checkOnce checks after a gap that ends now.
func checkOnce(t *testing.T, h *roomtest.Env, finds *found, rest REST) {
	t.Helper()
	if !once(h, checkerOf(h, rest), finds, rest.Now()) {
		t.Errorf("at %s the check fails, want it to succeed; logged was\n%s", rest.Now(), h.Logged())
	}
}

// once checks after a gap in all events, and reports whether nothing is left to be checked.
func once(h *roomtest.Env, c *Checker, finds *found, end time.Time) bool {
	c.gaps = append(c.gaps, gap{end: end})
	return c.once(h.Context(), finds.add)
}

// TestAQuestionWaitsForTheCheckOfItsGuild waits after a gap that nobody checks, with and without a
// context that ends. Another guild waits for nothing, and nobody once the guild is checked.
func TestAQuestionWaitsForTheCheckOfItsGuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const here, there = graph.GuildID(1 << 22), graph.GuildID(2 << 22)
		c := NewChecker(Deps{}, nil)
		waits := func(ctx context.Context, guild graph.GuildID) time.Duration {
			began := time.Now()
			c.Await(ctx, guild)
			return time.Since(began)
		}
		stopping, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		c.gaps = []gap{{alone: true, guild: here, end: time.Now()}}
		got := []time.Duration{waits(t.Context(), there), waits(stopping, here), waits(t.Context(), here)}
		p := &pass{Checker: c}
		p.opens(c.gaps, map[graph.GuildID][]store.Scope{here: nil})
		time.AfterFunc(3*time.Second, func() { p.closes(here) })
		got = append(got, waits(t.Context(), here), waits(t.Context(), here))
		if want := []time.Duration{0, time.Second, checkPatience, 3 * time.Second, 0}; !slices.Equal(got, want) {
			t.Errorf("questions wait for %v, want %v", got, want)
		}
	})
}
