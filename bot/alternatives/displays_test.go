package alternatives_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestAnAlternativeTakesAsManyMessagesAsItNeeds(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsIgnored)
	_, first := s.asked("tell me about looms", "They weave.")
	last := s.again(first.ID, long("loom")).ID
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
	if len(said) != 3 || said[1].ID != head || s.recalled(said[2].ID) != long("loom") {
		t.Fatalf("heddle said %+v, want 3 messages: the second is %v, and the third is recorded with the longer text", said, head)
	}
	s.step(said[2].ID, back) // the new part belongs to the answer like the old one
	s.shows(head, "They weave.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.step(first.ID, on) // the answer beside it grows as well
	if parts := s.parts(first.ID); len(parts) != 2 || s.recalled(parts[1]) != long("loom") {
		t.Errorf("the parts are %v, want 2, the second recorded with the longer text", parts)
	}
}

// parts returns the messages in which an answer stands, as the store knows.
func (s *scene) parts(part graph.MessageID) []graph.MessageID {
	s.t.Helper()
	parts, err := s.Store.Displays.Parts(s.Context(), s.Place().Scope, part)
	if err != nil {
		s.t.Fatal(err)
	}
	return parts
}

func TestWhatDiscordRefusesToShowIsNotShown(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsIgnored)
	_, _, second := s.joked()
	allow := s.refuse(discordtest.RouteEditMessage)
	p := s.step(second, back)
	allow()
	s.told(p, "missing permissions")
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	if got := s.recalled(second); got != "A joke about wefts." {
		t.Errorf("the message counts as showing %q, want %q", got, "A joke about wefts.")
	}
	s.step(second, back)
	s.shows(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
}

// TestAnAlternativeThatIsShownInPartCountsAsTheOneBefore has Discord refuse the second
// message of an alternative.
func TestAnAlternativeThatIsShownInPartCountsAsTheOneBefore(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsIgnored)
	_, first := s.asked("tell me about looms", "They weave.")
	s.again(first.ID, long("loom"))
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
	t.Parallel()
	s := newScene(t, alternatives.EditsAnswered)
	question, said := s.asked("is bule a colour?", "Bule is no colour.")
	s.Model.Queue(openaitest.Answer("Indigo is."), openaitest.Answer("Bule is a blend."))
	for _, text := range []string{"is indigo a colour?", "is bule a colour?"} {
		if _, err := s.edit(question, text, 0); err != nil {
			t.Fatal(err)
		}
	}
	s.shows(said.ID, "Bule is no colour.", row) // it is the question's own answer
	s.ask(said.ID, again, answer.Answered)
	s.shows(said.ID, "Bule is a blend.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.step(said.ID, back)
	if m := s.current(said.ID); !strings.HasPrefix(m.Content, "Bule is no colour.\n-# Answered before") {
		t.Errorf("the message shows %q, want %q at its start", m.Content, "Bule is no colour.\n-# Answered before")
	}
}

func TestAnAnswerWhoseLastPartWasDeletedIsStillStepped(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsIgnored)
	_, first := s.asked("tell me about looms", long("loom"))
	head := s.Said()[0].ID
	s.again(head, "They weave.")
	p := s.press(first.ID, on)
	s.Delete(first.ID)
	s.Presses.Do(s.Context(), s.Log, p)
	s.shows(head, "They weave.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}

// TestAnAnswerDuringAnOutageHasNoButtons closes the store before an answer to
// "again" is recorded.
func TestAnAnswerDuringAnOutageHasNoButtons(t *testing.T) {
	t.Parallel()
	s := newScene(t, alternatives.EditsIgnored)
	_, first := s.asked("a joke?", "A joke about warps.")
	gated := openaitest.Answer("A joke about wefts.")
	gate := make(chan struct{})
	gated.Wait = gate
	s.Model.Queue(gated)
	asks := s.Post(s.Bob, discordtest.Draft{Content: "again", ReplyTo: first.ID})
	ended := make(chan error, 1)
	go func() {
		_, err := s.Questions.Answer(s.Context(), s.Log, s.question(asks))
		ended <- err
	}()
	if _, err := s.Model.Await(s.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	close(gate)
	s.ends(ended, "the question was not answered")
	s.shows(first.ID, "A joke about warps.", row)
	s.shows(s.Said()[1].ID, "A joke about wefts.", row)
}
