package bot

import (
	"context"
	"log/slog"
	"time"

	"heddle/bot/answer"
	"heddle/fetch"
	"heddle/internal/wait"
	"heddle/store"
)

// forgottenEvery is how often a process looks for people who were forgotten by another.
const forgottenEvery = 5 * time.Second

// ForgottenPeople lists people who were forgotten; store.Deletions does.
type ForgottenPeople interface {
	// Forgotten returns the people who were forgotten lately, by whichever process.
	Forgotten(ctx context.Context) ([]store.Forgotten, error)
}

// forgotten drops from memory what people wrote who were forgotten by a command or by
// another process. Answers in progress are refused by the store.
type forgotten struct {
	people  ForgottenPeople
	files   *answer.Files
	history *fetch.History
	log     *slog.Logger
}

// follow looks for people who were forgotten until ctx ends.
func (f *forgotten) follow(ctx context.Context) {
	known := make(map[store.Forgotten]bool)
	for {
		all, err := f.people.Forgotten(ctx)
		if err != nil {
			f.log.DebugContext(ctx, "who was forgotten could not be read, this is tried again", "error", err)
		}
		for _, person := range all {
			if known[person] {
				continue
			}
			known[person] = true
			f.files.ForgetAll()
			channels := f.history.ForgetAuthor(person.Author)
			f.log.InfoContext(ctx, "a person was forgotten", "channels", channels)
		}
		if wait.For(ctx, forgottenEvery) != nil {
			return
		}
	}
}
