package bot

import (
	"context"
	"time"

	"heddle/internal/wait"
	"heddle/store"
)

// forgottenEvery is how often a process asks who was forgotten by another one.
const forgottenEvery = 5 * time.Second

// followForgotten drops from memory what people wrote who were forgotten by a
// command or by another process, until ctx ends. What is under way is refused by the
// store.
func (b *Bot) followForgotten(ctx context.Context) {
	known := make(map[store.Forgotten]bool)
	for {
		all, err := b.deletions.Forgotten(ctx)
		if err != nil {
			b.log.DebugContext(ctx, "who was forgotten could not be read", "error", err)
		}
		for _, forgotten := range all {
			if known[forgotten] {
				continue
			}
			known[forgotten] = true
			b.contents.forgetAll()
			channels := b.history.ForgetAuthor(forgotten.Author)
			b.log.InfoContext(ctx, "a person was forgotten", "channels", channels)
		}
		if wait.For(ctx, forgottenEvery) != nil {
			return
		}
	}
}
