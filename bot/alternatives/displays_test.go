package alternatives_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

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
	s.told(s.step(first.ID, on), "missing permissions")
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
	for _, text := range []string{"is indigo a colour?", "is bule a colour?"} {
		errtest.Must(s.edit(question, text))(t)
	}
	s.shows(said.ID, "Bule is no colour.", row) // it is the question's own answer
	s.step(said.ID, again)
	s.shows(said.ID, "Bule is a blend.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.step(said.ID, back)
	if m := s.current(said.ID); !strings.HasPrefix(m.Content, "Bule is no colour.\n-# Answered before") {
		t.Errorf("the message shows %q, want %q at its start", m.Content, "Bule is no colour.\n-# Answered before")
	}
}
