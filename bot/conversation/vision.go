package conversation

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/attachments"
	"heddle/graph"
	"heddle/llm"
)

// visionTimeout bounds a test of the model's vision, as the answer waits for it.
const visionTimeout = 15 * time.Second

// vision decides whether the model is shown pictures. If it is unknown whether the
// model sees them, vision tests it, once, when there is a picture to show. Its methods
// may be called from any goroutine.
//
// mu guards known; it is never held over I/O.
type vision struct {
	model   Model
	typing  Typing
	testing chan struct{} // holds a token during a test

	mu    sync.Mutex
	known llm.Vision
}

// newVision returns the vision of a model. known may be unknown.
func newVision(model Model, typing Typing, known llm.Vision) *vision {
	return &vision{model: model, typing: typing, testing: make(chan struct{}, 1), known: known}
}

func (v *vision) get() llm.Vision {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.known
}

func (v *vision) set(known llm.Vision) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known = known
}

// sees reports whether the model is to be shown a conversation's pictures.
func (v *vision) sees(ctx context.Context, log *slog.Logger, channel graph.ChannelID, g *graph.Graph) bool {
	if rejects(v.model, llm.FeatureImages) {
		return false
	}
	if known := v.get(); known != llm.VisionUnknown || !attachments.HasPictures(g) {
		return known == llm.VisionYes
	}
	defer v.typing.Typing(ctx, channel)()
	sees, err := v.test(ctx)
	if err != nil {
		log.WarnContext(ctx, "whether the model sees could not be tested, pictures are not shown", "trigger", g.Trigger.ID, "error", err)
		return false
	}
	return sees
}

// test tests the model unless its vision is known. Concurrent calls share one test.
func (v *vision) test(ctx context.Context) (bool, error) {
	select {
	case v.testing <- struct{}{}:
		defer func() { <-v.testing }()
	case <-ctx.Done():
		return false, fmt.Errorf("test the model's vision: %w", context.Cause(ctx))
	}
	if known := v.get(); known != llm.VisionUnknown {
		return known == llm.VisionYes, nil
	}
	ctx, cancel := context.WithTimeout(ctx, visionTimeout)
	defer cancel()
	sees, err := v.model.TestVision(ctx)
	switch {
	case err != nil:
		return false, fmt.Errorf("test the model's vision: %w", err)
	case sees:
		v.set(llm.VisionYes)
	default:
		v.set(llm.VisionNo)
	}
	return sees, nil
}
