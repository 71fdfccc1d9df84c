package commands_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

func TestAStaleButtonShowsWhatItWasMadeFor(t *testing.T) {
	s := newScene(t)
	_, first, second := s.joked()
	stale := s.pressed(second, s.named(second, back))
	s.step(first, on)
	s.step(first, back)
	s.again(first, "A joke about looms.")
	s.do(stale)
	s.told(stale, "")
	s.shows(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/3) ▶")
}

// TestAButtonReachesNoMoreThanTheAlternativesBehindItsMessage presses buttons with
// names that somebody made up. The message gets the buttons that it should have.
func TestAButtonReachesNoMoreThanTheAlternativesBehindItsMessage(t *testing.T) {
	for name, forge := range map[string]func(s *scene, joke graph.MessageID) (on graph.MessageID, response store.ResponseID, left string){
		"an answer to another question": func(s *scene, _ graph.MessageID) (graph.MessageID, store.ResponseID, string) {
			question, _ := s.asked("what is the secret?", "A secret.")
			return s.Said()[0].ID, s.recorded(question, 1)[0].ID, "Why? ↻ ⋯ (◀) (1/2) ▶"
		},
		"an answer that never was": func(s *scene, _ graph.MessageID) (graph.MessageID, store.ResponseID, string) {
			return s.Said()[0].ID, store.ResponseID{1, 2, 3}, "Why? ↻ ⋯ (◀) (1/2) ▶"
		},
		"the only answer": func(s *scene, _ graph.MessageID) (graph.MessageID, store.ResponseID, string) {
			question, only := s.asked("what is the secret?", "A secret.")
			return only.ID, s.recorded(question, 1)[0].ID, "Why? ↻ ⋯"
		},
		"an answer, from a message that shows none": func(s *scene, joke graph.MessageID) (graph.MessageID, store.ResponseID, string) {
			notice := s.Post(s.Self, discordtest.Draft{Content: "A notice."})
			return notice, s.recorded(joke, 2)[0].ID, "x"
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			joke, _, _ := s.joked()
			message, response, left := forge(s, joke)
			before := s.current(message).Content
			p := s.forge(message, "heddle:show:"+response.String())
			s.do(p)
			s.told(p, phrases.English("answers_gone"))
			s.shows(message, before, left)
		})
	}
}

func TestAPressInAnotherChannelReachesNothing(t *testing.T) {
	s := newScene(t)
	_, _, second := s.joked()
	p := s.pressed(second, s.named(second, back))
	p.Channel = s.Discord.World.AddChannel(s.Guild, discordtest.ChannelDraft{Name: "elsewhere"})
	s.Event("CHANNEL_CREATE", fmt.Sprintf(`{"id":"%d","guild_id":"%d"}`, p.Channel, s.Guild))
	s.do(p)
	s.told(p, phrases.English("answers_gone"))
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}

func TestAnswersThatWereErasedAreGoneForPresses(t *testing.T) {
	for _, label := range []string{back, again} {
		t.Run(label, func(t *testing.T) {
			s := newScene(t)
			question, _, second := s.joked()
			s.forget(question)
			s.told(s.step(second, label), phrases.English("answers_gone"))
			s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)") // a press removes nothing
			s.requested(2)
		})
	}
}

func TestAskingAfreshAnswersInPlaceAndKeepsTheOtherAnswers(t *testing.T) {
	s := newScene(t)
	question, first, second := s.joked()
	s.step(second, back)
	s.Model.Queue(openaitest.Answer("A joke about looms."))
	s.told(s.step(second, again), "")
	s.shows(second, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
	s.shows(first, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/3) ▶")
	asks := s.current(second).Reference.Message
	for _, r := range s.recorded(question, 3) {
		if r.Generation != 0 || r.Text == "A joke about looms." && (r.Reply != asks || r.Replies[0].ID != second) {
			t.Errorf("recorded is %+v, want generation 0, and the last answer below %v in %v", r.Standing, asks, second)
		}
	}
	s.step(second, back)
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	requests := s.Model.Requests()
	if len(requests) != 3 || string(requests[0].Body) != string(requests[2].Body) {
		t.Errorf("asked afresh, the model reads another question than at first, or not in the third of %d requests", len(requests))
	}
}

func TestAModelThatFailsOnAPressLeavesTheAnswerThatStands(t *testing.T) {
	s := newScene(t)
	_, _, second := s.joked()
	s.Model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
	s.told(s.step(second, again), phrases.English("model_misset"))
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	if got := s.recalled(second); got != "A joke about wefts." {
		t.Errorf("the message counts as showing %q, want %q", got, "A joke about wefts.")
	}
}

func TestAskingAfreshForAnEditedQuestionBeginsOtherAlternatives(t *testing.T) {
	s := newScene(t)
	question, first, second := s.joked()
	s.Edit(question, s.Mention("a riddle?"))
	s.Model.Queue(openaitest.Answer("A riddle."), openaitest.Answer("Another riddle."))
	s.step(second, again)
	s.shows(second, "A riddle.", row)
	s.step(first, again) // it joins those that answer the newest version
	s.shows(first, "Another riddle.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	generations := map[string]int{}
	for _, r := range s.recorded(question, 4) {
		generations[r.Text] = r.Generation
	}
	if generations["A joke about wefts."] != 0 || generations["A riddle."] != 1 || generations["Another riddle."] != 1 {
		t.Errorf("the generations are %v, want 0 for \"A joke about wefts.\", 1 for \"A riddle.\" and 1 for \"Another riddle.\"", generations)
	}
}

func TestAPressInAChannelThatIsNotKnownYetIsRefused(t *testing.T) {
	s := newScene(t)
	_, _, second := s.joked()
	s.Event("CHANNEL_DELETE", fmt.Sprintf(`{"id":"%d","guild_id":"%d"}`, s.Channel, s.Guild))
	s.told(s.step(second, again), phrases.English("no_memory"))
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.requested(2)
}

// TestAlternativesAreCountedAnew does so below an answer that stands, one that is deleted
// and one that Discord does not let heddle change.
func TestAlternativesAreCountedAnew(t *testing.T) {
	s := newScene(t)
	_, first, second := s.joked()
	s.forget(second)
	at := store.Place{Scope: s.Place().Scope, Channel: s.Channel, Message: first}
	end := s.refuse(discordtest.RouteEditMessage)
	s.answers.Relabel(s.Context(), at)
	end()
	if !strings.Contains(s.Logged(), "alternatives could not be counted anew") {
		t.Error("numbers that stay wrong are not logged")
	}
	s.shows(first, "A joke about warps.", row+" (◀) (1/2) ▶")
	s.answers.Relabel(s.Context(), at)
	s.shows(first, "A joke about warps.", row)
	before := len(s.Logged())
	s.answers.Relabel(s.Context(), store.Place{Scope: at.Scope, Channel: at.Channel, Message: second})
	s.Delete(first)
	s.answers.Relabel(s.Context(), at)
	if logged := s.Logged()[before:]; strings.Contains(logged, "counted anew") {
		t.Errorf("answers that are gone are missed: %s, want no %q in it", logged, "counted anew")
	}
}

// TestAnAnswerThatBecomesShorterIsNotDeleted erases nothing by the messages that it leaves,
// and all of it by the one that stays.
func TestAnAnswerThatBecomesShorterIsNotDeleted(t *testing.T) {
	s := newScene(t)
	text := strings.TrimSpace(strings.Repeat("a word and another one\n", 150))
	question, _ := s.asked("what are they?", text)
	parts := s.Said()
	s.Model.Queue(openaitest.Answer("Wefts."))
	s.step(parts[1].ID, again)
	s.forget(parts[1].ID)
	s.recorded(question, 2)
	s.step(parts[0].ID, back)
	longer := s.Said()
	s.step(longer[1].ID, on)
	s.forget(longer[1].ID)
	s.recorded(question, 2)
	s.forget(parts[0].ID)
	s.recorded(question, 0)
}

// TestAMessageThatCannotBeDeletedIsNoPartOfAShorterAnswer asks the store after Discord refused.
func TestAMessageThatCannotBeDeletedIsNoPartOfAShorterAnswer(t *testing.T) {
	s := newScene(t)
	s.asked("what are they?", strings.TrimSpace(strings.Repeat("a word and another one\n", 150)))
	head := s.Said()[0].ID
	s.Model.Queue(openaitest.Answer("Wefts."))
	s.step(s.Said()[1].ID, again)
	s.step(head, back)
	end := s.refuse(discordtest.RouteDeleteMessage)
	s.step(s.Said()[1].ID, on)
	end()
	parts := errtest.Must(s.Store.Responses.Parts(s.Context(), s.Place().Scope, head))(t)
	if want := []graph.MessageID{head}; !slices.Equal(parts, want) || len(s.Said()) != 2 {
		t.Errorf("%d messages stand, and the answer is stored as %v; want 2 and %v", len(s.Said()), parts, want)
	}
}

func TestAnAlternativeTakesAsManyMessagesAsItNeeds(t *testing.T) {
	s := newScene(t)
	_, first := s.asked("tell me about looms", "They weave.")
	last := s.again(first.ID, long()).ID
	s.shows(first.ID, "They weave.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	said := s.Said()
	if len(said) != 3 || said[2].ID != last {
		t.Fatalf("heddle said %+v, want 3 of them and ID %v of the third", said, last)
	}
	head := said[1].ID
	if m := s.current(head); labels(m) != "" {
		t.Errorf("the buttons %q stand in the middle of an answer, want \"\"", labels(m))
	}
	s.step(last, back) // the buttons are below the last part
	s.shows(head, "They weave.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	if _, ok := s.Discord.Chat.Message(s.Channel, last); ok {
		t.Error("a part that the alternative does not need is left")
	}
	s.step(head, on)
	said = s.Said()
	if len(said) != 3 || said[1].ID != head || s.recalled(said[2].ID) != long() {
		t.Fatalf("heddle said %+v, want 3 messages: the second is %v, and the third is recorded with the longer text", said, head)
	}
	s.step(said[2].ID, back) // the new part belongs to the answer like the old one
	s.shows(head, "They weave.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.step(first.ID, on) // the answer beside it grows as well
	if parts := s.parts(first.ID); len(parts) != 2 || s.recalled(parts[1]) != long() {
		t.Errorf("the parts are %v, want 2, the second recorded with the longer text", parts)
	}
}

// parts returns the messages in which an answer stands, as the store knows.
func (s *scene) parts(part graph.MessageID) []graph.MessageID {
	s.t.Helper()
	return errtest.Must(s.Store.Responses.Parts(s.Context(), s.Place().Scope, part))(s.t)
}

// TestAnAlternativeThatIsShownInPartCountsAsTheOneBefore has Discord refuse the second
// message of an alternative.
func TestAnAlternativeThatIsShownInPartCountsAsTheOneBefore(t *testing.T) {
	s := newScene(t)
	_, first := s.asked("tell me about looms", "They weave.")
	s.again(first.ID, long())
	allow := s.refuse(discordtest.RouteCreateMessage)
	s.told(s.step(first.ID, on), phrases.English("not_shown"))
	allow()
	if got := s.recalled(first.ID); got != "They weave." {
		t.Errorf("the message counts as showing %.20q, want %.20q", got, "They weave.")
	}
	if parts := s.parts(first.ID); !slices.Equal(parts, []graph.MessageID{first.ID}) {
		t.Errorf("the parts are %v, want %v", parts, []graph.MessageID{first.ID})
	}
}

func TestAnAnswerThatWasGivenBeforeSaysSoWhereverItIsShown(t *testing.T) {
	s := newScene(t)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.Model.Queue(openaitest.Answer("Indigo is."), openaitest.Answer("Bule is a blend."))
	s.edits(question, "is indigo a colour?", answer.Answered)
	s.edits(question, "is bule a colour?", answer.Reused)
	s.shows(said.ID, "Bule is no colour.", row) // it is the question's own answer
	s.step(said.ID, again)
	s.shows(said.ID, "Bule is a blend.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.step(said.ID, back)
	if m := s.current(said.ID); !strings.HasPrefix(m.Content, "Bule is no colour.\n-# Answered before") {
		t.Errorf("the message shows %q, want %q at its start", m.Content, "Bule is no colour.\n-# Answered before")
	}
}

// TestAPressBelowAnAnswerThatIsNotRecordedYetRemovesNothing presses a button of an answer whose
// process was killed before it recorded where the answer stands.
func TestAPressBelowAnAnswerThatIsNotRecordedYetRemovesNothing(t *testing.T) {
	s := newScene(t)
	said := s.Post(s.Self, discordtest.Draft{Content: "A joke."})
	p := s.forge(said, "heddle:again:"+store.ResponseID{1}.String())
	p.Changed = p.ID.Time().Add(-11 * time.Second) // it is not waited for
	s.do(p)
	s.told(p, phrases.English("one_moment"))
	s.shows(said, "A joke.", "x")
	p = s.forge(said, "heddle:again:"+store.ResponseID{1}.String())
	p.Changed = p.ID.Time().Add(-time.Minute)
	s.do(p)
	s.told(p, phrases.English("answers_gone"))
	s.shows(said, "A joke.", "x")
}

// TestAPressCompletesAnAnswerWhoseProcessWasKilled presses ↻ below an answer that is stored, and whose
// process was killed before it recorded where the answer stands. The press records that, and is
// carried out.
func TestAPressCompletesAnAnswerWhoseProcessWasKilled(t *testing.T) {
	for name, stands := range map[string]string{"it stands": "A joke.", "its last edit was lost": "A jo"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("a joke?")})
			made := store.Response{
				Standing: store.Standing{Scope: s.Place().Scope, Channel: s.Channel, Trigger: question, Self: s.Self, Created: time.Now()},
				Input:    store.Input{PathHash: path.Path{}.Hash(), Sources: []store.SourceRef{{Message: question, Channel: s.Channel, Author: s.Ann, Position: 1}}},
				Output:   store.Output{Text: "A joke.", FinishReason: "stop"},
			}
			made.ID[0] = 1
			errtest.None(t, s.Store.Responses.Save(s.Context(), made))
			said := s.Post(s.Self, discordtest.Draft{Content: stands, ReplyTo: question})
			p := s.forge(said, "heddle:again:"+made.ID.String())
			p.Changed = p.ID.Time().Add(-time.Hour)
			s.Model.Queue(openaitest.Answer("Another."))
			s.do(p)
			s.told(p, "")
			s.shows(said, "Another.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
			s.step(said, back)
			s.shows(said, "A joke.", "Why? ↻ ⋯ (◀) (1/2) ▶")
		})
	}
}
