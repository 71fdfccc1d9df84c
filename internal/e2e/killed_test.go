package e2e_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// lines returns a text of n lines, enough of which fill several messages.
func lines(n int) string { return strings.Repeat("a line of an answer that goes on\n", n) }

// TestAnAnswerThatCannotBeSentAtShutdownIsSentByTheNextProcess asks heddle to stop while
// Discord asks it to wait. The answer that was made is kept.
func TestAnAnswerThatCannotBeSentAtShutdownIsSentByTheNextProcess(t *testing.T) {
	s := newScene(t)
	slow := s.discord.Faults.Inject(discordtest.TooMany(discordtest.On(discordtest.RouteCreateMessage), discordtest.ScopeUser, time.Hour))
	s.model.Queue(openaitest.Answer("Over and under."))
	c := s.spawn("SHUTDOWN_GRACE=1s")
	trigger := s.ask(s.ann, "how does one weave?")
	s.ok(slow.Await(s.ctx, 1))
	s.same("the status", c.terminate(), cli.StatusDone)
	s.hasSaid(0)
	s.spawn()
	s.wholeAnswer(trigger, "Over and under.")
	s.askedTimes(1)
}

// TestAnAnswerThatWasSentButNotMarkedIsFoundAgain kills heddle between the two, and
// starts it again when Discord no longer knows the nonce.
func TestAnAnswerThatWasSentButNotMarkedIsFoundAgain(t *testing.T) {
	s, clock := newTimedScene(t)
	held := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: make(chan struct{})})
	s.model.Queue(openaitest.Answer("Yes."))
	c := s.spawn()
	trigger := s.ask(s.ann, "is it so?")
	s.ok(held.Await(s.ctx, 1))
	s.wholeAnswer(trigger, "Yes.")
	c.kill()
	clock.Advance(6 * time.Minute)
	s.always(openaitest.Answer("No."))
	next := s.spawn()
	s.awaits(&next.logs, "the answer stands already")
	s.wholeAnswer(trigger, "Yes.")
	s.askedTimes(1)
}

// TestASecondAttemptLeavesNothingOfTheFirst kills heddle in the third part of an answer. The
// next attempt has one part or three, and Discord knows the nonces of the first, or has
// forgotten them.
func TestASecondAttemptLeavesNothingOfTheFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second string
		later  time.Duration
	}{
		"shorter":                                {"It is short after all.", 0},
		"shorter, when its nonces are forgotten": {"It is short after all.", 6 * time.Minute},
		"as long":                                {strings.Repeat("another line of an answer\n", 200) + "and the end.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := newTimedScene(t)
			s.pauses(lines(150), "and the end.")
			c := s.spawn()
			trigger := s.ask(s.ann, "tell me everything")
			s.grewTo(3)
			c.kill()
			clock.Advance(test.later)
			s.always(openaitest.Answer(test.second))
			next := s.spawn()
			s.awaits(&next.logs, `msg="a task is done" trigger=`+trigger.String())
			s.same("the answer", strings.Join(s.partsOf(s.channel, trigger), "\n"), test.second)
		})
	}
}

// grewTo waits until a growing answer has this many messages.
func (s *screen) grewTo(parts int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d that grow", parts), func() bool {
		m := s.discord.Chat.Messages(s.channel)
		return s.own() == parts && growing(m[len(m)-1])
	})
}

// TestAPartThatArrivesAfterATakeOverIsDeleted pauses the owner of a question while
// Discord has not worked on its second part yet. That part arrives when the next process
// has begun a shorter answer.
func TestAPartThatArrivesAfterATakeOverIsDeleted(t *testing.T) {
	s := newScene(t)
	environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=2s"}
	arrives := make(chan struct{})
	late := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), Skip: 1, Gate: arrives})
	s.pauses(lines(80), "and the end.")
	goesOn := s.pauses("It is a short answer after all, ", "and ends here.")
	owner := s.spawn(environ...)
	trigger := s.ask(s.ann, "tell me everything")
	s.ok(late.Await(s.ctx, 1))
	s.ok(owner.command.Process.Signal(syscall.SIGSTOP))
	s.spawn(environ...)
	s.begun(s.channel, trigger, "It is a short answer after all")
	close(arrives)
	s.standIn(2)
	close(goesOn)
	s.standIn(1)
	s.wholeAnswer(trigger, "It is a short answer after all, and ends here.")
}

// TestAnEditThatArrivesAfterTheNextAnswerIsUndone pauses the owner of a question while
// Discord has not worked on its edit yet. That edit arrives when another process has
// answered.
func TestAnEditThatArrivesAfterTheNextAnswerIsUndone(t *testing.T) {
	s := newScene(t)
	environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=2s"}
	arrives := make(chan struct{})
	late := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), Gate: arrives})
	first := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the first process ", "ends it.")
	goesOn := make(chan struct{})
	first.Chunks[1].Wait, first.Chunks[2].Wait = goesOn, make(chan struct{})
	s.model.Queue(first)
	owner := s.spawn(environ...)
	trigger := s.ask(s.ann, "what is a warp?")
	s.begun(s.channel, trigger, "The warp is what runs lengthwise")
	close(goesOn)
	s.ok(late.Await(s.ctx, 1))
	s.ok(owner.command.Process.Signal(syscall.SIGSTOP))
	s.always(openaitest.Answer("The second process ends it."))
	next := s.spawn(environ...)
	s.wholeAnswer(trigger, "The second process ends it.")
	s.awaits(&next.logs, `msg="a task is done" trigger=`+trigger.String())
	close(arrives)
	s.begun(s.channel, trigger, "The warp is what runs lengthwise in a loom, and the first process")
	s.ok(owner.command.Process.Signal(syscall.SIGCONT))
	s.wholeAnswer(trigger, "The second process ends it.")
}

// standIn waits until heddle has this many messages in the scene's channel.
func (p *people) standIn(messages int) {
	p.t.Helper()
	p.until(fmt.Sprintf("%d of them", messages), func() bool { return p.own() == messages })
}

// TestWhatATakeOverDeletedIsGivenAgain removes a claim from Redis, so that another
// process takes the question over while its owner may still write. The other process
// deletes the second part of the answer and is then killed. The owner does not know that,
// and counts the question as done.
func TestWhatATakeOverDeletedIsGivenAgain(t *testing.T) {
	inScenes(t, map[string]bool{"in mid-answer": false, "after the answer": true}, func(s *scene, whole bool) {
		redis := s.redis()
		environ := []string{"REDIS_URL=" + redis.URL(), "CLAIM_LEASE=1s"}
		goesOn := s.pauses(lines(80), "and the end.")
		s.always(openaitest.Answer(lines(80) + "and the end."))
		owner := s.spawn("REDIS_URL="+redis.URL(), "CLAIM_LEASE=10m") // so that it renews the claim only after minutes
		trigger := s.ask(s.ann, "tell me everything")
		s.grewTo(2)
		errtest.Must(redis.Do(s.ctx, "FLUSHALL"))(s.t)
		deletes, goOn := discordtest.Fault{Match: discordtest.On(discordtest.RouteDeleteMessage)}, make(chan struct{})
		if whole {
			deletes.Gate = goOn
		} else {
			deletes.GateAfter = goOn
		}
		deleted := s.discord.Faults.Inject(deletes)
		next := s.spawn(environ...)
		s.ok(deleted.Await(s.ctx, 1))
		if !whole {
			s.standIn(1)
		}
		next.kill()
		close(goesOn)
		s.awaits(&owner.logs, `msg="a task is done" trigger=`+trigger.String())
		owner.kill()
		close(goOn)
		s.standIn(1)
		s.spawn(environ...)
		s.ends(trigger, "and the end.")
	})
}

// ends waits until an answer of two messages, the second in reply to the first, ends with a text.
func (s *screen) ends(trigger graph.MessageID, text string) {
	s.t.Helper()
	s.until(fmt.Sprintf("two that end with %q", text), func() bool {
		answers := s.answersOf(s.channel)
		if s.own() != 2 || len(answers[trigger]) != 1 {
			return false
		}
		rest := answers[answers[trigger][0].ID]
		return len(rest) == 1 && strings.HasSuffix(rest[0].Content, text)
	})
}

// TestAnAnswerKilledWhereItsMessageIsJustFullIsCompleted kills heddle when the text of a
// growing answer fills its message, or lacks a character of it, or has one too many. In some
// of the answers a block of code is open there.
func TestAnAnswerKilledWhereItsMessageIsJustFullIsCompleted(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1998, 1999, 2000, 2001} {
		for _, fence := range []string{"", "```go\n"} {
			t.Run(fmt.Sprintf("%d characters after %q", size, fence), func(t *testing.T) {
				s := newScene(t)
				first := fence + lines(60)
				first += strings.Repeat("x", size-len(first)-1) + "."
				rest := "\n" + lines(5) + strings.TrimSuffix(fence, "go\n") + "\nAnd the end."
				s.pauses(first, rest)
				s.model.Queue(openaitest.Answer(first, rest))
				c := s.spawn()
				trigger := s.ask(s.ann, "tell me everything")
				s.answerThat(s.channel, trigger, "a line of an answer", func(m discordtest.Message) bool { return len(m.Content) > 1900 })
				c.kill()
				c = s.spawn()
				s.ends(trigger, "And the end.")
				s.awaits(&c.logs, `msg="a task is done" trigger=`+trigger.String())
				parts := s.partsOf(s.channel, trigger)
				s.same("the answer", bare(strings.Join(parts, "")), bare(first+rest))
				for _, part := range parts {
					s.same("blocks of code that are open at the end of "+part, strings.Count(part, "```")%2, 0)
				}
			})
		}
	}
}

// bare returns a text without spaces and without the marks of blocks of code, which are
// closed and opened again where a message ends.
func bare(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("```go", "", "```", "").Replace(text)), "")
}

// TestAnAnswerWithoutAReferenceIsFoundAgain kills heddle where Discord refuses its replies,
// as it may not read the channel's history, while an answer grows. It may read the history
// when it is back, after Discord has forgotten the nonce.
func TestAnAnswerWithoutAReferenceIsFoundAgain(t *testing.T) {
	s, clock := newTimedScene(t)
	s.denies(s.channel, discordtest.ReadMessageHistory)
	s.pauses("Yes, ", "indeed.")
	c := s.spawn()
	s.ask(s.ann, "is it so?")
	s.posted(s.channel, "its beginning", func(m discordtest.Message) bool { return strings.HasPrefix(m.Content, "Yes,") })
	c.kill()
	s.discord.World.SetOverwrites(s.channel)
	clock.Advance(6 * time.Minute)
	s.always(openaitest.Answer("Yes, indeed."))
	next := s.spawn()
	s.awaits(&next.logs, `msg="a task is done"`)
	s.same("that the answer replies to nothing", s.says(s.channel, "Yes, indeed.").Reference == nil, true)
	s.hasSaid(1)
}
