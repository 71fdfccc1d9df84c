package e2e_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

const (
	offering = "EDIT_ANSWER=offer"
	offer    = "✎ Answer the edit"
)

// coloured returns a scene in which a question was answered and then edited, with the
// answer, which offers a new one.
func coloured(t *testing.T) (s *scene, r *running, question graph.MessageID, answer discordtest.Message) {
	t.Helper()
	s = newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Bule is no colour."))
	r = s.start(offering)
	question = s.post(s.ann, discordtest.Draft{Content: s.mention("is bule a colour?")})
	answer = s.answer(s.channel, question, "Bule is no colour.")
	s.edit(question, s.mention("is indigo a colour?"))
	return s, r, question, s.standsIn(answer, "Bule is no colour.", row+" "+offer)
}

func TestAnEditedQuestionIsAnsweredWhenSomebodyPressesForIt(t *testing.T) {
	t.Parallel()
	s, r, question, answer := coloured(t)
	r.end()
	r = s.start(offering)
	s.edit(question, s.mention("is indigo really a colour?"))
	s.model.Queue(openaitest.Answer("Here."), openaitest.Answer("Indigo is."), openaitest.Answer("Since the 1600s."))
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("are you there?")}), "Here.")
	answer = s.standsIn(answer, "Bule is no colour.", row+" "+offer)
	offers := s.discord.Record.Requests(func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteEditMessage && strings.Contains(string(r.Body), offer)
	})
	if len(offers) != 1 || strings.Contains(string(offers[0].Body), "content") {
		t.Errorf("it is offered %d times, want once and without naming the text: %+v", len(offers), offers)
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times before somebody pressed, want 2", got)
	}
	s.press(s.bob, answer, offer)
	after := s.standsIn(answer, "Indigo is.", row)
	next := s.post(s.bob, discordtest.Draft{Content: s.mention("since when?"), ReplyTo: after.ID})
	s.answer(s.channel, next, "1600s")
	if got := strings.Join(s.asked(4), "\n"); !strings.Contains(got, "is indigo really") || !strings.Contains(got, "Indigo is.") || strings.Contains(got, "ule") {
		t.Errorf("the follow-up was asked with %q, want %q in it, %q in it and no %q in it", got, "is indigo really", "Indigo is.", "ule")
	}
	r.end()
	kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(kept) != 2 || kept[0].PathHash == kept[1].PathHash || kept[0].Generation != 1 || kept[1].Text != "Bule is no colour." {
		t.Errorf("stored are %+v, %v, want the new answer and the old one as history", kept, err)
	}
}

func TestAnOfferLeavesWithWhatItIsFor(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(s *scene, r *running, question graph.MessageID){
		"the question is edited back": func(s *scene, _ *running, question graph.MessageID) { s.edit(question, s.mention("is bule a colour?")) },
		"the question is deleted":     func(s *scene, _ *running, question graph.MessageID) { s.discord.Chat.Delete(s.channel, question) },
		"the question is edited back long after it was asked": func(s *scene, r *running, question graph.MessageID) {
			r.end()
			s.start(offering, "EDIT_WINDOW=1s")
			s.edit(question, s.mention("is bule a colour?"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r, question, answer := coloured(t)
			change(s, r, question)
			if name == "the question is deleted" {
				s.standIn(0) // and the answer with it
			} else {
				s.standsIn(answer, "Bule is no colour.", row)
			}
			if got := len(s.model.Requests()); got != 1 {
				t.Errorf("the model was asked %d times, want 1", got)
			}
		})
	}
}

// TestAQuestionThatIsDeletedWhileItsAnswerOffersAnother delays Discord's response to the
// edit that adds the button until the deletion has arrived.
func TestAQuestionThatIsDeletedWhileItsAnswerOffersAnother(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Here."))
	s.start(offering)
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("is bule a colour?")})
	answer := s.answer(s.channel, question, "Bule is no colour.")
	gate := make(chan struct{})
	s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), GateAfter: gate})
	s.edit(question, s.mention("is indigo a colour?"))
	s.standsIn(answer, "Bule is no colour.", row+" "+offer)
	s.discord.Chat.Delete(s.channel, question)
	// Events are handled in order, so this question is answered after the deletion.
	thread := s.thread("meanwhile")
	s.answer(thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Here.")
	close(gate)
	s.standIn(0)
}

func TestAnOfferStandsBesideTheOtherButtons(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start(offering)
	question, second := s.joked()
	first := s.answer(s.channel, question, "A joke about warps.")
	s.edit(question, s.mention("a riddle?"))
	first = s.standsIn(first, "A joke about warps.", row+" "+offer+" (◀) (1/2) ▶")
	s.press(s.bob, first, "▶")
	first = s.standsIn(first, "A joke about wefts.", row+" "+offer+" ◀ (2/2) (▶)")
	s.press(s.bob, second, "◀")
	s.standsIn(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.model.Queue(openaitest.Answer("A riddle."))
	s.press(s.bob, first, offer)
	s.standsIn(first, "A riddle.", row)
}

func TestTwoWhoPressForAnEditAtOnceGetOneAnswer(t *testing.T) {
	t.Parallel()
	s, _, _, answer := coloured(t)
	gate := make(chan struct{})
	slow := openaitest.Answer("Indigo is.")
	slow.Wait = gate
	s.model.Queue(slow, openaitest.Answer("Something else."))
	s.press(s.ann, answer, offer)
	s.asked(2)
	second := s.press(s.bob, answer, offer)
	if _, err := s.discord.Interactions.Await(s.ctx, second, func(i discordtest.Interaction) bool { return i.Answered != 0 }); err != nil {
		t.Fatal(err)
	}
	close(gate)
	s.standsIn(answer, "Indigo is.", row)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("something else?")}), "Something else.")
	if got := len(s.model.Requests()); got != 3 {
		t.Errorf("the model was asked %d times, want 3", got)
	}
}

func TestAModelThatFailsOnAnOfferLeavesItStanding(t *testing.T) {
	t.Parallel()
	s, _, _, answer := coloured(t)
	s.model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
	s.ephemeral(s.press(s.bob, answer, offer), "My language model refuses to work with me.")
	s.standsIn(answer, "Bule is no colour.", row+" "+offer)
	s.model.Queue(openaitest.Answer("Indigo is."))
	s.press(s.bob, answer, offer)
	s.standsIn(answer, "Indigo is.", row)
}

func TestAnEditOfAQuestionThatFailedIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}), openaitest.Answer("Indigo is."))
	s.start(offering)
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("is bule a colour?")})
	failed := s.answer(s.channel, question, "refuses to work with me")
	s.edit(question, s.mention("is indigo a colour?"))
	s.standsIn(failed, "Indigo is.", row)
}

// TestAskingAfreshAnswersTheQuestionAsItReadsNow proves that alternatives are answers to
// the same version of a question.
func TestAskingAfreshAnswersTheQuestionAsItReadsNow(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(s *scene, r *running, question graph.MessageID, first, second discordtest.Message){
		"by the button": func(s *scene, _ *running, _ graph.MessageID, first, second discordtest.Message) {
			s.press(s.bob, second, "↻")
			s.standsIn(second, "A riddle.", row)
			s.press(s.bob, first, "↻")
			s.standsIn(first, "Another riddle.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
		},
		"by the word": func(s *scene, _ *running, question graph.MessageID, first, second discordtest.Message) {
			third := s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: "again", ReplyTo: second.ID}), "A riddle.")
			s.standsIn(third, "A riddle.", row)
			first = s.standsIn(first, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
			fourth := s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: "again", ReplyTo: third.ID}), "Another riddle.")
			s.standsIn(fourth, "Another riddle.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
			third = s.standsIn(third, "A riddle.", "Why? ↻ ⋯ (◀) (1/2) ▶")
			s.edit(question, s.mention("a puzzle?"))
			s.model.Queue(openaitest.Answer("A puzzle."), openaitest.Answer("Another puzzle."))
			s.press(s.bob, first, "↻")
			s.standsIn(first, "A puzzle.", row)
			s.press(s.bob, third, "↻")
			s.standsIn(third, "Another puzzle.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
		},
		"where that is offered": func(s *scene, r *running, question graph.MessageID, first, _ discordtest.Message) {
			r.end()
			s.start(offering)
			s.edit(question, s.mention("a riddle, please?"))
			first = s.standsIn(first, "A joke about warps.", row+" "+offer+" (◀) (1/2) ▶")
			s.press(s.bob, first, "↻")
			first = s.standsIn(first, "A riddle.", row)
			s.edit(question, s.mention("a puzzle?"))
			s.standsIn(first, "A riddle.", row+" "+offer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			r := s.start("EDIT_ANSWER=off")
			question, second := s.joked()
			first := s.answer(s.channel, question, "A joke about warps.")
			s.edit(question, s.mention("a riddle?"))
			s.model.Queue(openaitest.Answer("A riddle."), openaitest.Answer("Another riddle."))
			ask(s, r, question, first, second)
			if got := strings.Join(s.asked(3), "\n"); !strings.Contains(got, "a riddle") {
				t.Errorf("the model was asked with %q, want %q in it", got, "a riddle")
			}
		})
	}
}

// TestAnEditIsLeftToTheProcessThatAnswers edits a question while one of two processes
// answers it. The other process has no answer to replace.
func TestAnEditIsLeftToTheProcessThatAnswers(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	server := s.redis()
	s.environ = append(s.environ, "REDIS_URL="+server.URL())
	both := []*running{s.start(), s.start()}
	s.connected(2)
	gate := make(chan struct{})
	slow := openaitest.Answer("The answer to what was asked first, ", "to its end.")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow, openaitest.Answer("The answer to the edit."))
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("first?")})
	s.begun(s.channel, question, "asked first")
	s.edit(question, s.mention("second?"))
	s.oneOf(both, "an edited question has no answer that is known")
	close(gate)
	s.answer(s.channel, question, "The answer to the edit.")
	if s.own() != 1 {
		t.Errorf("heddle has %d messages in the channel, want 1", s.own())
	}
}

// oneOf waits until one of several processes has logged a text.
func (o *operator) oneOf(all []*running, text string) {
	o.t.Helper()
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	logged := make(chan error, len(all))
	var waiting sync.WaitGroup
	for _, r := range all {
		waiting.Go(func() { logged <- r.logs.await(ctx, text) })
	}
	err := <-logged
	cancel()
	waiting.Wait()
	if err != nil {
		o.t.Fatal(err)
	}
}

func TestAnOfferIsMadeAndTakenByOneOfTwoProcesses(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	server := s.redis()
	s.environ = append(s.environ, "REDIS_URL="+server.URL(), offering)
	s.start()
	s.start()
	s.connected(2)
	s.model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."))
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("is bule a colour?")})
	answer := s.answer(s.channel, question, "Bule is no colour.")
	s.edit(question, s.mention("is indigo a colour?"))
	answer = s.standsIn(answer, "Bule is no colour.", row+" "+offer)
	s.press(s.bob, answer, offer)
	s.standsIn(answer, "Indigo is.", row)
}
