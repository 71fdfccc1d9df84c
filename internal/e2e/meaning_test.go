package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// embedding starts a provider of embeddings that requires a key. By its vectors, trains
// and stations are similar.
func (p *provider) embedding(key string) *openaitest.Server {
	p.t.Helper()
	provider, err := openaitest.Start(openaitest.Config{Key: key, Embed: func(text string) []float32 {
		vector := openaitest.Shared(text)
		if strings.Contains(text, "train") || strings.Contains(text, "station") {
			vector[0] += 100
		}
		return vector
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = provider.Close() })
	return provider
}

// TestWhatIsMeantComesBack tells a fact and asks for it in other words, with a provider
// of embeddings that is not the model's.
func TestWhatIsMeantComesBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	provider := s.embedding("sk-embed")
	s.start("EMBEDDING_MODEL=test-embedding", "EMBEDDING_BASE_URL="+provider.URL(), "EMBEDDING_API_KEY=sk-embed")
	s.post(s.bob, discordtest.Draft{Content: "my train leaves on Mondays at minute 4711"})
	s.chats(130)
	s.asks("good morning", "Good morning.")
	if err := provider.Embeddings.Await(s.ctx, "4711"); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ { // the vectors take effect once they are stored
		n := len(s.model.Requests()) + 1
		s.asks(fmt.Sprintf("when must one be at the station, try %d?", i), "Soon.")
		if quoted := quotedIn(s.tail(n)); strings.Contains(quoted, "4711") {
			return
		} else if s.ctx.Err() != nil {
			t.Fatalf("only this comes back: %s, want what is meant, too", quoted)
		}
	}
}

// TestTalksAreFoundByWhatTheyMean looks for a talk in other words than were said.
func TestTalksAreFoundByWhatTheyMean(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	provider := s.embedding("sk-embed")
	s.start("EMBEDDING_MODEL=test-embedding", "EMBEDDING_BASE_URL="+provider.URL(), "EMBEDDING_API_KEY=sk-embed")
	s.registered()
	s.post(s.bob, discordtest.Draft{Content: "my train leaves on Mondays at minute 4711"})
	s.chats(40)
	s.asks("good morning", "Good morning.")
	if err := provider.Embeddings.Await(s.ctx, "4711"); err != nil {
		t.Fatal(err)
	}
	for { // the vectors take effect once they are stored
		_, m := s.catchesUp(s.ann, "heddle find", map[string]any{"words": "must one be at the station early"})
		if strings.Contains(m.Content, "my train leaves") {
			return
		} else if s.ctx.Err() != nil || !strings.Contains(m.Content, "I found no talk") {
			t.Fatalf("only this is found: %q, want the talk that is meant", m.Content)
		}
	}
}

// TestVectorsAreChargedBeforeTheyAreMade has so much said in a channel that its vectors
// would take more tokens than the channel may. The provider then sees none of it.
func TestVectorsAreChargedBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	for i := range 60 {
		s.post(s.bob, discordtest.Draft{Content: fmt.Sprintf("%d %s", i, strings.Repeat("the loom is oiled ", 60))})
	}
	s.chats(20)
	r := s.start("EMBEDDING_MODEL=test-embedding", "LIMIT_CHANNEL=6000 tokens/day", "MAX_TOKENS=100", "MAX_TOTAL=12", "TOOLS=off")
	s.answer(s.channel, s.ask(s.ann, "is it oiled?"), "Yes.")
	if err := r.logs.await(s.ctx, "older messages are not embedded, as that would exceed a limit"); err != nil {
		t.Fatal(err)
	}
	if texts := s.model.Embeddings.Texts(); len(texts) != 0 {
		t.Errorf("the provider was asked for %d vectors that nobody paid for, want 0", len(texts))
	}
}
