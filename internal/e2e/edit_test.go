package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
	"heddle/internal/wait"
)

func TestAnEditedQuestionIsAnsweredInPlace(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."), openaitest.Answer("Since the 1600s."))
	r := s.start()
	question := s.ask(s.ann, "is bule a colour?")
	before := s.answer(s.channel, question, "Bule is no colour.")
	s.edit(question, s.mention("is indigo a colour?"))
	after := s.answer(s.channel, question, "Indigo is.")
	if after.ID != before.ID || s.own() != 1 {
		t.Errorf("the new answer is message %s of %d, want %s alone", after.ID, s.own(), before.ID)
	}
	next := s.post(s.bob, discordtest.Draft{Content: s.mention("since when?"), ReplyTo: after.ID})
	s.answer(s.channel, next, "1600s")
	s.contains(strings.Join(s.asked(3), "\n"), "Indigo is.")
	s.lacks(strings.Join(s.asked(3), "\n"), "ule")
	r.end()
	kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(kept) != 2 || kept[0].PathHash == kept[1].PathHash || kept[0].Generation != 1 || kept[1].Text != "Bule is no colour." {
		t.Errorf("stored are %+v, %v, want the new answer and the old one as history", kept, err)
	}
}

// TestAQuestionThatIsEditedWhileItIsAnswered edits a question while its first answer grows,
// and another while the answer to an edit does. The model is stopped at once, and what was
// shown gives way to the answer to what the question says now.
func TestAQuestionThatIsEditedWhileItIsAnswered(t *testing.T) {
	inScenes(t, map[string]string{"its first answer": "", "the answer to an edit": "The answer that stood."}, func(s *scene, first string) {
		endless := openaitest.Answer("The answer to what was asked then, ", "to its end.")
		endless.Chunks[1].Wait = make(chan struct{})
		r := s.start()
		if first != "" {
			s.model.Queue(openaitest.Answer(first))
		}
		s.model.Queue(endless)
		question := s.ask(s.ann, "first?")
		if first != "" {
			s.answer(s.channel, question, first)
			s.edit(question, s.mention("then?"))
		}
		s.begun(s.channel, question, "asked then")
		s.model.Queue(openaitest.Answer("The answer to the edit."))
		s.edit(question, s.mention("last?"))
		s.ok(s.model.AwaitHangups(s.ctx, 1))
		s.wholeAnswer(question, "The answer to the edit.")
		r.end()
		kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
		if err != nil || kept[0].Text != "The answer to the edit." || kept[0].Sources[len(kept[0].Sources)-1].Edited.IsZero() || s.own() != 1 {
			s.t.Errorf("recorded are %+v, %v, want the last answer first, bound to the edit", kept, err)
		}
		if want := len(s.model.Requests()); strings.Contains(strings.Join(s.asked(want), "\n"), "first?") || strings.Contains(r.logs.String(), "the model did not answer") {
			s.t.Error("the model was last asked the old question, or blamed for being stopped")
		}
	})
}

// TestNoHalfOfAnAnswerToAnEditStands kills heddle while it answers an edited question. The
// model then refuses the next process, or that process is paused past its lease before the
// model's first word.
func TestNoHalfOfAnAnswerToAnEditStands(t *testing.T) {
	type variant struct {
		paused bool
		want   string
	}
	inScenes(t, map[string]variant{
		"the model refuses": {false, "The answer that stood."},
		"paused":            {true, "The answer to the edit, to its end."},
	}, func(s *scene, test variant) {
		redis := s.redis()
		environ := []string{"REDIS_URL=" + redis.URL(), "CLAIM_LEASE=2s", "CATCH_UP=0"} // so that no channel is read again
		half := openaitest.Answer("The answer to the edit, ", "to its end.")
		half.Chunks[1].Wait = make(chan struct{})
		s.model.Queue(openaitest.Answer("The answer that stood."), half)
		owner := s.spawn(environ...)
		question := s.ask(s.ann, "what is a warp?")
		s.answer(s.channel, question, "The answer that stood.")
		s.edit(question, s.mention("what is a weft?"))
		s.begun(s.channel, question, "The answer to the edit")
		owner.kill()
		s.always(openaitest.Fail(openaitest.Failure{Status: 400}))
		if test.paused {
			never := openaitest.Answer("nothing")
			never.Chunks[0].Wait = make(chan struct{})
			s.model.Queue(never)
			s.always(openaitest.Answer("The answer to the edit, to its end."))
		}
		next := s.spawn(environ...)
		if test.paused {
			s.asked(3)
			s.ok(next.command.Process.Signal(syscall.SIGSTOP))
			s.leasesEnd(redis, 2*time.Second)
			s.ok(next.command.Process.Signal(syscall.SIGCONT))
		}
		s.wholeAnswer(question, test.want)
		s.awaits(&next.logs, `msg="an answer was looked at once more" trigger=`+question.String())
		s.wholeAnswer(question, test.want)
		if stands := s.answer(s.channel, question, test.want); labels(stands) != row || s.own() != 1 {
			s.t.Errorf("%d messages stand with %q below, want 1 with %q", s.own(), labels(stands), row)
		}
	})
}

// leasesEnd waits until every lease in Redis has ended, which last no longer than most.
func (s *scene) leasesEnd(redis *redistest.Server, most time.Duration) {
	s.t.Helper()
	left := fmt.Sprintf("local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do local ttl = redis.call('PTTL', key) "+
		"if ttl > 0 and ttl <= %d then n = n + 1 end end return n", most.Milliseconds())
	for {
		n, err := redis.Do(s.ctx, "EVAL", left, "0")
		if err != nil {
			s.t.Fatalf("leases in Redis do not end: %v", err)
		}
		if n == "0" {
			return
		}
		if err := wait.For(s.ctx, 10*time.Millisecond); err != nil {
			s.t.Fatalf("leases in Redis do not end: %v", err)
		}
	}
}

// TestAnAnswerThatWasNotRecordedIsComparedWithItsQuestion kills the owner of a question when
// its answer is whole and not recorded. The question was edited before, or is edited after.
func TestAnAnswerThatWasNotRecordedIsComparedWithItsQuestion(t *testing.T) {
	type moment uint8
	const (
		never moment = iota
		whileItGrows
		onceItIsWhole
	)
	type variant struct {
		edited moment
		policy string
		want   string
	}
	inScenes(t, map[string]variant{
		"not edited":            {never, "on", "The warp is lengthwise."},
		"edited while it grows": {whileItGrows, "on", "The weft is crosswise."},
		"edited once it stands": {onceItIsWhole, "on", "The weft is crosswise."},
		"edits are ignored":     {onceItIsWhole, "off", "The warp is lengthwise."},
	}, func(s *scene, test variant) {
		environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=2s", "EDIT_ANSWER=" + test.policy}
		rest := s.pauses("The warp is ", "lengthwise.")
		owner := s.spawn(environ...)
		question := s.ask(s.ann, "what is a warp?")
		s.begun(s.channel, question, "The warp")
		last := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), GateAfter: make(chan struct{})})
		if test.edited == whileItGrows {
			s.edit(question, s.mention("what is a weft?"))
		}
		close(rest)
		s.wholeAnswer(question, "The warp is lengthwise.")
		s.always(openaitest.Answer("The weft is crosswise."))
		owner.kill()
		last.Remove()
		if test.edited == onceItIsWhole {
			s.edit(question, s.mention("what is a weft?"))
		}
		next := s.spawn(environ...)
		s.awaits(&next.logs, `msg="an answer was looked at once more" trigger=`+question.String())
		if parts := s.partsOf(s.channel, question); !slices.Equal(parts, []string{test.want}) {
			s.t.Errorf("the answer reads %q, want %q alone", parts, test.want)
		}
	})
}

// TestAnEditThatIsNotHeardIsAnswered edits a question while heddle is away, or loses the event
// of the edit together with the session. heddle answers the edit once, although every check
// that follows sees it.
func TestAnEditThatIsNotHeardIsAnswered(t *testing.T) {
	inScenes(t, map[string]func(s *scene, r *running, edit func()) *running{
		"while heddle is away": func(s *scene, r *running, edit func()) *running {
			r.end()
			edit()
			return s.start()
		},
		"between two sessions": func(s *scene, r *running, edit func()) *running {
			remove := s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_UPDATE"))
			edit()
			remove()
			s.discord.Gateway.Invalidate()
			return r
		},
	}, func(s *scene, test func(s *scene, r *running, edit func()) *running) {
		s.model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."))
		r := s.start()
		question := s.ask(s.ann, "is bule a colour?")
		r.wholeAnswer(s, question, "Bule is no colour.")
		r = test(s, r, func() { s.edit(question, s.mention("is indigo a colour?")) })
		s.wholeAnswer(question, "Indigo is.")
		r.end()
		r = s.start()
		r.checked(s)
		s.model.Queue(openaitest.Answer("Yes."))
		s.wholeAnswer(s.ask(s.bob, "really?"), "Yes.") // after what else waits in the channel
		s.wholeAnswer(question, "Indigo is.")
		s.askedTimes(3)
		s.hasSaid(2)
	})
}

// TestAnEditThatIsNotHeardIsAnsweredThoughTheStoreWasEmptied edits one of two questions that
// were answered before, while heddle is away and its store is emptied.
func TestAnEditThatIsNotHeardIsAnsweredThoughTheStoreWasEmptied(t *testing.T) {
	s := newScene(t)
	server := s.redis()
	s.always(openaitest.Answer("It runs lengthwise."))
	r := s.start("REDIS_URL=" + server.URL())
	question := r.answers(s, s.ann, "what is a warp?", "It runs lengthwise.")
	other := r.answers(s, s.bob, "and what was a warp?", "It runs lengthwise.")
	r.end()
	errtest.Must(server.Do(s.ctx, "FLUSHALL"))(s.t)
	s.edit(question, s.mention("what is a weft?"))
	s.always(openaitest.Answer("It runs across."))
	s.start("REDIS_URL=" + server.URL())
	s.wholeAnswer(question, "It runs across.")
	s.wholeAnswer(other, "It runs lengthwise.")
	s.standIn(2)
}

// TestAnEditThatWasAnsweredIsNotAnsweredAgainThoughTheStoreForgot empties the store after an edit
// was answered, while heddle is away. A process that knows nothing sees which version was answered.
func TestAnEditThatWasAnsweredIsNotAnsweredAgainThoughTheStoreForgot(t *testing.T) {
	s := newScene(t)
	server := s.redis()
	s.model.Queue(openaitest.Answer("It runs lengthwise."), openaitest.Answer("It runs across."))
	s.always(openaitest.Answer("It was asked again."))
	environ := []string{"REDIS_URL=" + server.URL(), "CLAIM_LEASE=2s"}
	r := s.start(environ...)
	question := s.ask(s.ann, "what is a warp?")
	r.wholeAnswer(s, question, "It runs lengthwise.")
	s.edit(question, s.mention("what is a weft?"))
	s.wholeAnswer(question, "It runs across.")
	s.awaitsTimes(&r.logs, `msg="a task is done" trigger=`+question.String(), 2)
	r.end()
	errtest.Must(server.Do(s.ctx, "FLUSHALL"))(s.t)
	next := s.start(environ...)
	s.awaits(&next.logs, "the answer stands already")
	s.wholeAnswer(question, "It runs across.")
	s.askedTimes(2)
}

// TestAnEditIsAnsweredThoughTheStoreForgotTheAnswer empties the store while an answer grows, so
// that it is to be looked at once more, and again when it is whole. Then the question is edited.
func TestAnEditIsAnsweredThoughTheStoreForgotTheAnswer(t *testing.T) {
	s := newScene(t)
	server := s.redis()
	gate := s.pauses("It runs ", "lengthwise.")
	s.model.Queue(openaitest.Answer("It runs across."))
	r := s.start("REDIS_URL=" + server.URL())
	question := s.ask(s.ann, "what is a warp?")
	s.begun(s.channel, question, "It runs")
	errtest.Must(server.Do(s.ctx, "FLUSHALL"))(s.t)
	close(gate)
	r.wholeAnswer(s, question, "It runs lengthwise.")
	errtest.Must(server.Do(s.ctx, "FLUSHALL"))(s.t)
	s.edit(question, s.mention("what is a weft?"))
	s.wholeAnswer(question, "It runs across.")
	s.standIn(1)
}
