package alternatives_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// offered returns a scene in which a question was answered and edited, so that its
// answer offers another one.
func offered(t *testing.T) (s *scene, question, answered graph.MessageID) {
	t.Helper()
	s = newScene(t, alternatives.EditsOffered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.edited(question, "is indigo a colour?")
	s.shows(said.ID, "Bule is no colour.", row+" "+offer)
	return s, question, said.ID
}

// edited handles an edit that nothing is answered for yet.
func (s *scene) edited(question graph.MessageID, text string) {
	s.t.Helper()
	if got, err := s.edit(question, text, 0); got != answer.Dropped || err != nil {
		s.t.Fatalf("the edit ends with %q, %v, want %q and no error", got, err, answer.Dropped)
	}
}

// offers reports whether the store holds an offer for a question.
func (s *scene) offers(question graph.MessageID) bool {
	s.t.Helper()
	offers, err := s.Store.Displays.Offers(s.Context(), s.Place().Scope, []graph.MessageID{question})
	if err != nil {
		s.t.Fatal(err)
	}
	return len(offers) > 0
}

func TestAnEditIsOfferedOnceAndNamesNoText(t *testing.T) {
	t.Parallel()
	s, question, _ := offered(t)
	s.edited(question, "is indigo really a colour?")
	requests := s.Discord.Record.Requests(func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteEditMessage && strings.Contains(string(r.Body), offer)
	})
	if len(requests) != 1 || strings.Contains(string(requests[0].Body), "content") {
		t.Errorf("Discord was sent %+v, want one edit without content", requests)
	}
	if !s.offers(question) {
		t.Error("the offer is not stored")
	}
	s.requested(1)
}

func TestAnOfferIsAnsweredWhenSomebodyPressesForIt(t *testing.T) {
	t.Parallel()
	s, question, answered := offered(t)
	s.Model.Queue(openaitest.Answer("Indigo is."), openaitest.Answer("Violet is."))
	s.told(s.ask(answered, offer, answer.Answered), "")
	s.shows(answered, "Indigo is.", row)
	s.edited(question, "is violet a colour?") // the old offer does not stand in the way
	s.shows(answered, "Indigo is.", row+" "+offer)
	s.ask(answered, offer, answer.Answered)
	s.shows(answered, "Violet is.", row)
	if all := s.recorded(question, 3); all[0].Generation+all[1].Generation+all[2].Generation != 0+1+2 {
		t.Errorf("recorded are %+v, want the generations 0, 1 and 2", all)
	}
}

func TestAnOfferThatSomebodyTookIsNotTakenTwice(t *testing.T) {
	t.Parallel()
	s, _, answered := offered(t)
	late := s.press(answered, offer)
	s.Model.Queue(openaitest.Answer("Indigo is."))
	s.ask(answered, offer, answer.Answered)
	s.asks(late, answer.Dropped)
	s.told(late, "")
	s.shows(answered, "Indigo is.", row)
	s.requested(2)
}

func TestAnOfferIsTakenBackWhenTheQuestionReadsAsItDid(t *testing.T) {
	t.Parallel()
	s, question, answered := offered(t)
	s.edited(question, "is bule a colour?")
	s.shows(answered, "Bule is no colour.", row)
	if s.offers(question) {
		t.Error("the offer is still stored")
	}
}

func TestAfterTheWindowAnOfferIsTakenBackButNoneIsMade(t *testing.T) {
	t.Parallel()
	s, question, answered := offered(t)
	for _, edit := range []struct{ text, buttons string }{
		{"is violet a colour?", row + " " + offer}, {"is bule a colour?", row}, {"is indigo a colour?", row},
	} {
		if got, err := s.edit(question, edit.text, window+1); got != answer.Dropped || err != nil {
			t.Fatalf("the edit ends with %q, %v, want %q and no error", got, err, answer.Dropped)
		}
		s.shows(answered, "Bule is no colour.", edit.buttons)
	}
}

func TestAfterTheWindowNothingIsOfferedForAnAnswerThatWasNotSent(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("is bule a colour?")})
	s.refuse(discordtest.RouteCreateMessage)
	s.Model.Queue(openaitest.Answer("Bule is no colour."))
	if got, err := s.Questions.Answer(s.Context(), s.Log, s.question(question)); got != answer.Denied || err != nil {
		t.Fatalf("answering ends with %q, %v, want %q and no error", got, err, answer.Denied)
	}
	if got, err := s.edit(question, "is indigo a colour?", window+1); got != answer.Dropped || err != nil {
		t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Dropped)
	}
	s.requested(1)
}

// TestAPressForWhatIsNotOfferedPutsTheButtonsRight presses a button that was left there
// by mistake.
func TestAPressForWhatIsNotOfferedPutsTheButtonsRight(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.Edit(question, s.Mention("is indigo a colour?"))
	p := s.forge(said.ID, "heddle:edit:"+s.recorded(question, 1)[0].ID.String())
	s.asks(p, answer.Dropped)
	s.told(p, "")
	s.shows(said.ID, "Bule is no colour.", row)
	s.requested(1)
}

// TestAPressForAnEditThatWasTakenBackRemovesTheOffer presses before the edit was heard
// of.
func TestAPressForAnEditThatWasTakenBackRemovesTheOffer(t *testing.T) {
	t.Parallel()
	s, question, answered := offered(t)
	s.Edit(question, s.Mention("is bule a colour?"))
	s.told(s.ask(answered, offer, answer.Dropped), "")
	s.shows(answered, "Bule is no colour.", row)
	s.requested(1)
	if s.offers(question) {
		t.Error("the offer is still stored")
	}
}

func TestAModelThatFailsLeavesTheOfferStanding(t *testing.T) {
	t.Parallel()
	s, question, answered := offered(t)
	s.Model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
	s.told(s.ask(answered, offer, answer.Failed), "explained")
	s.shows(answered, "Bule is no colour.", row+" "+offer)
	if !s.offers(question) {
		t.Error("the offer is no longer stored")
	}
}

func TestAnOfferThatDiscordRefusesIsNotStored(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	allow := s.refuse(discordtest.RouteEditMessage)
	if _, err := s.edit(question, "is indigo a colour?", 0); err == nil {
		t.Error("an offer that Discord refused counts as made, want an error")
	}
	if s.offers(question) {
		t.Error("an offer that Discord refused is stored, want none")
	}
	allow()
	s.edited(question, "is violet a colour?")
	s.shows(said.ID, "Bule is no colour.", row+" "+offer)
}

// TestAQuestionThatIsDeletedMeanwhileOffersNothing deletes it after Discord put the
// button there, and before heddle knows.
func TestAQuestionThatIsDeletedMeanwhileOffersNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.Edit(question, s.Mention("is indigo a colour?"))
	gate := make(chan struct{})
	put := s.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), GateAfter: gate})
	ended := make(chan error, 1)
	go func() {
		_, err := s.Edits.Handling(0)(s.Context(), s.Log, s.question(question))
		ended <- err
	}()
	if err := put.Await(s.Context(), 1); err != nil {
		t.Fatal(err)
	}
	s.Inflight.Gone([]graph.MessageID{question}) // which breaks nothing off
	s.Delete(question)
	close(gate)
	s.ends(ended, "the edit was not handled to its end")
	s.shows(said.ID, "Bule is no colour.", "") // whoever deleted it may have cleared them before
	if s.offers(question) {
		t.Error("the offer is still stored")
	}
}

func TestALinkPreviewIsNoEdit(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question, said := s.asked("is https://example.com/bule a colour?", "Bule is no colour.")
	if err := s.Discord.Chat.SetEmbeds(s.Channel, question, json.RawMessage(`[{"type":"link","title":"A page"}]`)); err != nil {
		t.Fatal(err)
	}
	s.History.Update(s.Message(question))
	if got, err := s.Edits.Handling(0)(s.Context(), s.Log, s.question(question)); got != answer.Dropped || err != nil {
		t.Errorf("the edit ends with %q, %v, want %q and no error", got, err, answer.Dropped)
	}
	s.shows(said.ID, "Bule is no colour.", row)
}

func TestAnOfferMovesWithTheAlternativesOfItsAnswerOnly(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question, first, second := s.joked()
	s.edited(question, "a riddle?")
	s.shows(first, "A joke about warps.", "Why? ↻ ⋯ "+offer+" (◀) (1/2) ▶")
	s.step(first, on)
	s.shows(first, "A joke about wefts.", "Why? ↻ ⋯ "+offer+" ◀ (2/2) (▶)")
	s.step(second, back)
	s.shows(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.Model.Queue(openaitest.Answer("A riddle."))
	s.ask(second, again, answer.Answered) // so that the offer is of an older generation
	s.step(first, back)
	s.shows(first, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
}

func TestTheButtonsOfOffersAreFoundWhenQuestionsAreDeleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsOffered)
	question, last := s.asked("tell me all about looms", long("loom"))
	other, _ := s.asked("is bule a colour?", "Bule is no colour.")
	s.edited(question, "tell me all about wefts")
	deleted := []graph.MessageID{other, question}
	found := s.Edits.Offering(s.Context(), s.Place().Scope, s.Channel, deleted)
	if !slices.Equal(found, []graph.MessageID{last.ID}) {
		t.Fatalf("the messages with offers are %v, want %s", found, last.ID)
	}
	for _, policy := range []alternatives.EditPolicy{alternatives.EditsIgnored, alternatives.EditsAnswered} {
		if found := alternativesOf(s.Env, policy).Edits.Offering(s.Context(), s.Place().Scope, s.Channel, deleted); found != nil {
			t.Errorf("with policy %d the messages with offers are %v, want nil", policy, found)
		}
	}
	stale, said := s.asked("tell me about warps", "Of warps?")
	s.Model.Queue(openaitest.Answer("Of wefts?"))
	s.edited(stale, "tell me about wefts")
	s.ask(said.ID, offer, answer.Answered)
	if found := s.Edits.Offering(s.Context(), s.Place().Scope, s.Channel, []graph.MessageID{stale}); found != nil {
		t.Errorf("after somebody took the offer it stands on %v, want nil", found)
	}
	s.Edits.ClearButtons(s.Context(), store.Place{Scope: s.Place().Scope, Channel: s.Channel, Message: last.ID})
	if m := s.current(last.ID); labels(m) != "" {
		t.Errorf("the buttons %q are left, want \"\"", labels(m))
	}
}

func TestOffersThatCannotBeReadAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	s, question, _ := offered(t)
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	found := s.Edits.Offering(s.Context(), s.Place().Scope, s.Channel, []graph.MessageID{question})
	if found != nil || !strings.Contains(s.Logged(), "offers to answer deleted questions could not be read") {
		t.Errorf("found are %v, logged was %s, want nil and %q in it", found, s.Logged(), "offers to answer deleted questions could not be read")
	}
}

func TestButtonsOfADeletedMessageAreNothingToWarnOf(t *testing.T) {
	t.Parallel()
	s, _, answered := offered(t)
	s.Delete(answered)
	s.Edits.ClearButtons(s.Context(), store.Place{Scope: s.Place().Scope, Channel: s.Channel, Message: answered})
	if strings.Contains(s.Logged(), "buttons could not be removed") {
		t.Error("it is logged that the buttons of a deleted message could not be removed, want nothing")
	}
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	s.Edits.ClearButtons(ctx, store.Place{Scope: s.Place().Scope, Channel: s.Channel, Message: answered})
	if !strings.Contains(s.Logged(), "buttons could not be removed") {
		t.Error("buttons that stay are not logged")
	}
}
