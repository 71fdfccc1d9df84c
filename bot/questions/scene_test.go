package questions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

// scene is an environment with a dispatcher.
type scene struct {
	*roomtest.Env
	d       *questions.Questions
	answers *answer.Answerer
	gate    questions.GateSettings
	count   func(context.Context, path.Turn) int // of tokens; nil for the usual one

	t    *testing.T
	stop func() // Questions.Stop, once
}

// newScene returns a scene whose dispatcher catches up on the last hour.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{Env: roomtest.New(t), t: t, gate: questions.GateSettings{Questions: questions.Rules{Edits: time.Hour}}}
	s.start(questions.Settings{CatchUp: time.Hour})
	return s
}

// start starts a dispatcher in place of the one before, if any.
func (s *scene) start(settings questions.Settings) {
	s.t.Helper()
	if s.stop != nil {
		s.stop()
	}
	s.answers = s.With(func(c *roomtest.Parts) { c.Answer.Edits, c.Conversation.Count = time.Hour, s.count }).Answers
	people := guilds.NewPeople(s.Store, s.History, s.Log)
	deps := questions.Deps{
		Store: s.Store, Leases: s.Leases, Writes: s.Writes, Guilds: s.Guilds, Gate: questions.NewGate(people, s.Replies, s.gate),
		History: s.History, REST: s.REST, Answers: s.answers, Log: s.Log,
	}
	deps.Checker = questions.NewChecker(deps, s.Replies)
	d := questions.Start(s.Context(), deps, settings)
	s.Erased(func(e store.Erased) { d.RefreshButtons(e.Stale) })
	stopped := false
	s.d, s.stop = d, func() {
		if !stopped {
			d.Stop()
		}
		stopped = true
	}
	s.t.Cleanup(s.stop)
}

// otherChannel adds a channel to the guild, of which heddle hears.
func (s *scene) otherChannel() graph.ChannelID {
	s.t.Helper()
	id := s.Discord.World.AddChannel(s.Guild, discordtest.ChannelDraft{Name: "other"})
	s.Event("CHANNEL_CREATE", fmt.Sprintf(`{"id":"%d","type":0,"guild_id":"%d"}`, id, s.Guild))
	return id
}

// asks posts a question in the channel as Ann. Nobody tells the dispatcher.
func (s *scene) asks(text string) graph.MessageID {
	s.t.Helper()
	return s.Post(s.Ann, discordtest.Draft{Content: s.Mention(text)})
}

// told posts a question and tells the dispatcher.
func (s *scene) told(text string) graph.MessageID {
	s.t.Helper()
	id := s.asks(text)
	s.d.Message(s.Message(id))
	return id
}

// gated queues an answer of the model's that waits until the returned open is called.
func (s *scene) gated(text string) (open func()) {
	gate := make(chan struct{})
	reply := openaitest.Answer(text)
	reply.Wait = gate
	s.Model.Queue(reply)
	return func() { close(gate) }
}

// idle waits until nothing is to be done in a channel, and until the store holds what was
// written before.
func (s *scene) idle(channel graph.ChannelID) {
	s.t.Helper()
	for !s.d.IsIdle(channel) {
		if wait.For(s.Context(), time.Millisecond) != nil {
			s.t.Fatalf("waited until the channel %s becomes idle: %v; logged was\n%s", channel, s.Context().Err(), s.Logged())
		}
	}
	s.written()
}

// written waits until the store holds what was written before.
func (s *scene) written() {
	s.t.Helper()
	s.d.Written(s.Context())
	if !s.Writes.Await(s.Context(), s.Place().Scope) {
		s.t.Fatal("waited in vain until everything was erased from the store")
	}
}

// requested waits until the model was asked so often.
func (s *scene) requested(n int) {
	s.t.Helper()
	if _, err := s.Model.Await(s.Context(), n); err != nil {
		s.t.Fatalf("waited until the model is asked %d times: %v; logged was\n%s", n, err, s.Logged())
	}
}

// awaits waits until heddle has said something in a channel.
func (s *scene) awaits(channel graph.ChannelID, text string) discordtest.Message {
	s.t.Helper()
	m, err := s.Discord.Chat.AwaitMessage(s.Context(), channel, func(m discordtest.Message) bool {
		return m.Author == s.Self && m.Content == text
	})
	if err != nil {
		s.t.Fatalf("waited until heddle says %q: %v; logged was\n%s", text, err, s.Logged())
	}
	return m
}

// says checks everything that heddle has said in the channel.
func (s *scene) says(want ...string) {
	s.t.Helper()
	var said []string
	for _, m := range s.Said() {
		said = append(said, m.Content)
	}
	if got, want := strings.Join(said, " | "), strings.Join(want, " | "); got != want {
		s.t.Errorf("heddle said %q, want %q; logged was\n%s", got, want, s.Logged())
	}
}

// logs checks that something was logged.
func (s *scene) logs(want string) {
	s.t.Helper()
	if !strings.Contains(s.Logged(), want) {
		s.t.Errorf("logged was\n%s\nwant %q in it", s.Logged(), want)
	}
}

// claimed claims a question as another process would.
func (s *scene) claimed(id graph.MessageID) store.Lease {
	s.t.Helper()
	return errtest.Must(s.Store.Claims.Claim(s.Context(), store.TriggerClaim(id), roomtest.Lease))(s.t)
}

// answered marks a question as answered by another process.
func (s *scene) answered(id graph.MessageID) {
	s.t.Helper()
	errtest.None(s.t, s.Store.Claims.Done(s.Context(), s.claimed(id), "answered"))
}

// listed is what Discord reports of the channel when a guild comes.
func (s *scene) listed() []discord.Channel {
	s.t.Helper()
	raw := errtest.Must(s.REST.Get(s.Context(), "/channels/"+s.Channel.String(), nil))(s.t)
	c := errtest.Must(discord.Decode[discord.Channel](raw))(s.t)
	return []discord.Channel{c}
}

// catchesUp lets the dispatcher catch up on the channel, and waits for that.
func (s *scene) catchesUp() {
	s.t.Helper()
	s.d.CatchUpChannels(s.Guild, s.listed())
	s.idle(s.Channel)
}

// button puts a button on a message of heddle's.
func (s *scene) button(id graph.MessageID, name string) {
	s.t.Helper()
	components := fmt.Sprintf(`[{"type":1,"components":[{"type":2,"style":2,"label":"x","custom_id":%q}]}]`, name)
	s.patch(id, map[string]any{"components": json.RawMessage(components)})
}

// patch changes a message of heddle's, as another process would.
func (s *scene) patch(id graph.MessageID, body map[string]any) {
	s.t.Helper()
	path := "/channels/" + s.Channel.String() + "/messages/" + id.String()
	errtest.Must(s.REST.Do(s.Context(), discord.Call{Method: http.MethodPatch, Path: path, Body: body}))(s.t)
}
