package bot

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// asked posts a question without an event.
func asked(t *testing.T, h *roomtest.Env, text string) graph.MessageID {
	t.Helper()
	id, err := h.Discord.Chat.Post(h.Channel, h.Ann, discordtest.Draft{Content: h.Mention(text)})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// says waits until heddle has said something.
func says(t *testing.T, h *roomtest.Env, text string) discordtest.Message {
	t.Helper()
	m, err := h.Discord.Chat.AwaitMessage(h.Context(), h.Channel, func(m discordtest.Message) bool {
		return m.Author == h.Self && m.Content == text
	})
	if err != nil {
		t.Fatalf("waited until heddle says %q: %v; logged was\n%s", text, err, h.Logged())
	}
	return m
}

// TestAGuildThatComesIsCaughtUp asks while heddle is away.
func TestAGuildThatComesIsCaughtUp(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	id := asked(t, h, "anybody?")
	listed := strings.Replace(string(guild(h)), `"type":0`, fmt.Sprintf(`"type":0,"last_message_id":"%d"`, id), 1)
	h.Model.Queue(openaitest.Answer("Here."))
	settings := Settings{Grace: discordtest.Patience}
	settings.Dispatch.CatchUp = discordtest.Patience
	runWith(t, h, settings, func(_ *Bot, events gateway.Handler) {
		events.Connected(connected(h))
		events.Event("GUILD_CREATE", json.RawMessage(listed))
		says(t, h, "Here.")
	})
}

// TestWhatHeddleCanNoLongerReadIsErased answers a question. heddle then restarts and
// loses the channel, or leaves the guild before any of its channels was reported. An
// outage of the guild erases nothing.
func TestWhatHeddleCanNoLongerReadIsErased(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		event, data string
		left        int
	}{
		"a channel that is deleted": {"CHANNEL_DELETE", `{"id":"%[2]d","guild_id":"%[1]d"}`, 0},
		"a guild that heddle left":  {"GUILD_DELETE", `{"id":"%[1]d","x":%[2]d}`, 0},
		"a guild that is not there": {"GUILD_DELETE", `{"id":"%[1]d","unavailable":true,"x":%[2]d}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := roomtest.New(t)
			h.Model.Queue(openaitest.Answer("Over, under."))
			id := asked(t, h, "how?")
			run(t, h, func(_ *Bot, events gateway.Handler) {
				events.Connected(connected(h))
				events.Event("GUILD_CREATE", guild(h))
				events.Event("MESSAGE_CREATE", event(t, h, id))
				says(t, h, "Over, under.")
			})
			run(t, h, func(_ *Bot, events gateway.Handler) {
				events.Connected(connected(h))
				if test.event == "CHANNEL_DELETE" {
					events.Event("GUILD_CREATE", guild(h))
				}
				events.Event(test.event, json.RawMessage(fmt.Sprintf(test.data, h.Guild, h.Channel)))
			})
			if all, err := h.Store.Responses.ByTrigger(h.Context(), store.GuildScope(h.Guild), id); err != nil || len(all) != test.left {
				t.Errorf("the store holds %d responses, %v, want %d", len(all), err, test.left)
			}
		})
	}
}

// TestAReactionIsRecordedOnceItsAnswerIs rates an answer.
func TestAReactionIsRecordedOnceItsAnswerIs(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	h.Model.Queue(openaitest.Answer("Over, under."))
	id := asked(t, h, "how?")
	run(t, h, func(_ *Bot, events gateway.Handler) {
		events.Connected(connected(h))
		events.Event("GUILD_CREATE", guild(h))
		events.Event("MESSAGE_CREATE", event(t, h, id))
		said := says(t, h, "Over, under.")
		events.Event("MESSAGE_REACTION_ADD", json.RawMessage(fmt.Sprintf(
			`{"user_id":"%d","channel_id":"%d","message_id":"%d","guild_id":"%d","emoji":{"id":null,"name":"👍"}}`, h.Ann, h.Channel, said.ID, h.Guild)))
	})
	all, err := h.Store.Responses.ByTrigger(h.Context(), store.GuildScope(h.Guild), id)
	if err != nil || len(all) != 1 {
		t.Fatalf("the responses are %+v, %v, want one of them and no error", all, err)
	}
	if ratings, err := h.Store.Ratings.Of(h.Context(), store.GuildScope(h.Guild)); err != nil || len(ratings[all[0].ID]) != 1 {
		t.Errorf("the ratings are %+v, %v, want one in for all[0].ID and no error", ratings, err)
	}
}
