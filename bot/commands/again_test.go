package commands_test

import (
	"errors"
	"slices"
	"testing"

	"heddle/bot/answer"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

func TestAgainAnswersTheQuestionOnceMoreBesideItsAnswer(t *testing.T) {
	for _, word := range []string{"again", "Again!", "🔁"} {
		t.Run(word, func(t *testing.T) {
			s := newScene(t)
			question, first := s.asked("a joke?", "A joke about warps.")
			asks := s.Post(s.Bob, discordtest.Draft{Content: word, ReplyTo: first.ID})
			second := s.answer(asks, openaitest.Answer("A joke about wefts."), answer.Answered)
			s.shows(first.ID, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
			s.shows(second.ID, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
			if second.Reference == nil || second.Reference.Message != asks {
				t.Errorf("the answer to %q replies to %+v, want %s", word, second.Reference, asks)
			}
			if all := s.recorded(question, 2); all[0].PathHash != all[1].PathHash || all[0].Generation != all[1].Generation {
				t.Errorf("the answers are %+v, want alternatives: one path hash and one generation", all)
			}
			s.recorded(asks, 0)
		})
	}
}

func TestAgainBelowEitherAnswerAddsAThird(t *testing.T) {
	s := newScene(t)
	question, first, second := s.joked()
	third := s.again(second, "A joke about looms.").ID
	s.shows(third, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
	s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	s.shows(first, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/3) ▶")
	s.step(first, on)
	s.shows(first, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	s.recorded(question, 3)
}

func TestAgainBelowWhatIsNoAnswerIsAQuestion(t *testing.T) {
	for name, post := range map[string]func(s *scene) graph.MessageID{
		"a person's message": func(s *scene) graph.MessageID {
			return s.Post(s.Ann, discordtest.Draft{Content: "the loom broke"})
		},
		"a notice": func(s *scene) graph.MessageID {
			return s.Post(s.Self, discordtest.Draft{Content: "I am heddle."})
		},
		"an answer of another channel": func(s *scene) graph.MessageID {
			question, said := s.asked("a joke?", "A joke about warps.")
			moved := s.recorded(question, 1)[0]
			moved.Channel++
			turns := errtest.Must(s.Store.Responses.Turns(s.Context(), moved))(s.t)
			moved.Path, moved.PathHash = turns, path.Path{Turns: turns}.Hash()
			errtest.None(s.t, s.Store.Responses.Save(s.Context(), moved))
			return said.ID
		},
		"an answer that was erased": func(s *scene) graph.MessageID {
			question, said := s.asked("a joke?", "A joke about warps.")
			s.forget(question)
			return said.ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			asks := s.Post(s.Bob, discordtest.Draft{Content: s.Mention("again"), ReplyTo: post(s)})
			said := s.answer(asks, openaitest.Answer("What again?"), answer.Answered)
			s.shows(said.ID, "What again?", row)
			s.recorded(asks, 1)
		})
	}
}

// TestOfAnEarlierAttemptOneMessageStays has three messages stand of an attempt that broke
// off. If Discord does not let the others be deleted, the question is answered later.
func TestOfAnEarlierAttemptOneMessageStays(t *testing.T) {
	s := newScene(t)
	asks := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("a joke?")})
	q := s.question(asks)
	q.Cause = answer.Missed
	var begun []graph.MessageID
	for range 3 {
		begun = append(begun, s.Post(s.Self, discordtest.Draft{Content: "half of ▍", ReplyTo: asks}))
	}
	end := s.refuse(discordtest.RouteDeleteMessage)
	if _, err := s.answers.Answer(s.Context(), q); !errors.Is(err, answer.ErrUnsent) {
		t.Errorf("while nothing can be deleted, answering ends with %v, want %v", err, answer.ErrUnsent)
	}
	end()
	s.requested(0)
	s.Model.Queue(openaitest.Answer("A joke about warps."))
	s.ends(q, answer.Answered)
	s.shows(begun[0], "A joke about warps.", row)
	if said := s.Said(); len(said) != 1 {
		t.Errorf("%d messages stand, want the first alone", len(said))
	}
	if all := s.recorded(asks, 1); len(all[0].Replies) != 1 || all[0].Replies[0].ID != begun[0] {
		t.Errorf("the store knows other messages of %+v, want the first alone", all)
	}
}

func TestAgainAfterAnEditAnswersTheNewestVersion(t *testing.T) {
	s := newScene(t)
	question, first, second := s.joked()
	s.Edit(question, s.Mention("a riddle?"))
	third := s.again(second, "A riddle.").ID
	s.shows(third, "A riddle.", row)
	fourth := s.again(first, "Another riddle.").ID // which still shows a joke
	s.shows(fourth, "Another riddle.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.Edit(question, s.Mention("a puzzle?"))
	s.again(third, "A puzzle.")
	s.shows(s.again(first, "Another puzzle.").ID, "Another puzzle.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	generations := map[string]int{}
	for _, r := range s.recorded(question, 6) {
		generations[r.Text] = r.Generation
	}
	if generations["A riddle."] != 1 || generations["Another riddle."] != 1 || generations["Another puzzle."] != 2 {
		t.Errorf("the generations are %v, want 1 for \"A riddle.\", 1 for \"Another riddle.\" and 2 for \"Another puzzle.\"", generations)
	}
}

func TestAgainIsDroppedIfTheQuestionIsGone(t *testing.T) {
	s := newScene(t)
	question, first := s.asked("a joke?", "A joke about warps.")
	s.Delete(question)
	asks := s.Post(s.Bob, discordtest.Draft{Content: "again", ReplyTo: first.ID})
	s.ends(s.question(asks), answer.Dropped)
	if said := s.Said(); len(said) != 1 {
		t.Errorf("heddle said %+v, want one of them", said)
	}
	s.requested(1)
}

// TestAnAnswerEndsWithWhatItIsFor deletes the question, or the message that asked for another
// answer, while that answer is made.
func TestAnAnswerEndsWithWhatItIsFor(t *testing.T) {
	type answers func() answer.Ended
	byWord := func(s *scene, below graph.MessageID) (graph.MessageID, answers) {
		asks := s.Post(s.Bob, discordtest.Draft{Content: "again", ReplyTo: below})
		return asks, func() answer.Ended {
			out, _ := s.answers.Answer(s.Context(), s.question(asks))
			return out.Ended
		}
	}
	byButton := func(s *scene, below graph.MessageID) (graph.MessageID, answers) {
		return 0, func() answer.Ended {
			s.step(below, again)
			return answer.Dropped
		}
	}
	theQuestion := func(question, _ graph.MessageID) graph.MessageID { return question }
	for name, test := range map[string]struct {
		asked func(s *scene, below graph.MessageID) (asks graph.MessageID, answers answers)
		gone  func(question, asks graph.MessageID) graph.MessageID
	}{
		"the question":               {byWord, theQuestion},
		"the message that asked":     {byWord, func(_, asks graph.MessageID) graph.MessageID { return asks }},
		"the question of the button": {byButton, theQuestion},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			question, _, second := s.joked()
			gated := openaitest.Answer("Never said.")
			gated.Wait = make(chan struct{})
			s.Model.Queue(gated)
			asks, answers := test.asked(s, second)
			ended := make(chan answer.Ended, 1)
			go func() {
				ended <- answers()
			}()
			errtest.Must(s.Model.Await(s.Context(), 3))(t)
			s.answers.Deleted([]graph.MessageID{test.gone(question, asks)})
			select {
			case got := <-ended:
				if got != answer.Dropped {
					t.Errorf("answering ends with %q, want %q", got, answer.Dropped)
				}
			case <-s.Context().Done():
				t.Fatal("the answer did not end with what it is for")
			}
			s.shows(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
			if said := s.Said(); len(said) != 2 {
				t.Errorf("heddle said %+v, want the two answers of before", said)
			}
		})
	}
}

// TestAgainBelowAFailureAnswersTheQuestion asks again below the sentence that stands in
// place of an answer. Nothing is known of what the question said then.
func TestAgainBelowAFailureAnswersTheQuestion(t *testing.T) {
	s := newScene(t)
	question := s.Post(s.Ann, discordtest.Draft{Content: s.Mention("a joke?")})
	s.History.Forget(s.Channel)
	allow := s.refuse(discordtest.RouteMessages)
	failed := s.answer(question, openaitest.Answer("A joke about warps."), answer.Failed)
	allow()
	asks := s.Post(s.Bob, discordtest.Draft{Content: "again", ReplyTo: failed.ID})
	s.ends(s.question(asks), answer.Answered)
	all := s.recorded(question, 2)
	if !slices.ContainsFunc(all, func(r store.Response) bool {
		return r.Text == "A joke about warps." && r.Generation == 0 && r.Reply == asks
	}) {
		t.Errorf("the answers are %+v, want %q below %v, of generation 0", all, "A joke about warps.", asks)
	}
}
