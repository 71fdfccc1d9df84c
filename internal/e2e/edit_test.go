package e2e_test

import (
	"fmt"
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
	s.same("the message of the new answer", after.ID, before.ID)
	s.hasSaid(1)
	s.answer(s.channel, s.askBelow(after.ID, s.bob, "since when?"), "1600s")
	s.contains(s.conversation(3), "Indigo is.")
	s.lacks(s.conversation(3), "ule")
	r.end()
	kept := s.keeps(question)
	if len(kept) != 2 || kept[0].PathHash == kept[1].PathHash || kept[0].Generation != 1 || kept[1].Text != "Bule is no colour." {
		t.Errorf("stored are %+v, want the new answer and the old one as history", kept)
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
		s.hasSaid(1)
		kept := s.recorded(question)
		if kept.Text != "The answer to the edit." || kept.Sources[len(kept.Sources)-1].Edited.IsZero() {
			s.t.Errorf("recorded is %+v, want the last answer, bound to the edit", kept)
		}
		s.lacks(s.conversation(len(s.model.Requests())), "first?")
		s.lacks(r.logs.String(), "the model did not answer")
	})
}

// TestNoHalfOfAnAnswerToAnEditStands kills heddle while it answers an edited question. The
// model then refuses the next process, or that process is paused past its lease before the
// model's first word.
func TestNoHalfOfAnAnswerToAnEditStands(t *testing.T) {
	type variant struct {
		paused bool
		want   string
		said   int // messages: a refusal is told below the answer that stands
	}
	inScenes(t, map[string]variant{
		"the model refuses": {false, "The answer that stood.", 2},
		"paused":            {true, "The answer to the edit, to its end.", 1},
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
		s.answer(s.channel, question, test.want)
		s.awaits(&next.logs, `msg="an answer was looked at once more" trigger=`+question.String())
		if test.said > 1 {
			s.says(s.channel, "still to your message before the edit")
		}
		stands := s.answer(s.channel, question, test.want)
		s.same("the answer", stands.Content, test.want)
		s.same("the buttons", labels(stands), row)
		s.hasSaid(test.said)
	})
}

// leasesEnd waits until every lease in Redis has ended, which last no longer than most.
func (s *scene) leasesEnd(redis *redistest.Server, most time.Duration) {
	s.t.Helper()
	left := fmt.Sprintf("local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do local ttl = redis.call('PTTL', key) "+
		"if ttl > 0 and ttl <= %d then n = n + 1 end end return n", most.Milliseconds())
	for errtest.Must(redis.Do(s.ctx, "EVAL", left, "0"))(s.t) != "0" {
		s.ok(wait.For(s.ctx, 10*time.Millisecond))
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
		s.same("the parts of the answer", s.partsOf(s.channel, question), []string{test.want})
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
