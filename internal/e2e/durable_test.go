package e2e_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// lines returns a text of n lines, enough of which fill several messages.
func lines(n int) string { return strings.Repeat("a line of an answer that goes on\n", n) }

// TestAnAnswerThatCannotBeSentAtShutdownIsSentByTheNextProcess asks heddle to stop while
// Discord asks it to wait. The answer that was made is kept.
func TestAnAnswerThatCannotBeSentAtShutdownIsSentByTheNextProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	slow := s.discord.Faults.Inject(discordtest.TooMany(discordtest.On(discordtest.RouteCreateMessage), discordtest.ScopeUser, time.Hour))
	s.model.Queue(openaitest.Answer("Over and under."))
	c := s.spawn("SHUTDOWN_GRACE=1s")
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("how does one weave?")})
	if err := slow.Await(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	if status := c.terminate(); status != cli.StatusDone {
		t.Errorf("it ended with status %d, want %d", status, cli.StatusDone)
	}
	if n := s.own(); n != 0 {
		t.Fatalf("%d messages stand, want 0", n)
	}
	s.spawn()
	s.wholeAnswer(trigger, "Over and under.")
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want once: the answer was kept", got)
	}
}

// TestAnAnswerThatDiscordDoesNotTakeIsSentLater lets every create fail for longer than
// one attempt at an answer lasts.
func TestAnAnswerThatDiscordDoesNotTakeIsSentLater(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	down := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), Status: 401, Times: 2})
	s.model.Queue(openaitest.Answer("Over and under."))
	r := s.start()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("how does one weave?")})
	if err := down.Await(s.ctx, 2); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(trigger, "Over and under.")
	r.settled(s, trigger)
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want once: the answer was kept", got)
	}
	answer := s.answer(s.channel, trigger, "Over and under.")
	s.ephemeral(s.press(s.ann, answer, "Why?"), "test-model") // what it was made from is on record
}

// TestAnAnswerThatWasSentButNotMarkedIsFoundAgain kills heddle between the two, and
// starts it again when Discord no longer knows the nonce.
func TestAnAnswerThatWasSentButNotMarkedIsFoundAgain(t *testing.T) {
	t.Parallel()
	clock := &discordtest.Clock{}
	s := newScene(t, discordtest.Options{Clock: clock.Now})
	held := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: make(chan struct{})})
	s.model.Queue(openaitest.Answer("Yes."))
	c := s.spawn()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("is it so?")})
	if err := held.Await(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(trigger, "Yes.")
	c.kill()
	clock.Advance(6 * time.Minute)
	s.always(openaitest.Answer("No."))
	next := s.spawn()
	if err := next.logs.await(s.ctx, "the answer stands already"); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(trigger, "Yes.")
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want 1", got)
	}
}

// TestASecondAttemptLeavesNothingOfALongerFirst kills heddle in the second part of an
// answer. The next attempt has one part.
func TestASecondAttemptLeavesNothingOfALongerFirst(t *testing.T) {
	t.Parallel()
	clock := &discordtest.Clock{}
	for name, later := range map[string]time.Duration{"soon": 0, "when its nonces are forgotten": 6 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{Clock: clock.Now})
			long := openaitest.Answer(lines(80), "and the end.")
			long.Chunks[1].Wait = make(chan struct{})
			s.model.Queue(long)
			c := s.spawn()
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
			if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
				return m.Author == s.heddle.User && m.Reference.Message != trigger && growing(m)
			}); err != nil {
				t.Fatal(err)
			}
			c.kill()
			clock.Advance(later)
			s.always(openaitest.Answer("It is short after all."))
			next := s.spawn()
			s.wholeAnswer(trigger, "It is short after all.")
			if err := next.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
				t.Fatal(err)
			}
			if n := s.own(); n != 1 {
				t.Errorf("%d messages stand, want 1", n)
			}
		})
	}
}

// TestAProcessThatWasPausedSendsNothingMore pauses the owner of a question past its
// lease, in mid-answer.
func TestAProcessThatWasPausedSendsNothingMore(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	environ := []string{"REDIS_URL=" + server.URL(), "CLAIM_LEASE=2s"}
	gate := make(chan struct{})
	half := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the first process ends it.")
	half.Chunks[1].Wait = gate
	s.model.Queue(half)
	owner := s.spawn(environ...)
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
	s.begun(s.channel, trigger, "The warp is what runs lengthwise")
	if err := owner.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.always(openaitest.Answer("The second process ends it."))
	s.spawn(environ...)
	s.wholeAnswer(trigger, "The second process ends it.")
	close(gate)
	if err := owner.command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := owner.logs.await(s.ctx, "the claim of a task was lost"); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(trigger, "The second process ends it.")
	if n := s.own(); n != 1 {
		t.Errorf("%d messages stand, want 1", n)
	}
	for _, r := range s.discord.Record.Requests(discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage)) {
		if strings.Contains(string(r.Body), "the first process ends it") {
			t.Errorf("the process that had lost its claim sent %s, want nothing of it", r.Body)
		}
	}
}

// TestWithoutRedisOfSeveralProcessesOnlyOneAnswers takes Redis away from three processes
// before questions are asked. They answer when it is back, each question once.
func TestWithoutRedisOfSeveralProcessesOnlyOneAnswers(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	environ := []string{"REDIS_URL=" + server.URL(), "CLAIM_LEASE=2s", "REDIS_TIMEOUT=1s"}
	s.always(openaitest.Answer("Yes, ", "indeed."))
	var all []*child
	for range 3 {
		all = append(all, s.spawn(environ...))
	}
	for _, c := range all { // so that each has seen the others
		if err := c.logs.await(s.ctx, "other processes share the store"); err != nil {
			t.Fatal(err)
		}
	}
	server.Kill()
	var triggers []graph.MessageID
	for range 4 {
		triggers = append(triggers, s.post(s.ann, discordtest.Draft{Content: s.mention("is it so?")}))
	}
	for _, c := range all {
		if err := c.logs.await(s.ctx, "is looked at again later"); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.model.Requests()); got != 0 {
		t.Errorf("the model was asked %d times without Redis, want 0", got)
	}
	if err := server.Restart(s.ctx); err != nil {
		t.Fatal(err)
	}
	for _, trigger := range triggers {
		s.answer(s.channel, trigger, "Yes, indeed.")
	}
	s.oneEach(s.channel)
}

// TestAnAnswerToAnEditThatBrokeOffIsCompleted kills heddle while it answers an edited
// question in place of its first answer, and lets it be away for longer than it would
// catch up.
func TestAnAnswerToAnEditThatBrokeOffIsCompleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	broken := openaitest.Answer("Weft is what runs across a loom, ", "and warp along it.")
	broken.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(openaitest.Answer("Warp, of course."), broken)
	c := s.spawn()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	s.answer(s.channel, question, "Warp, of course.")
	if err := c.logs.await(s.ctx, `msg="a task is done" trigger=`+question.String()); err != nil {
		t.Fatal(err)
	}
	s.edit(question, s.mention("weft?"))
	s.begun(s.channel, question, "Weft is what runs across")
	c.kill()
	s.always(openaitest.Answer("Weft, of course."))
	s.spawn("CATCH_UP=0s", "CLAIM_LEASE=1s")
	s.wholeAnswer(question, "Weft, of course.")
}

// TestAChannelThatCouldNotBeReadIsCaughtUpLater lets the reads of a channel fail for
// longer than one request is repeated.
func TestAChannelThatCouldNotBeReadIsCaughtUpLater(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	missed := s.post(s.ann, discordtest.Draft{Content: s.mention("anybody?")})
	down := discordtest.BadGateway(discordtest.On(discordtest.RouteMessages))
	down.Times = 4
	s.discord.Faults.Inject(down)
	s.model.Queue(openaitest.Answer("I was away."))
	r := s.start()
	if err := r.logs.await(s.ctx, "could not be caught up for now"); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(missed, "I was away.")
}

// TestASecondAttemptMayBeAsLongAsTheFirst kills heddle in the third part of an answer.
// The next attempt has three parts too, of which Discord knows the nonces: those of
// messages that were deleted.
func TestASecondAttemptMayBeAsLongAsTheFirst(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	first := openaitest.Answer(lines(150), "and the end.")
	first.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(first)
	c := s.spawn()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
	s.grewTo(3)
	c.kill()
	second := strings.Repeat("another line of an answer\n", 200) + "and the end."
	s.always(openaitest.Answer(second))
	next := s.spawn()
	if err := next.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.partsOf(s.channel, s.answer(s.channel, trigger, "another").ID), "\n"); got != second {
		t.Errorf("the answer reads %d characters, ending %q, want %d", len(got), got[max(0, len(got)-60):], len(second))
	}
	if n := s.own(); n != 3 {
		t.Errorf("%d messages stand, want 3", n)
	}
}

// grewTo waits until a growing answer has this many messages.
func (s *screen) grewTo(parts int) {
	s.t.Helper()
	watcher := s.discord.Chat.Watch()
	defer watcher.Close()
	for {
		if m := s.discord.Chat.Messages(s.channel); s.own() == parts && growing(m[len(m)-1]) {
			return
		}
		if _, err := watcher.Next(s.ctx); err != nil {
			s.t.Fatalf("no answer grew to %d messages: %v", parts, err)
		}
	}
}

// TestAPartThatArrivesAfterATakeOverIsDeleted pauses the owner of a question while
// Discord has not worked on its second part yet. That part arrives when the next process
// has begun a shorter answer.
func TestAPartThatArrivesAfterATakeOverIsDeleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=2s"}
	arrives := make(chan struct{})
	late := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), Skip: 1, Gate: arrives})
	long := openaitest.Answer(lines(80), "and the end.")
	long.Chunks[1].Wait = make(chan struct{})
	short, goesOn := openaitest.Answer("It is a short answer after all, ", "and ends here."), make(chan struct{})
	short.Chunks[1].Wait = goesOn
	s.model.Queue(long, short)
	owner := s.spawn(environ...)
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
	if err := late.Await(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	if err := owner.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
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
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=2s"}
	arrives := make(chan struct{})
	late := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), Gate: arrives})
	first := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the first process ", "ends it.")
	goesOn := make(chan struct{})
	first.Chunks[1].Wait, first.Chunks[2].Wait = goesOn, make(chan struct{})
	s.model.Queue(first)
	owner := s.spawn(environ...)
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
	s.begun(s.channel, trigger, "The warp is what runs lengthwise")
	close(goesOn)
	if err := late.Await(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	if err := owner.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.always(openaitest.Answer("The second process ends it."))
	next := s.spawn(environ...)
	s.wholeAnswer(trigger, "The second process ends it.")
	if err := next.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
		t.Fatal(err)
	}
	close(arrives)
	s.begun(s.channel, trigger, "The warp is what runs lengthwise in a loom, and the first process")
	if err := owner.command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(trigger, "The second process ends it.")
}

// standIn waits until heddle has this many messages in the scene's channel.
func (p *people) standIn(messages int) {
	p.t.Helper()
	watcher := p.discord.Chat.Watch()
	defer watcher.Close()
	for p.own() != messages {
		if _, err := watcher.Next(p.ctx); err != nil {
			p.t.Fatalf("%d messages stand, want %d", p.own(), messages)
		}
	}
}
