package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/limittest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
)

// oneOutage fails the test unless the log reports one outage, and its end over times.
func (s *scene) oneOutage(r *running, over int) {
	s.t.Helper()
	went, back := s.outages(r)
	s.same("how often the log says that the store went and came back", []int{went, back}, []int{1, over})
}

// asksUnread is like asks, but the answer may say that it is not known who opted out, or that
// records cannot be read.
func (s *scene) asksUnread(question, want string) {
	s.t.Helper()
	s.model.Queue(openaitest.Answer(want))
	trigger := s.ask(s.ann, question)
	m := s.answer(s.channel, trigger, want)
	notice := strings.TrimPrefix(m.Content, want)
	known := notice == "" || notice == "\n"+phrases.English("notice_alone") || notice == "\n"+phrases.English("notice_no_records")
	if n := len(s.answersOf(s.channel)[trigger]); n != 1 || !known {
		s.t.Errorf("%d answers, the first of which reads %q, want %q", n, m.Content, want)
	}
}

// untilItWorks asks questions in a way until the store works again.
func (r *running) untilItWorks(asks func(question, want string)) {
	for question := 'a'; !strings.Contains(r.logs.String(), "the store works again"); question++ {
		asks(string(question)+"?", "Yes.")
	}
}

// survives asks a question and lets something happen to Redis while half of the answer
// stands. The answer has to become whole.
func (s *scene) survives(happens func() error) graph.MessageID {
	s.t.Helper()
	gate := s.pauses("Half of an answer that Redis does not survive ", "and its other half.")
	trigger := s.ask(s.ann, "two?")
	s.begun(s.channel, trigger, "Half of an answer")
	s.ok(happens())
	close(gate)
	s.wholeAnswer(trigger, "Half of an answer that Redis does not survive and its other half.")
	return trigger
}

// TestRedisDownAtTheStartCostsNoAnswer starts heddle without its store. While it is not known
// who opted out, whoever asks is answered from their message alone, and told so.
func TestRedisDownAtTheStartCostsNoAnswer(t *testing.T) {
	s := newScene(t)
	server := s.redis()
	server.Kill()
	r := s.start("REDIS_URL=" + server.URL())
	s.post(s.bob, bobs(0))
	s.model.Queue(openaitest.Answer("One."))
	s.wholeAnswer(s.ask(s.ann, "one?"), "One.\n"+phrases.English("notice_alone"))
	s.unread(0)
	s.asksUnread("two?", "Two.")
	s.awaits(&r.logs, `msg="a task is done"`)
	s.oneOutage(r, 0)
	s.ok(server.Restart(s.ctx))
	r.untilItWorks(s.asksUnread)
	s.oneOutage(r, 1)
}

func TestRedisGoingDownInMidFlightCostsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]struct {
		timeout     string
		leave, back func(*redistest.Server, *scene) error
	}{
		"killed": {
			"10m",
			func(server *redistest.Server, _ *scene) error { server.Kill(); return nil },
			func(server *redistest.Server, s *scene) error { return server.Restart(s.ctx) },
		},
		"stalled": {
			"300ms", // a slow machine has more outages
			func(server *redistest.Server, _ *scene) error { return server.Pause() },
			func(server *redistest.Server, _ *scene) error { return server.Resume() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			server := s.redis()
			r := s.start("REDIS_URL=" + redistest.Within(server.URL(), away.timeout))
			s.asks("one?", "One.")

			s.survives(func() error { return away.leave(server, s) })
			s.asksUnread("three?", "Three.")
			s.ok(away.back(server, s))
			r.untilItWorks(s.asksUnread)
			if name == "killed" {
				s.oneOutage(r, 1)
			}
		})
	}
}

// TestAFailOverOfRedisCostsNoAnswer kills the server that a Sentinel leads to while heddle
// answers. The replica takes its place, with the answers from before.
func TestAFailOverOfRedisCostsNoAnswer(t *testing.T) {
	s := newScene(t)
	sentinel := redistest.Started(redistest.StartSentinel(s.ctx))(t)
	r := s.start("REDIS_URL="+sentinel.URL(), storeKey)
	s.model.Queue(openaitest.Answer("Four, as ever."))
	s.sums(r, "Four, as ever.")
	if answer, err := sentinel.Watched().Do(s.ctx, "WAIT", "1", "0"); err != nil || answer != "1" {
		t.Fatalf("%q replicas have what was stored, %v, want one", answer, err)
	}

	r.settled(s, s.survives(func() error { return sentinel.FailOver(s.ctx) })) // heddle has asked Redis since
	for went, back := s.outages(r); went != back; went, back = s.outages(r) {
		s.asksUnread(fmt.Sprintf("Is it back after %d?", len(s.model.Requests())), "Yes.")
	}
	asked := len(s.model.Requests())
	s.sums(r, "Four, as ever.")
	s.askedTimes(asked)
}

// TestAMentionThatCouldNotBeClaimedIsStillAnswered has a process that shares its Redis with
// another miss a mention, and try it while Redis is away. Before it would try again, its
// session is lost once more, so that it has caught up past the mention. The mention is answered
// as soon as Redis is back: by the same process, or by the next one if that was killed.
func TestAMentionThatCouldNotBeClaimedIsStillAnswered(t *testing.T) {
	inScenes(t, map[string]bool{"by the same process": false, "by the next process": true}, func(s *scene, killed bool) {
		server := s.redis()
		environ := []string{"REDIS_URL=" + redistest.Within(server.URL(), "1s")}
		s.spawn(environ...).kill() // the other process, as Redis knows it
		s.always(openaitest.Answer("I was away."))
		c := s.spawn(environ...)
		s.awaits(&c.logs, "other processes share the store")
		server.Kill()
		hear := s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_CREATE"))
		missed := s.ask(s.ann, "anybody?")
		hear()
		s.discord.Gateway.Invalidate()
		s.awaits(&c.logs, `it is looked at again later" trigger=`+missed.String())
		tried := time.Now()
		if !killed {
			s.ok(server.Restart(s.ctx))
		}
		again := s.connecting()
		s.discord.Gateway.Invalidate()
		s.ok(again())
		if killed {
			c.kill()
			s.ok(server.Restart(s.ctx))
			s.spawn(environ...)
		}
		s.wholeAnswer(missed, "I was away.")
		if took := time.Since(tried); took > 2*time.Minute {
			s.t.Errorf("it is answered after %s, want that nobody waits for the next attempt", took)
		}
	})
}

// TestARedisThatAnswersWithErrorsCostsNoAnswer lets Redis answer every command of heddle's
// with an error for a while. The log reports it once, with what to mend, and its end once.
func TestARedisThatAnswersWithErrorsCostsNoAnswer(t *testing.T) {
	type variant struct{ refusal, logged string }
	inScenes(t, map[string]variant{
		"LOADING":     {"LOADING Redis is loading the dataset in memory", "Redis is loading"},
		"MOVED":       {"MOVED 3999 127.0.0.1:6381", "REDIS_URL must begin with redis+cluster:"},
		"MISCONF":     {"MISCONF Redis is configured to save RDB snapshots", "MISCONF"},
		"WRONGTYPE":   {"WRONGTYPE Operation against a key holding the wrong kind of value", "WRONGTYPE"},
		"CLUSTERDOWN": {"CLUSTERDOWN The cluster is down", "CLUSTERDOWN"},
		"TRYAGAIN":    {"TRYAGAIN Multiple keys request during rehashing of slot", "TRYAGAIN"},
		"BUSY":        {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN", "BUSY"},
	}, func(s *scene, test variant) {
		url, refuse := s.refusing()
		r := s.start("REDIS_URL=" + url)
		s.model.Queue(openaitest.Answer("One."))
		r.wholeAnswer(s, s.ask(s.ann, "one?"), "One.") // or a call that succeeds late would end the outage
		refuse(test.refusal)
		s.asksUnread("two?", "Two.")
		s.asksUnread("three?", "Three.")
		s.oneOutage(r, 0)
		s.same("warnings", len(r.warnings()), 1)
		s.contains(r.warnings()[0], test.logged)
		refuse("")
		r.untilItWorks(s.asksUnread)
		s.asks("and now?", "Now.")
		s.oneOutage(r, 1)
		s.oneEach(s.channel)
	})
}

// notes are what Ann has written to a heddle that stores each note with its answer.
type notes struct {
	s       *scene
	to      *child
	written int
}

// note writes one note.
func (n *notes) note() {
	n.written++
	n.s.answer(n.s.channel, n.s.ask(n.s.ann, fmt.Sprintf("note %d %s", n.written, strings.Repeat("x", 1000))), "Noted")
}

// untilLogged writes notes until the log holds a text some times.
func (n *notes) untilLogged(text string, times int) {
	for strings.Count(n.to.logs.String(), text) < times {
		n.note()
	}
}

// logged fails the test unless the log holds a text some times.
func (n *notes) logged(text string, want int) {
	n.s.t.Helper()
	n.s.same("how often is logged: "+text, strings.Count(n.to.logs.String(), text), want)
}

// TestAFullDiskCostsNoAnswer runs heddle where files cannot grow. Small entries still fit
// into free pages, but the log reports the full disk in one line. Somebody who wrote to heddle
// for the first time then is answered by the next process, too. Once there is room, answers
// are stored again.
func TestAFullDiskCostsNoAnswer(t *testing.T) {
	s := newScene(t)
	limittest.Need(t)
	s.always(openaitest.Answer("Noted: " + strings.Repeat("over and under, ", 100)))
	s.stored().Close()
	const bounded = wantsFiles + "=200000" // more than the new file has, less than it would grow to
	n := &notes{s: s, to: s.spawnBy(os.Args[:1], bounded)}
	n.untilLogged("an answer could not be recorded", 3)
	direct := s.discord.World.OpenDM(s.bob, s.heddle.User)
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "hello"}), "Noted")
	n.logged("the store is full", 1)
	n.logged("the store has room again", 0)
	s.same("the status", n.to.terminate(), cli.StatusDone)
	missed := s.postIn(direct, s.bob, discordtest.Draft{Content: "still there?"})
	n.to = s.spawnBy(os.Args[:1], bounded)
	s.answer(direct, missed, "Noted")
	n.untilLogged("the store is full", 1)
	errtest.None(s.t, limittest.Files(n.to.command.Process.Pid, limittest.Unlimited))
	var want []string
	for range 10 { // more than fits into free pages
		n.note()
		want = append(want, fmt.Sprintf("note %d x", n.written))
	}
	n.logged("the store is full", 1)
	n.logged("the store is unavailable", 0)
	n.to.terminate()
	s.contains(s.held(), want...)
}

// use is something that bob does with heddle: a command with its options, or the press of a
// button of an answer.
type use struct {
	command string
	options map[string]any
	button  string
	want    string // what he reads if the store does not work; "" for any sentence
	reads   bool   // it works if the store refuses writes alone
}

// storeUses returns uses of heddle that need its store, and some that work without it.
func storeUses() []use {
	failed, noMemory := phrases.English("command_failed"), phrases.English("no_memory")
	return []use{
		{command: "heddle opt-out", want: failed},
		{command: "heddle forget-me", want: failed},
		{command: "heddle persona", options: map[string]any{"text": "Be kind."}, want: failed},
		{command: "heddle persona", want: "I have no persona of my own here."},
		{command: "heddle ask", options: map[string]any{"question": "well?", "private": true}, want: "Fine."},
		{command: "heddle ask", options: map[string]any{"question": "well?"}, want: "Fine."},
		{command: "heddle catchup"},
		{command: "heddle usage"},
		{command: "heddle status", want: "running since"},
		{command: "Show context", want: failed, reads: true},
		{button: "Why?", want: failed, reads: true},
		{button: "↻", want: noMemory},
		{button: "⋯", want: noMemory, reads: true},
		{button: "◀", want: noMemory},
	}
}

// by has bob do what u says.
func (u use) by(s *scene, answer discordtest.Message) discordtest.InteractionID {
	s.t.Helper()
	if u.button != "" {
		return s.press(s.bob, answer, u.button)
	}
	if u.command == "Show context" {
		return s.shows(s.channel, answer.ID)
	}
	return s.invoke(s.channel, s.bob, discordtest.Invocation{Command: u.command, Options: u.options})
}

// TestCommandsAndPressesEndInASentenceWhileRedisLoads has Redis refuse all commands. Whoever uses
// heddle reads one sentence, and nothing is done by half.
func TestCommandsAndPressesEndInASentenceWhileRedisLoads(t *testing.T) {
	s := newScene(t)
	url, refuse := s.refusing()
	s.usedWhileRefused(url, storeUses(), func() { refuse("LOADING Redis is loading the dataset in memory") }, func() { refuse("") })
}

// TestCommandsAndPressesEndInASentenceWhileRedisTakesNoWrites has Redis refuse the commands that
// write.
func TestCommandsAndPressesEndInASentenceWhileRedisTakesNoWrites(t *testing.T) {
	type variant struct{ refuse, accept string }
	inScenes(t, map[string]variant{
		"READONLY": {"REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"},
		"OOM":      {"CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"},
	}, func(s *scene, commands variant) {
		server := s.redis()
		do := func(command string) func() {
			return func() { errtest.Must(server.Do(s.ctx, strings.Fields(command)...))(s.t) }
		}
		uses := storeUses()
		for i := range uses {
			if uses[i].reads {
				uses[i].want = ""
			}
		}
		s.usedWhileRefused(server.URL(), uses, do(commands.refuse), do(commands.accept))
	})
}

// usedWhileRefused has bob use heddle while its Redis refuses commands, and once more when it
// accepts them again.
func (s *scene) usedWhileRefused(url string, uses []use, refuse, accept func()) {
	s.t.Helper()
	s.admin(s.bob)
	s.start("REDIS_URL="+url, "OPERATORS="+s.bob.String())
	_, answer := s.joked()
	s.always(openaitest.Answer("Fine."))
	s.registered() // which needs the store
	refuse()
	for _, u := range uses {
		s.shown(u.by(s, answer), u.want)
	}
	accept()
	s.runs(s.bob, "heddle persona", nil, "I have no persona of my own here.")
	s.answer(s.channel, s.ask(s.bob, "do you still read me?"), "Fine.")
	s.runs(s.bob, "heddle opt-out", nil, phrases.English("opted_out"))
}

// TestCommandsAndPressesAreAcknowledgedWhileRedisIsSilent has Redis answer nothing. Discord
// must be told within three seconds that an answer is coming, so nothing that tells it so
// may wait for the store.
func TestCommandsAndPressesAreAcknowledgedWhileRedisIsSilent(t *testing.T) {
	s := newScene(t)
	s.admin(s.bob)
	server := s.redis()
	s.start("REDIS_URL="+server.URL(), "OPERATORS="+s.bob.String())
	_, answer := s.joked()
	s.always(openaitest.Answer("Fine."))
	s.registered() // which needs the store
	s.ok(server.Pause())
	used := make(map[string]discordtest.InteractionID)
	for i, u := range storeUses()[2:] { // nobody opts out: what they asked in public would be deleted
		used[fmt.Sprintf("%d %s%s", i, u.command, u.button)] = u.by(s, answer)
	}
	for _, id := range used {
		s.acknowledged(id)
	}
	s.ok(server.Resume())
	for name, id := range used {
		if strings.Contains(name, "◀") || strings.Contains(name, "↻") {
			continue // they change what the answer shows
		}
		s.shown(id, "")
	}
}
