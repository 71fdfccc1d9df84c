package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAQuestionWhoseDeletionIsNotHeardHasNoAnswer loses the events of deletions together
// with the session in which they would have come. One question is deleted before any part
// of its answer is sent, and another once its answer has begun to show.
func TestAQuestionWhoseDeletionIsNotHeardHasNoAnswer(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]bool{"before it shows": false, "as it grows": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_DELETE"))
			goesOn := make(chan struct{})
			reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft across it.")
			if shows {
				reply.Chunks[1].Wait = goesOn
			} else {
				reply.Wait = goesOn
			}
			s.model.Queue(reply)
			r := s.start()
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			s.asked(1)
			if shows {
				s.begun(s.channel, question, "The warp")
			}
			s.discord.Chat.Delete(s.channel, question)
			s.discord.Gateway.Invalidate()
			if err := r.logs.await(s.ctx, "disconnected from Discord"); err != nil {
				t.Fatal(err)
			}
			close(goesOn)
			if err := r.logs.await(s.ctx, `msg="a task is done" trigger=`+question.String()); err != nil {
				t.Fatal(err)
			}
			if n := s.own(); n != 0 {
				t.Errorf("%d messages of the answer stand, want 0", n)
			}
			if created := s.discord.Record.Count(discordtest.RouteCreateMessage); created > 0 && !shows {
				t.Errorf("%d messages were sent, want 0", created)
			}
		})
	}
}

// TestAnAnswerThatIsNotStoredGoesWithItsQuestion has heddle answer while the store is full,
// or empties the store afterwards, and loses the event of the question's deletion together
// with the session.
func TestAnAnswerThatIsNotStoredGoesWithItsQuestion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after []string
		logs          string
	}{
		"as the store was full":    {[]string{"CONFIG", "SET", "maxmemory", "1"}, []string{"CONFIG", "SET", "maxmemory", "0"}, "an answer could not be recorded"},
		"as the store was emptied": {[]string{"PING"}, []string{"FLUSHALL"}, "a task is done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			server := s.redis()
			s.always(openaitest.Answer("It runs lengthwise."))
			r := s.start("REDIS_URL=" + server.URL())
			do := func(command []string) {
				if _, err := server.Do(s.ctx, command...); err != nil {
					t.Fatal(err)
				}
			}
			do(test.before)
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			s.answer(s.channel, question, "lengthwise")
			if err := r.logs.await(s.ctx, test.logs); err != nil {
				t.Fatal(err)
			}
			do(test.after)
			remove := s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_DELETE"))
			s.discord.Chat.Delete(s.channel, question)
			remove()
			s.discord.Gateway.Invalidate()
			s.standIn(0)
		})
	}
}

// TestAnAnswerThatBrokeOffEndsWithoutItsRecord kills heddle in mid-answer. The next
// process has another store, and does not catch up on anything as old as the question,
// which is deleted or not.
func TestAnAnswerThatBrokeOffEndsWithoutItsRecord(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*scene, graph.MessageID)
		want      int
	}{
		"of a deleted question": {func(s *scene, question graph.MessageID) { s.discord.Chat.Delete(s.channel, question) }, 0},
		"of an old question":    {func(*scene, graph.MessageID) {}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &discordtest.Clock{}
			s := newScene(t, discordtest.Options{Clock: clock.Now})
			broken := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft across it.")
			begins := make(chan struct{})
			broken.Wait, broken.Chunks[1].Wait = begins, make(chan struct{})
			s.model.Queue(broken)
			c := s.spawn()
			clock.Advance(-20 * time.Minute)
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			clock.Advance(20 * time.Minute)
			close(begins)
			s.begun(s.channel, question, "The warp")
			c.kill()
			test.meanwhile(s, question)
			s.always(openaitest.Answer("It runs lengthwise."))
			s.spawn("DATA_DIR=" + t.TempDir())
			s.standIn(test.want)
			if test.want > 0 {
				s.wholeAnswer(question, "It runs lengthwise.")
			}
		})
	}
}

// TestAnAnswerThatBrokeOffBetweenTwoPartsIsCompletedWithoutItsRecord kills heddle when
// the first part of an answer is whole and the second is not there. The next process has
// another store.
func TestAnAnswerThatBrokeOffBetweenTwoPartsIsCompletedWithoutItsRecord(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	second := s.discord.Faults.Inject(discordtest.Fault{
		Match: discordtest.On(discordtest.RouteCreateMessage), Skip: 1, Gate: make(chan struct{}), Cut: true,
	})
	s.always(openaitest.Answer(lines(80) + "and the end."))
	c := s.spawn()
	s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
	if err := second.Await(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	c.kill()
	if n := s.own(); n != 1 {
		t.Fatalf("%d messages stand, want 1", n)
	}
	s.spawn("DATA_DIR=" + t.TempDir())
	s.says(s.channel, "and the end.")
	if n := s.own(); n != 2 {
		t.Errorf("%d messages stand, want 2", n)
	}
}

// TestAnAnswerThatBrokeOffWhereItsMessageIsFullIsCompleted kills heddle while the text of a
// growing answer takes all the room of its message. The message still says that more is to
// come.
func TestAnAnswerThatBrokeOffWhereItsMessageIsFullIsCompleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	full := lines(60) + strings.Repeat("x", 2000-len(lines(60))-1) + "."
	broken := openaitest.Answer(full, " And the end.")
	broken.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(broken)
	c := s.spawn()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
	s.answerThat(s.channel, question, "a line of an answer", func(discordtest.Message) bool { return true })
	c.kill()
	s.always(openaitest.Answer("Over and under."))
	s.spawn()
	s.wholeAnswer(question, "Over and under.")
}
