package roomtest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/reply"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/discordtest/documented"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/waittest"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

// Lease is how long leases last in an Env. It is longer than any test waits.
const Lease = 10 * time.Minute

// Env is a Discord with a guild, a channel that everyone may read, two people and
// heddle; a model; a store; and the rooms that others depend on.
type Env struct {
	Discord *discordtest.Server
	Model   *openaitest.Server
	Store   *store.Store
	Guild   graph.GuildID
	Channel graph.ChannelID
	Ann     graph.UserID
	Bob     graph.UserID
	Self    graph.UserID // heddle
	Client  *llm.Client  // of Model
	Token   string       // of REST
	T       testing.TB

	// What the rooms of bot share.
	REST    *discord.REST
	History *fetch.History
	Replies *reply.Replies
	Guilds  *guilds.Cache
	Leases  *answer.Leases
	Writes  *store.Erasing
	Log     *slog.Logger

	ctx    context.Context //nolint:containedctx // a test's own, for every wait of it
	log    waittest.Log
	script atomic.Pointer[func(openaitest.Request) openaitest.Reply]
	erased atomic.Pointer[func(store.Erased)]
}

// New returns an Env. The model answers what is queued on Env.Model, or by the
// script set with Script. Otherwise its requests fail.
func New(tb testing.TB) *Env {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), discordtest.Patience)
	tb.Cleanup(cancel)
	e := &Env{T: tb, ctx: ctx}
	e.Discord = discordtest.New(discordtest.Options{Limits: discordtest.NoLimits(), AnswerWithin: discordtest.Patience, Inspect: documented.Demanded(tb)})
	tb.Cleanup(e.Discord.Close)
	e.Script(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Status: http.StatusInternalServerError}
	})
	e.Model = errtest.Must(openaitest.Start(openaitest.Config{Script: func(r openaitest.Request) openaitest.Reply { return (*e.script.Load())(r) }}))(tb)
	tb.Cleanup(func() { _ = e.Model.Close() })
	e.Store = OpenStore(tb)

	world, people := e.Discord.World, e.Discord.People
	e.Guild = world.AddGuild("weavers")
	e.Channel = world.AddChannel(e.Guild, discordtest.ChannelDraft{Name: "general"})
	e.Ann, e.Bob = people.AddUser("ann", e.Guild), people.AddUser("bob", e.Guild)
	heddle := people.AddBot("heddle", e.Guild)
	e.Self = heddle.User
	e.Token = heddle.Token
	e.addRooms()
	e.Client = errtest.Must(llm.New(llm.Config{
		BaseURL: e.Model.URL(), Model: "test-model", Meter: e.Limits(), Timeout: discordtest.Patience,
	}))(tb)
	tb.Cleanup(e.Client.Close)
	return e
}

// OpenStore returns an empty store, which is closed when the test ends.
func OpenStore(tb testing.TB) *store.Store {
	tb.Helper()
	s := store.New(errtest.Must(bolt.Open(bolt.Options{Dir: tb.TempDir()}))(tb), store.Options{})
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// addRooms sets up what the rooms share.
func (e *Env) addRooms() {
	e.Log = slog.New(slog.NewTextHandler(&e.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e.REST = discord.NewREST(discord.RESTConfig{BaseURL: e.Discord.URL(), Token: e.Token, Log: e.Log})
	e.History = fetch.NewHistory(e.REST, e.Log)
	e.History.SetSelf(e.Self)
	e.Replies, e.Guilds = reply.New(e.REST, e.Store.Responses, time.Millisecond, e.Log), guilds.New(e.REST)
	e.Leases = answer.NewLeases(e.Store.Claims, Lease, false)
	e.Writes = store.NewErasing(e.Store, e.Log)
	e.Guilds.Ready(discord.Ready{User: discord.User{ID: e.Self, Name: "heddle", Bot: true}})
	e.Event("GUILD_CREATE", fmt.Sprintf(
		`{"id":"%[1]d","roles":[{"id":"%[1]d","permissions":"66560"}],"channels":[{"id":"%[2]d","type":0}]}`, e.Guild, e.Channel))
	var writing sync.WaitGroup
	writing.Go(func() { e.Writes.Run(context.WithoutCancel(e.ctx)) })
	writing.Go(func() {
		for erased := range e.Writes.Results() {
			if take := e.erased.Load(); take != nil {
				(*take)(erased)
			}
		}
	})
	e.T.Cleanup(func() {
		e.Writes.Close()
		writing.Wait()
	})
}

// Limits returns Limits without any limit. As the meter of Client they refuse requests
// without an account.
func (e *Env) Limits() *limits.Limits {
	return limits.New(e.Store.Budgets, e.Guilds, nil, llm.NewCounter("test-model").Request, limits.Settings{}, new(discord.Clock), slog.New(slog.DiscardHandler))
}

// Context returns the context that bounds the test's waits.
func (e *Env) Context() context.Context { return e.ctx }

// Script lets the model answer by script when nothing is queued.
func (e *Env) Script(script func(openaitest.Request) openaitest.Reply) { e.script.Store(&script) }

// Erased passes the results of erasures to take from now on.
func (e *Env) Erased(take func(store.Erased)) { e.erased.Store(&take) }

// Event applies an event about guilds to the guild cache.
func (e *Env) Event(name, data string) {
	e.T.Helper()
	if _, about, err := e.Guilds.Apply(name, []byte(data)); !about || err != nil {
		e.T.Fatalf("apply %s: %t, %v", name, about, err)
	}
}

// Place returns what is known of the channel.
func (e *Env) Place() guilds.Place { return e.Guilds.Place(e.Channel, e.Guild) }

// Post posts a message in the channel and delivers its event to the history.
func (e *Env) Post(author graph.UserID, draft discordtest.Draft) graph.MessageID {
	e.T.Helper()
	return e.PostIn(e.Channel, author, draft)
}

// PostIn is like Post, for any channel or thread.
func (e *Env) PostIn(channel graph.ChannelID, author graph.UserID, draft discordtest.Draft) graph.MessageID {
	e.T.Helper()
	id := errtest.Must(e.Discord.Chat.Post(channel, author, draft))(e.T)
	e.History.Create(e.message(channel, id))
	return id
}

// Edit edits a message in the channel and delivers the event to the history.
func (e *Env) Edit(id graph.MessageID, text string) {
	e.T.Helper()
	if err := e.Discord.Chat.Edit(e.Channel, id, text); err != nil {
		e.T.Fatal(err)
	}
	e.History.Update(e.Message(id))
}

// Delete deletes a message in the channel and delivers the event to the history.
func (e *Env) Delete(id graph.MessageID) {
	e.T.Helper()
	if n := e.Discord.Chat.Delete(e.Channel, id); n != 1 {
		e.T.Fatalf("%d messages were deleted, want 1", n)
	}
	e.History.Delete(discord.Delete{Guild: e.Guild, Channel: e.Channel, Messages: []graph.MessageID{id}})
}

// Message returns a message of the channel as an event would contain it.
func (e *Env) Message(id graph.MessageID) *discord.Message {
	e.T.Helper()
	return e.message(e.Channel, id)
}

func (e *Env) message(channel graph.ChannelID, id graph.MessageID) *discord.Message {
	e.T.Helper()
	m := errtest.Must(discord.ReadMessage(e.ctx, e.REST, channel, id))(e.T)
	m.Guild = e.Guild
	return &m
}

// Mention returns a text that mentions heddle.
func (e *Env) Mention(text string) string { return "<@" + e.Self.String() + "> " + text }

// Said returns heddle's messages in the channel, oldest first.
func (e *Env) Said() []discordtest.Message {
	var said []discordtest.Message
	for _, m := range e.Discord.Chat.Messages(e.Channel) {
		if m.Author == e.Self {
			said = append(said, m)
		}
	}
	return said
}

// Logged returns everything that was logged so far.
func (e *Env) Logged() string { return e.log.String() }
