package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// growingAnswer has Ann ask something, and returns the answer once its first half shows.
// The second half comes once end is called, unless the answer was stopped.
func (s *scene) growingAnswer() (half discordtest.Message, end func()) {
	s.t.Helper()
	gate := make(chan struct{})
	slow := openaitest.Answer("Warps run lengthwise, ", "and wefts across.")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow)
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what are warps?")})
	half = s.begun(s.channel, question, "Warps run lengthwise,")
	return s.standsIn(half, half.Content, "◼ Stop"), func() { close(gate) }
}

// TestAnAnswerIsStoppedByWhomItIsFor stops an answer while the model still speaks. What
// stands is all of the answer: follow-ups build on it, and an equal question is asked
// anew.
func TestAnAnswerIsStoppedByWhomItIsFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	half, end := s.growingAnswer()
	defer end()
	s.ephemeral(s.press(s.bob, half, "◼ Stop"), "Only whoever asked, and moderators, can stop this answer.")
	s.press(s.ann, half, "◼ Stop")
	stopped := s.standsIn(half, "Warps run lengthwise,\n-# Stopped.", row)
	r.settled(s, half.Reference.Message)
	if ended := s.model.Requests(); len(ended) != 1 {
		t.Errorf("the model was asked %d times, want 1", len(ended))
	}

	s.model.Queue(openaitest.Answer("Across."))
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and wefts?"), ReplyTo: stopped.ID}), "Across.")
	want := []string{"user: [speaker: ann]\n@heddle what are warps?", "assistant: Warps run lengthwise, ", "user: [speaker: ann]\n@heddle and wefts?"}
	if got := s.asked(2); !slices.Equal(got, want) {
		t.Errorf("the next question was asked with %q, want %q", got, want)
	}

	s.model.Queue(openaitest.Answer("They run lengthwise, all of them."))
	thread := s.thread("once more")
	s.answer(thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("what are warps?")}), "They run lengthwise, all of them.")
}

// TestAModeratorStopsAnAnswerOfAnotherProcess presses the button where another process
// hears of it than the one that answers.
func TestAModeratorStopsAnAnswerOfAnotherProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	server := s.redis()
	s.environ = append(s.environ, "REDIS_URL="+server.URL())
	s.start()
	s.start()
	mod := s.discord.People.AddUser("mod", s.guild)
	s.discord.People.GrantRole(s.guild, mod, s.discord.World.AddRole(s.guild, "moderators", discordtest.ManageMessages, false))
	half, end := s.growingAnswer()
	defer end()
	s.press(mod, half, "◼ Stop")
	s.standsIn(half, "Warps run lengthwise,\n-# Stopped.", row)
}

// TestAStopThatComesTooLateSaysSo presses a button that was left by an answer that no
// longer grows.
func TestAStopThatComesTooLateSaysSo(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	half, end := s.growingAnswer()
	id := half.Buttons()[0].CustomID
	end()
	s.standsIn(half, "Warps run lengthwise, and wefts across.", row)
	s.ephemeral(s.press(s.ann, s.forge(half.Reference.Message, id), "x"), "There is nothing left to stop")
	s.ephemeral(s.press(s.bob, s.forge(half.Reference.Message, id), "x"), "Only whoever asked")
}

// TestALongAnswerHasItsStopBelowTheLastMessageAlone grows an answer beyond one message.
func TestALongAnswerHasItsStopBelowTheLastMessageAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	gate := make(chan struct{})
	slow := openaitest.Answer("A beginning. ", strings.Repeat("warp ", 500), "the end.")
	slow.Chunks[2].Wait = gate
	s.model.Queue(slow)
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what are warps?")})
	second, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
		return m.Author == s.heddle.User && m.Reference.Message != question && labels(m) == "◼ Stop"
	})
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := s.discord.Chat.Message(s.channel, second.Reference.Message); labels(first) != "" {
		t.Errorf("the first message has the buttons %q, want \"\"", labels(first))
	}
	close(gate)
	s.says(s.channel, "the end.")
	last, _ := s.discord.Chat.Message(s.channel, second.ID)
	s.standsIn(last, last.Content, row)
}
