package dispatch_test

import (
	"strings"
	"testing"
	"time"

	"heddle/bot/dispatch"
	"heddle/internal/discordtest"
	"heddle/internal/wait"
	"heddle/store"
)

// TestAHalfAnswerIsCompletedHoweverOldItsQuestionIs has another process hold a question
// beyond its lifetime and die in the middle of the answer.
func TestAHalfAnswerIsCompletedHoweverOldItsQuestionIs(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	question := s.backfill(s.Channel, by(s.Ann, s.Mention("still there?"), 3*time.Hour))[0]
	s.backfill(s.Channel, discordtest.Draft{Author: s.Self, Content: "The beginning ▍", ReplyTo: question, At: time.Now().Add(-2 * time.Hour)})
	if err := s.Store.Backlog.Take(s.Context(), store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: question}); err != nil {
		t.Fatal(err)
	}
	held := s.claimed(question)
	s.d.CatchUp()
	for !strings.Contains(s.Logged(), "it is left to the process that has it") {
		if wait.For(s.Context(), 10*time.Millisecond) != nil {
			t.Fatalf("nobody gives up waiting for the other process; logged was\n%s", s.Logged())
		}
	}
	s.start(dispatch.Settings{CatchUp: time.Hour}) // what the one before settled is written
	s.says("The beginning ▍")
	if err := s.Store.Claims.Release(s.Context(), held); err != nil {
		t.Fatal(err)
	}
	s.replies("an answer")
	s.d.CatchUp()
	s.awaits(s.Channel, "an answer")
	s.idle(s.Channel)
	s.says("an answer")
}
