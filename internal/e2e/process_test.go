package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// killedInMidAnswer kills a process once its answer has begun to show, and returns the
// question.
func (s *scene) killedInMidAnswer() (question graph.MessageID) {
	s.t.Helper()
	broken := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft ", "across it.")
	broken.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(broken)
	first := s.spawn()
	question = s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
	s.begun(s.channel, question, "The warp is what runs lengthwise")
	first.kill()
	return question
}

func TestAProcessKilledInMidAnswerAnswersOnceAndWholeAfterwards(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	trigger := s.killedInMidAnswer()

	s.model.Queue(openaitest.Answer("The warp is what runs lengthwise. ", "The weft runs across it."))
	s.spawn()
	s.wholeAnswer(trigger, "The warp is what runs lengthwise. The weft runs across it.")
	s.model.Queue(openaitest.Answer("Indeed."))
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("really?")}), "Indeed.")
}

func TestAProcessKilledWithMentionsWaitingAnswersThemAfterwards(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	held := openaitest.Answer("Never said.")
	held.Wait = make(chan struct{})
	s.model.Queue(held)
	first := s.spawn()
	triggers := make([]graph.MessageID, 3)
	for i := range triggers {
		triggers[i] = s.post(s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("question %d", i))})
	}
	s.asked(1)
	first.kill()
	s.always(openaitest.Answer("Answered."))
	s.spawn()
	for _, trigger := range triggers {
		s.wholeAnswer(trigger, "Answered.")
	}
}

// TestSIGTERMEndsAnAnswerThatDoesNotEnd proves that people learn why their answer is cut
// short, before the process would be killed for being late.
func TestSIGTERMEndsAnAnswerThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	endless := openaitest.Answer("Once upon a time, in a village of weavers", " there was")
	endless.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(endless)
	c := s.spawn("SHUTDOWN_GRACE=1s")
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me a story")})
	s.begun(s.channel, trigger, "Once upon a time")
	waiting := s.post(s.bob, discordtest.Draft{Content: s.mention("and me?")})
	if status := c.terminate(); status != cli.StatusDone {
		t.Errorf("it ended with status %d, want %d", status, cli.StatusDone)
	}
	s.wholeAnswer(trigger, "Once upon a time, in a village of weavers\nI am being restarted and had to stop here. Mention me again in a moment.")
	if strings.Contains(c.logs.String(), "panic") {
		t.Errorf("heddle panicked, want it to end in order:\n%s", c.logs.String())
	}

	s.model.Queue(openaitest.Answer("And you."))
	s.spawn()
	s.wholeAnswer(waiting, "And you.")
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want 2", got)
	}
}

func TestADirectMessageMissedWhileAwayIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.model.Queue(openaitest.Answer("Hello, Ann."), openaitest.Answer("I was away."))
	r := s.start()
	s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "hello"}), "Hello, Ann.")
	r.end()
	missed := s.postIn(direct, s.ann, discordtest.Draft{Content: "still there?"})
	for range 2 {
		r = s.start()
		s.answer(direct, missed, "I was away.")
		r.end()
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("two messages asked the model %d times, want 2", got)
	}
}

func TestPeopleAreToldOnceThatTheHistoryIsDenied(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.said(time.Hour, "bob: a secret of the past")
	s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory})
	s.always(openaitest.Answer("I see only this."))
	s.start()
	const told = "\n-# I can't read this channel's history, only what is said while I'm here. Ask an admin to give me Read Message History."
	for _, want := range []string{"I see only this." + told, "I see only this."} {
		s.post(s.ann, discordtest.Draft{Content: s.mention("what was said?")})
		if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
			return m.Author == s.heddle.User && m.Content == want
		}); err != nil {
			t.Fatalf("no answer reads %q: %v", want, err)
		}
	}
	if reads := s.discord.Record.Count(discordtest.RouteMessages); reads != 0 {
		t.Errorf("what is denied was read %d times, want 0", reads)
	}
	if got := strings.Join(s.asked(1), "\n"); strings.Contains(got, "a secret of the past") {
		t.Errorf("what is denied is in %q, want no %q in it", got, "a secret of the past")
	}
}
