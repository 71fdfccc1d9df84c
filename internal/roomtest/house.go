// Package roomtest sets up the environment for tests of the packages below bot, which
// are called rooms: a fake Discord, a fake model, a real store, and the rooms that
// others depend on. No gateway runs; a test decides which events arrive, and when.
package roomtest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/attachments"
	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

// Lease is how long leases last in a House. It is longer than any test waits.
const Lease = 10 * time.Minute

// House is a Discord with a guild, a channel that everyone may read, two people and
// heddle; a model; a store; and the rooms that others depend on.
type House struct {
	Discord *discordtest.Server
	Model   *openaitest.Server
	Store   *store.Store
	Guild   graph.GuildID
	Channel graph.ChannelID
	Ann     graph.UserID
	Bob     graph.UserID
	Self    graph.UserID // heddle
	Client  *llm.Client  // of Model
	Rooms

	tb     testing.TB
	ctx    context.Context //nolint:containedctx // a test's own, for every wait of it
	log    *logged
	script atomic.Pointer[func(openaitest.Request) openaitest.Reply]
}

// Rooms is what the rooms of bot share.
type Rooms struct {
	REST     *discord.REST
	History  *fetch.History
	Outbox   *outbox.Outbox
	Guilds   *guilds.Cache
	Leases   *work.Leases
	Inflight *work.Inflight
	Writes   *deferred.Writes
	Log      *slog.Logger
}

// New returns a House. The model answers what is queued on House.Model, or by the
// script set with Script. Otherwise its requests fail.
func New(tb testing.TB) *House {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), discordtest.Patience)
	tb.Cleanup(cancel)
	h := &House{tb: tb, ctx: ctx, log: &logged{}}
	h.Discord = discordtest.New(discordtest.Options{Limits: discordtest.NoLimits(), AnswerWithin: discordtest.Patience})
	tb.Cleanup(h.Discord.Close)
	h.Script(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Status: http.StatusInternalServerError}
	})
	h.Model = must(openaitest.Start(openaitest.Config{Script: func(r openaitest.Request) openaitest.Reply { return (*h.script.Load())(r) }}))(tb)
	tb.Cleanup(func() { _ = h.Model.Close() })
	h.Store = store.New(must(bolt.Open(bolt.Options{Dir: tb.TempDir()}))(tb), store.Options{})
	tb.Cleanup(func() { _ = h.Store.Close() })
	h.Client = must(llm.New(llm.Config{
		BaseURL: h.Model.URL(), Model: "test-model", Meter: h.limits(), FirstByte: discordtest.Patience, Idle: discordtest.Patience,
	}))(tb)
	tb.Cleanup(h.Client.Close)

	world, people := h.Discord.World, h.Discord.People
	h.Guild = world.AddGuild("weavers")
	h.Channel = world.AddChannel(h.Guild, discordtest.ChannelDraft{Name: "general"})
	h.Ann, h.Bob = people.AddUser("ann", h.Guild), people.AddUser("bob", h.Guild)
	heddle := people.AddBot("heddle", h.Guild)
	h.Self = heddle.User
	h.furnish(heddle.Token)
	return h
}

// furnish sets up Rooms.
func (h *House) furnish(token string) {
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	rest := must(discord.NewREST(discord.RESTConfig{BaseURL: h.Discord.URL(), Token: token, Log: log}))(h.tb)
	history := must(fetch.NewHistory(rest, fetch.Options{Log: log}))(h.tb)
	h.tb.Cleanup(history.Close)
	history.SetSelf(h.Self)
	cache := guilds.New()
	h.Rooms = Rooms{
		REST: rest, History: history, Outbox: outbox.New(rest, outbox.Config{Log: log, Pace: time.Millisecond}), Guilds: cache,
		Leases: work.NewLeases(h.Store.Claims, Lease), Inflight: work.NewInflight(), Writes: deferred.New(log), Log: log,
	}
	h.Event("READY", fmt.Sprintf(`{"user":{"id":"%d","username":"heddle","bot":true}}`, h.Self))
	h.Event("GUILD_CREATE", fmt.Sprintf(
		`{"id":"%[1]d","roles":[{"id":"%[1]d","permissions":"66560"}],"channels":[{"id":"%[2]d","type":0}]}`, h.Guild, h.Channel))
	var writing sync.WaitGroup
	writing.Go(func() { h.Writes.Run(context.WithoutCancel(h.ctx)) })
	h.tb.Cleanup(func() {
		h.Writes.Close()
		writing.Wait()
	})
}

// Members returns Members without limits.
func (h *House) Members() limits.Members {
	return limits.Members{Permissions: guilds.NewPermissions(h.REST, h.Guilds), Limits: h.limits()}
}

// Preparer returns a Preparer that reads no files and flushes writes before it reads.
func (h *House) Preparer(loop *tools.Loop, writes conversation.Flusher) *conversation.Preparer {
	return conversation.New(conversation.Deps{
		History: h.History, Store: h.Store, Model: h.Client, Tools: loop, Typing: h.Outbox, Files: attachments.NewReader(nil, h.Log),
		Guilds: h.Members(), Leases: h.Leases, Writes: writes, Log: h.Log,
	}, conversation.Settings{})
}

// limits returns Limits without any limit. As the meter of Client they refuse requests
// without an account.
func (h *House) limits() *limits.Limits {
	count := llm.CountFunc(llm.NewCounter("test-model").Turn).Request
	return limits.New(h.Store.Budgets, nil, count, limits.Settings{}, time.Now, slog.New(slog.DiscardHandler))
}

// Context returns the context that bounds the test's waits.
func (h *House) Context() context.Context { return h.ctx }

// Script lets the model answer by script when nothing is queued.
func (h *House) Script(script func(openaitest.Request) openaitest.Reply) { h.script.Store(&script) }

// Event applies an event about guilds to the guild cache.
func (h *House) Event(name, data string) {
	h.tb.Helper()
	if _, about, err := h.Guilds.Apply(name, []byte(data)); !about || err != nil {
		h.tb.Fatalf("apply %s: %t, %v", name, about, err)
	}
}

// Place returns what is known of the channel.
func (h *House) Place() guilds.Place { return h.Guilds.Place(h.Channel, h.Guild) }

// Post posts a message in the channel and delivers its event to the history.
func (h *House) Post(author graph.UserID, draft discordtest.Draft) graph.MessageID {
	h.tb.Helper()
	return h.PostIn(h.Channel, author, draft)
}

// PostIn is like Post, for any channel or thread.
func (h *House) PostIn(channel graph.ChannelID, author graph.UserID, draft discordtest.Draft) graph.MessageID {
	h.tb.Helper()
	id := must(h.Discord.Chat.Post(channel, author, draft))(h.tb)
	h.History.Create(h.message(channel, id))
	return id
}

// Edit edits a message in the channel and delivers the event to the history.
func (h *House) Edit(id graph.MessageID, text string) {
	h.tb.Helper()
	if err := h.Discord.Chat.Edit(h.Channel, id, text); err != nil {
		h.tb.Fatal(err)
	}
	h.History.Update(h.Message(id))
}

// Delete deletes a message in the channel and delivers the event to the history.
func (h *House) Delete(id graph.MessageID) {
	h.tb.Helper()
	if n := h.Discord.Chat.Delete(h.Channel, id); n != 1 {
		h.tb.Fatalf("%d messages were deleted, want 1", n)
	}
	h.History.Delete(discord.Delete{Guild: h.Guild, Channel: h.Channel, Messages: []graph.MessageID{id}})
}

// Message returns a message of the channel as an event would contain it.
func (h *House) Message(id graph.MessageID) *discord.Message {
	h.tb.Helper()
	return h.message(h.Channel, id)
}

func (h *House) message(channel graph.ChannelID, id graph.MessageID) *discord.Message {
	h.tb.Helper()
	raw := must(h.REST.Get(h.ctx, "/channels/"+channel.String()+"/messages/"+id.String(), nil))(h.tb)
	m := must(discord.DecodeMessage(raw))(h.tb)
	m.Guild = h.Guild
	return &m
}

// Mention returns a text that mentions heddle.
func (h *House) Mention(text string) string { return "<@" + h.Self.String() + "> " + text }

// Said returns heddle's messages in the channel, oldest first.
func (h *House) Said() []discordtest.Message {
	var said []discordtest.Message
	for _, m := range h.Discord.Chat.Messages(h.Channel) {
		if m.Author == h.Self {
			said = append(said, m)
		}
	}
	return said
}

// Logged returns everything that was logged so far.
func (h *House) Logged() string { return h.log.String() }

// must returns a value, and ends the test if there is an error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}

// logged is a log that may be read while it is written.
type logged struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

// String returns what was written so far.
func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}
