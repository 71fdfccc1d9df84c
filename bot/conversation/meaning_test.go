package conversation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/llm"
	"heddle/store"
)

// concepts stands in for a model of embeddings: it knows that these words mean the same,
// and nothing else of what a text means.
func concepts(text string) []float32 {
	vector := openaitest.Shared(text)
	for i := range vector {
		vector[i] /= 8
	}
	for i, words := range [][]string{{"train", "station"}, {"locker", "swimming", "pool"}} {
		for _, word := range words {
			if strings.Contains(strings.ToLower(text), word) {
				vector[i] += 20
			}
		}
	}
	return vector
}

// understanding returns a stage on which what is said is embedded while the test runs.
func understanding(t *testing.T) (*stage, *openaitest.Server) {
	t.Helper()
	provider := roomtest.Must(openaitest.Start(openaitest.Config{Embed: concepts}))(t)
	t.Cleanup(func() { _ = provider.Close() })
	embedder := roomtest.Must(llm.NewEmbedder(llm.EmbedConfig{BaseURL: provider.URL(), Model: "test-embedding"}))(t)
	t.Cleanup(embedder.Close)
	s := newStage(t, func(_ *roomtest.Parts, c *roomtest.Settings) {
		c.Conversation.Embedder, c.Conversation.Recall = embedder, 10
	})
	s.Running()
	return s, provider
}

// TestWhatIsMeantComesBackInOtherWords asks for a fact in words that it does not hold,
// before and after vectors are there, and when it was deleted.
func TestWhatIsMeantComesBackInOtherWords(t *testing.T) {
	s, provider := understanding(t)
	fact := s.Say(s.Bob, "my train leaves on Mondays at minute 4711")
	for i := range 130 {
		s.Say([]graph.UserID{s.Ann, s.Bob}[i%2], fmt.Sprintf("cup %d of tea", i%10))
	}
	tail := func(question string) string {
		s.Ask(s.Ann, question, openaitest.Answer("Hm."))
		asked := s.Asked()
		return asked[len(asked)-1]
	}
	if found := tail("at which time should we go to the station?"); strings.Contains(found, "4711") {
		t.Fatalf("without vectors the tail is %q, want no %q in it", found, "4711")
	}
	s.Must(provider.Embeddings.Await(s.Context(), "4711"))
	s.awaitVector("when was that at the station?", "4711")
	if found := tail("so when must somebody be at the station?"); !strings.Contains(found, "4711") {
		t.Errorf("with vectors the tail is %q, want %q in it", found, "4711")
	}
	provider.Embeddings.Refuse(500)
	if found := tail("but when at the station?"); strings.Contains(found, "4711") {
		t.Errorf("with a provider that fails the tail is %q, want no %q in it", found, "4711")
	}
	provider.Embeddings.Refuse(0)
	s.History.Delete(discord.Delete{Channel: s.Channel, Messages: []graph.MessageID{fact}})
	s.Forget([]graph.MessageID{fact})
	if found := tail("and when at the station again?"); strings.Contains(found, "4711") {
		t.Errorf("after the deletion the tail is %q, want no %q in it", found, "4711")
	}
	vectors, err := s.Store.Vectors.Of(s.Context(), s.Place().Scope, s.Channel)
	s.Must(err)
	for _, v := range vectors {
		if v.Anchor == fact {
			t.Errorf("the vector of the deleted message %s is stored, want it gone", fact)
		}
	}
}

// TestTheVectorsOfAChannelAreBounded asks in a channel that has as many vectors as it may.
func TestTheVectorsOfAChannelAreBounded(t *testing.T) {
	s, provider := understanding(t)
	const most = 500
	old := make([]store.Vector, most)
	for i := range old {
		anchor := graph.MessageID(i + 1)
		old[i] = store.Vector{Anchor: anchor, Values: []int8{1}, Made: []store.SourceRef{{Message: anchor, Channel: s.Channel, Author: s.Bob}}}
	}
	s.Must(s.Store.Vectors.Put(s.Context(), s.Place().Scope, s.Channel, old))
	s.Say(s.Bob, "the pool has a locker")
	s.Ask(s.Ann, "what has the pool?", openaitest.Answer("Hm."))
	s.Must(provider.Embeddings.Await(s.Context(), "locker"))
	for {
		stored, err := s.Store.Vectors.Of(s.Context(), s.Place().Scope, s.Channel)
		s.Must(err)
		isOld := func(v store.Vector) bool { return v.Anchor <= 2 }
		if len(stored) == most && !slices.ContainsFunc(stored, isOld) {
			return
		}
		if s.Context().Err() != nil {
			t.Fatalf("%d vectors are stored, want the newest %d", len(stored), most)
		}
	}
}

// awaitVector waits until a question is answered from a fact that only its meaning finds.
func (s *stage) awaitVector(question, fact string) {
	s.T.Helper()
	asked := roomtest.Reply(s.Question(s.Say(s.Ann, question)))
	for !strings.Contains(s.Prepare(asked).Request().Tail, fact) {
		if s.Context().Err() != nil {
			s.T.Fatalf("%q is not answered from %q", question, fact)
		}
	}
}
