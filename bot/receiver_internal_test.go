package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

// asked posts a question without an event.
func asked(t *testing.T, h *roomtest.Env, text string) graph.MessageID {
	t.Helper()
	return errtest.Must(h.Discord.Chat.Post(h.Channel, h.Ann, discordtest.Draft{Content: h.Mention(text)}))(t)
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

// TestAPanicInAMentionIsLoggedWithoutItsValue has a panic say what somebody wrote.
func TestAPanicInAMentionIsLoggedWithoutItsValue(t *testing.T) {
	h := roomtest.New(t)
	id := asked(t, h, "the password is swordfish")
	settings := Settings{Lease: 20 * time.Second, Grace: discordtest.Patience}
	settings.Conversation.Count = func(_ context.Context, turn path.Turn) int {
		if said := turn.PlainText(); strings.Contains(said, "swordfish") {
			panic(said)
		}
		return 1
	}
	runWith(t, h, settings, func(_ *Bot, events gateway.Handler) {
		events.Connected(connected(h))
		events.Event("GUILD_CREATE", guild(h))
		events.Event("MESSAGE_CREATE", event(t, h, id))
		for !strings.Contains(h.Logged(), "panicked") {
			if err := wait.For(h.Context(), time.Millisecond); err != nil {
				t.Fatalf("waited until a panic is logged: %v", err)
			}
		}
	})
	if strings.Contains(h.Logged(), "swordfish") {
		t.Errorf("logged is\n%s\nwant nothing of what was asked", h.Logged())
	}
}

// TestAGuildThatComesIsCaughtUp asks while heddle is away.
func TestAGuildThatComesIsCaughtUp(t *testing.T) {
	h := roomtest.New(t)
	id := asked(t, h, "anybody?")
	listed := strings.Replace(string(guild(h)), `"type":0`, fmt.Sprintf(`"type":0,"last_message_id":"%d"`, id), 1)
	h.Model.Queue(openaitest.Answer("Here."))
	settings := Settings{Lease: 20 * time.Second, Grace: discordtest.Patience}
	settings.Questions.CatchUp = discordtest.Patience
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
	for name, test := range map[string]struct {
		event, data string
		left        int
	}{
		"a channel that is deleted": {"CHANNEL_DELETE", `{"id":"%[2]d","guild_id":"%[1]d"}`, 0},
		"a guild that heddle left":  {"GUILD_DELETE", `{"id":"%[1]d","x":%[2]d}`, 0},
		"a guild that is not there": {"GUILD_DELETE", `{"id":"%[1]d","unavailable":true,"x":%[2]d}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
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

// TestHalfAnAnswerIsCompletedAsSoonAsHeddleIsLetBackIn hides a channel from heddle while its
// answer grows. Discord asks to wait so long that heddle would look again far too late if no
// event told it that it may read there again.
func TestHalfAnAnswerIsCompletedAsSoonAsHeddleIsLetBackIn(t *testing.T) {
	h := roomtest.New(t)
	shown, gate := make(chan struct{}), make(chan struct{})
	reply := openaitest.Answer("The warp runs lengthwise, ", "and the weft ", "across it.")
	reply.Chunks[1].Wait, reply.Chunks[2].Wait = shown, gate
	h.Model.Queue(reply)
	h.Script(func(openaitest.Request) openaitest.Reply {
		return openaitest.Answer("The warp runs lengthwise, and the weft across it.")
	})
	id := asked(t, h, "how?")
	later := discordtest.Refused(func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteCreateMessage && strings.Contains(string(r.Body), id.String())
	}, http.StatusForbidden, 50001, "Missing Access")
	later.Skip = 1
	later.Header = http.Header{"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset-After": {"3600"}}
	h.Discord.Faults.Inject(later)
	run(t, h, func(_ *Bot, events gateway.Handler) {
		hides := func(denied discordtest.Permission) {
			h.Discord.World.SetOverwrites(h.Channel, discordtest.Overwrite{Member: h.Self, Deny: denied})
			events.Event("CHANNEL_UPDATE", json.RawMessage(fmt.Sprintf(
				`{"id":"%d","guild_id":"%d","type":0,"permission_overwrites":[{"id":"%d","type":1,"deny":"%d","allow":"0"}]}`, h.Channel, h.Guild, h.Self, denied)))
		}
		events.Connected(connected(h))
		events.Event("GUILD_CREATE", json.RawMessage(fmt.Sprintf(
			`{"id":"%[1]d","roles":[{"id":"%[1]d","permissions":"101376"}],"members":[{"user":{"id":"%[3]d"},"roles":[]}],"channels":[{"id":"%[2]d","type":0}]}`,
			h.Guild, h.Channel, h.Self)))
		events.Event("MESSAGE_CREATE", event(t, h, id))
		if _, err := h.Discord.Chat.AwaitMessage(h.Context(), h.Channel, func(m discordtest.Message) bool { return strings.HasPrefix(m.Content, "The warp") }); err != nil {
			t.Fatalf("waited until the answer begins: %v; logged was\n%s", err, h.Logged())
		}
		hides(discordtest.ViewChannel)
		close(shown)
		close(gate)
		for !strings.Contains(h.Logged(), "an answer could not be sent, this is tried again") {
			if wait.For(h.Context(), 10*time.Millisecond) != nil {
				t.Fatalf("waited until heddle may not read what stands; logged was\n%s", h.Logged())
			}
		}
		hides(0)
		says(t, h, "The warp runs lengthwise, and the weft across it.")
	})
}
