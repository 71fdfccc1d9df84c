package bot

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/graph"
	"heddle/llm"
)

// sightTime bounds a test of the model's sight: the answer waits for it.
const sightTime = 15 * time.Second

// Sight finds out whether the model sees what it is shown.
type Sight interface {
	// TestSight shows it pictures; after an error nothing is known.
	TestSight(ctx context.Context) (bool, error)
}

// sight knows whether the model can be shown pictures. Where that is not known it
// asks the model, once, when there is a picture to be shown.
//
// mu guards known; it is never held over I/O.
type sight struct {
	test Sight
	turn chan struct{} // holds a token while somebody tests

	mu    sync.Mutex
	known llm.Sight
}

func newSight(known llm.Sight, test Sight) *sight {
	if known == llm.SightUnknown && test == nil {
		known = llm.SightNo
	}
	return &sight{known: known, test: test, turn: make(chan struct{}, 1)}
}

func (s *sight) get() llm.Sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

func (s *sight) set(known llm.Sight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = known
}

// look says whether the model sees, by asking it where that is not known. Those who
// ask at the same time wait for one test.
func (s *sight) look(ctx context.Context) (bool, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return false, fmt.Errorf("test whether the model sees: %w", context.Cause(ctx))
	}
	if known := s.get(); known != llm.SightUnknown {
		return known == llm.SightYes, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sightTime)
	defer cancel()
	sees, err := s.test.TestSight(ctx)
	switch {
	case err != nil:
		return false, fmt.Errorf("test whether the model sees: %w", err)
	case sees:
		s.set(llm.SightYes)
	default:
		s.set(llm.SightNo)
	}
	return sees, nil
}

// sees says whether a conversation's pictures are to be shown to the model.
func (b *Bot) sees(ctx context.Context, m mention, g *graph.Graph) bool {
	if b.rejects(llm.FeatureImages) {
		return false
	}
	if known := b.sight.get(); known != llm.SightUnknown || !hasPictures(g) {
		return known == llm.SightYes
	}
	defer b.outbox.Typing(ctx, m.channel)()
	sees, err := b.sight.look(ctx)
	if err != nil {
		b.log.WarnContext(ctx, "pictures are not shown", "trigger", m.id, "error", err)
		return false
	}
	return sees
}

// hasPictures says whether people showed pictures that could be shown to a model.
func hasPictures(g *graph.Graph) bool {
	shows := func(m *graph.Message) bool {
		return m.Origin != graph.OriginSelf && slices.ContainsFunc(m.Attachments, func(a graph.Attachment) bool {
			return isPicture(a) && a.Size <= maxPictureBytes
		})
	}
	return shows(&g.Trigger) || slices.ContainsFunc(g.Conversation, func(n graph.Node) bool { return shows(&n.Message) })
}
