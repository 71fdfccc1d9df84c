package dispatch_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// TestNothingIsSeenOfAnAnswerBeforeItsQuestionIsRecorded looks into the store as soon as the
// first text of an answer stands. If the process died then, another one would have to know
// of the question, or of its edit.
func TestNothingIsSeenOfAnAnswerBeforeItsQuestionIsRecorded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	id := s.seen(func() graph.MessageID { return s.told("how?") }, "Over one thread, ", false)
	s.seen(func() graph.MessageID {
		s.Edit(id, s.Mention("why?"))
		s.d.Edited(s.Message(id))
		return id
	}, "Because it holds, ", true)
}

// seen has the model begin an answer, and checks that the question is recorded once that is
// seen, as an edit or as new. Then the answer is completed.
func (s *scene) seen(ask func() graph.MessageID, begin string, edited bool) graph.MessageID {
	s.t.Helper()
	gate := make(chan struct{})
	answer := openaitest.Answer(begin, "and so on.")
	answer.Chunks[1].Wait = gate
	s.Model.Queue(answer)
	id := ask()
	_, err := s.Discord.Chat.AwaitMessage(s.Context(), s.Channel, func(m discordtest.Message) bool {
		return m.Author == s.Self && strings.HasPrefix(m.Content, strings.TrimSpace(begin))
	})
	if err != nil {
		s.t.Fatalf("the first text of an answer is not seen: %v", err)
	}
	taken, err := s.Store.Backlog.Taken(s.Context())
	recorded := slices.ContainsFunc(taken, func(p store.Pending) bool { return p.Trigger == id && (p.Edited != 0) == edited })
	if err != nil || !recorded {
		s.t.Errorf("the store holds %+v, %v, while the first text of the answer to %s is seen, want that question", taken, err, id)
	}
	close(gate)
	s.idle(s.Channel)
	return id
}
