package dispatch_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/wait"
	"heddle/store"
)

func TestAQuestionThatIsDeliveredThriceIsAnsweredOnce(t *testing.T) {
	s := newScene(t)
	s.Model.Queue(openaitest.Answer("Over, under."))
	id := s.told("how?")
	s.idle(s.Channel)
	for range 2 {
		s.d.Message(s.Message(id))
		s.idle(s.Channel)
	}
	s.says("Over, under.")
	if outcome, done, err := s.Store.Claims.IsDone(s.Context(), store.TriggerClaim(id)); outcome != "answered" || !done || err != nil {
		t.Errorf("the question is marked %q, %t, %v, want %q, true and no error", outcome, done, err, "answered")
	}
	s.pending(0)
}

// TestAFullQueueKeepsQuestionsInTheStore asks four questions at once in a channel where
// one may wait.
func TestAFullQueueKeepsQuestionsInTheStore(t *testing.T) {
	s := newNarrowScene(t)
	open := s.gated("one")
	s.Model.Queue(openaitest.Answer("two"), openaitest.Answer("three"), openaitest.Answer("four"))
	s.told("first?")
	s.requested(1)
	s.told("second?")
	s.told("third?")
	s.told("fourth?")
	s.pending(4)
	s.logs("a question waits in the store")
	open()
	s.awaits(s.Channel, "four")
	s.idle(s.Channel)
	s.says("one", "two", "three", "four")
	s.pending(0)
}

// pending waits until the store holds the records of so many questions.
func (s *scene) pending(n int) {
	s.t.Helper()
	for {
		_ = wait.For(s.Context(), time.Millisecond) // the read below fails once the context has ended
		got, err := s.Store.Backlog.Taken(s.Context())
		if err != nil {
			s.t.Fatalf("waited for %d questions in the store: %v", n, err)
		}
		if len(got) == n {
			return
		}
	}
}

// read returns a message of any channel of the guild.
func (s *scene) read(channel graph.ChannelID, id graph.MessageID) *discord.Message {
	s.t.Helper()
	raw := errtest.Must(s.REST.Get(s.Context(), "/channels/"+channel.String()+"/messages/"+id.String(), nil))(s.t)
	m := errtest.Must(discord.DecodeMessage(raw))(s.t)
	return &m
}

func TestAnEditOfWhatWasNeverAnsweredIsIgnored(t *testing.T) {
	s := newScene(t)
	id := s.asks("how?")
	s.Edit(id, s.Mention("why?"))
	s.d.Edited(s.Message(id))
	s.idle(s.Channel)
	s.says()
	s.logs("an edited question has no answer that is known, the edit is ignored")

	old := errtest.Must(s.Discord.Chat.Backfill(s.Channel, []discordtest.Draft{{Author: s.Ann, Content: s.Mention("old"), At: time.Now().Add(-2 * time.Hour)}}))(t)
	before := strings.Count(s.Logged(), "edit is ignored")
	s.d.Edited(s.Message(old[0]))
	s.idle(s.Channel)
	if strings.Count(s.Logged(), "edit is ignored") != before {
		t.Error("an edit that came after the window is looked at, want it ignored")
	}
}

func TestAnEditThatFindsTheQueueFullWaitsInTheStore(t *testing.T) {
	s := newNarrowScene(t)
	s.Model.Queue(openaitest.Answer("one"))
	first := s.told("first?")
	s.awaits(s.Channel, "one")
	s.idle(s.Channel)
	open := s.gated("two")
	s.told("second?")
	s.requested(2)
	s.told("third?")
	s.Edit(first, s.Mention("edited?"))
	s.d.Edited(s.Message(first))
	s.logs("a question waits in the store")
	s.Model.Queue(openaitest.Answer("three"), openaitest.Answer("edited"))
	open()
	s.awaits(s.Channel, "edited")
	s.idle(s.Channel)
	s.says("edited", "two", "three")
}

func TestButtonsAreCorrectedBesideWhatIsAnswered(t *testing.T) {
	s, _, said := newAnswered(t)
	s.button(said.ID, "heddle:again:"+store.ResponseID{7}.String())
	open := s.gated("two")
	s.told("second?")
	s.requested(2)
	at := []store.Place{{Scope: s.Place().Scope, Channel: s.Channel, Message: said.ID}}
	s.d.RefreshButtons(at)
	if _, err := s.Discord.Chat.AwaitMessage(s.Context(), s.Channel, func(m discordtest.Message) bool {
		return m.ID == said.ID && len(m.Buttons()) == 3
	}); err != nil {
		t.Errorf("waited for three buttons to come back: %v", err)
	}
	open()
	s.idle(s.Channel)
	s.stop()
	s.d.RefreshButtons(at)
	s.logs("what stands below an answer stays until somebody presses a button")
}
