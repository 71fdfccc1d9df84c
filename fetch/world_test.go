package fetch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// world is a Discord with one channel, two people and heddle, and a history that
// reads from it over HTTP.
type world struct {
	t       *testing.T
	server  *discordtest.Server
	rest    *discord.REST
	history *fetch.History
	guild   graph.GuildID
	channel graph.ChannelID
	ann     graph.UserID
	bob     graph.UserID
	bot     discordtest.Bot
	now     time.Time // of the last message
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, server: discordtest.New(discordtest.Options{Limits: discordtest.NoLimits()})}
	t.Cleanup(w.server.Close)
	w.guild = w.server.World.AddGuild("guild")
	w.channel = w.server.World.AddChannel(w.guild, discordtest.ChannelDraft{Name: "general"})
	w.ann = w.server.People.AddUser("ann", w.guild)
	w.bob = w.server.People.AddUser("bob", w.guild)
	w.bot = w.server.People.AddBot("heddle", w.guild)
	w.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w.rest = discord.NewREST(discord.RESTConfig{BaseURL: w.server.URL(), Token: w.bot.Token})
	w.history = w.newHistory()
	return w
}

func (w *world) newHistory() *fetch.History {
	history := fetch.NewHistory(w.rest, slog.New(slog.DiscardHandler))
	history.SetSelf(w.bot.User)
	return history
}

func (w *world) post(channel graph.ChannelID, author graph.UserID, d discordtest.Draft) graph.MessageID {
	w.t.Helper()
	w.now = w.now.Add(time.Minute)
	d.At = w.now
	return errtest.Must(w.server.Chat.Post(channel, author, d))(w.t)
}

func (w *world) say(author graph.UserID, content string) graph.MessageID {
	w.t.Helper()
	return w.post(w.channel, author, discordtest.Draft{Content: content})
}

// fill posts n messages by people.
func (w *world) fill(channel graph.ChannelID, n int) []graph.MessageID {
	w.t.Helper()
	ids := make([]graph.MessageID, n)
	for i := range ids {
		ids[i] = w.post(channel, []graph.UserID{w.ann, w.bob}[i%2], discordtest.Draft{Content: fmt.Sprintf("line %d", i)})
	}
	return ids
}

// wire returns a message as the gateway would send it now.
func (w *world) wire(channel graph.ChannelID, id graph.MessageID) *discord.Message {
	w.t.Helper()
	m := errtest.Must(discord.ReadMessage(w.t.Context(), w.rest, channel, id))(w.t)
	return &m
}

// hear delivers the create events of messages to the history.
func (w *world) hear(ids ...graph.MessageID) {
	w.t.Helper()
	for _, id := range ids {
		w.history.Create(w.wire(w.channel, id))
	}
}

func (w *world) mention(trigger graph.MessageID) (*fetch.Mention, graph.Source) {
	w.t.Helper()
	m := w.history.Mention(fetch.Place{Channel: w.channel, Trigger: trigger})
	return m, m.Source(w.t.Context())
}

func read(t *testing.T, source graph.Source, batch graph.Batch) graph.Reading {
	t.Helper()
	return errtest.Must(source(batch))(t)
}

// before walks back from a trigger.
func (w *world) before(source graph.Source, trigger graph.MessageID, limit int) graph.Stretch {
	w.t.Helper()
	return read(w.t, source, graph.Batch{Walks: []graph.Walk{{
		Channel: w.channel, From: graph.Position{Anchor: trigger, Message: trigger}, Limit: limit,
	}}}).Stretches[0]
}

func (w *world) look(source graph.Source, channel graph.ChannelID, id graph.MessageID) graph.Found {
	w.t.Helper()
	return read(w.t, source, graph.Batch{Lookups: []graph.Lookup{{Channel: channel, Message: id}}}).Found[0]
}

func idsOf(messages []graph.Message) []graph.MessageID {
	ids := make([]graph.MessageID, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	return ids
}

func reversed(ids []graph.MessageID) []graph.MessageID {
	ids = slices.Clone(ids)
	slices.Reverse(ids)
	return ids
}

func (w *world) expect(what string, got, want any) {
	w.t.Helper()
	g, errG := json.Marshal(got)
	n, errN := json.Marshal(want)
	if errG != nil || errN != nil || string(g) != string(n) {
		w.t.Errorf("%s: got %s, want %s", what, g, n)
	}
}

func withDeadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	t.Cleanup(cancel)
	return ctx
}
