package commands

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// longestWait is how old a use may become, by Discord's clock, before its answer is there.
// Discord takes answers for 15 minutes; the rest is for telling whoever waits, also when
// it asks to wait.
const longestWait = 13 * time.Minute

// look is the time between two looks at Discord's clock, which may jump: this machine may
// have slept.
const look = time.Second

// patience tells whoever uses a command that the answer comes too late, once the use is
// longestWait old. The returned function ends that, and reports whether they were told.
func (c *Commands) patience(ctx context.Context, log *slog.Logger, use *Use, at outbox.Press) (end func() (told bool)) {
	told := false
	stop := wait.Later(ctx, look, func(waiting context.Context) {
		for c.rest.Now().Sub(use.ID.Time()) < longestWait {
			if wait.For(waiting, look) != nil {
				return
			}
		}
		told = true
		c.tellLate(ctx, log, use, at)
	})
	return func() bool {
		stop()
		return told
	}
}

// tellLate tells whoever uses a command that its answer comes too late.
func (c *Commands) tellLate(ctx context.Context, log *slog.Logger, use *Use, at outbox.Press) {
	log.InfoContext(ctx, "the answer to a command comes too late for Discord, the person is told")
	late := use.Say(phrases.AnswerLate, phrases.Values{"Where": discord.Mention(use.Channel)})
	err := during(ctx, timeout, func(ctx context.Context) error {
		err := c.send(ctx, at, late)
		if errors.Is(err, outbox.ErrExpired) {
			return c.outbox.SendEphemeral(ctx, at, late.Text)
		}
		return err
	})
	if err != nil {
		log.WarnContext(ctx, "nobody could be told that the answer to a command comes too late", "error", err)
	}
}

// keep keeps an answer that Discord no longer takes, if that is possible.
func (r *Reply) keep(ctx context.Context, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if r.Late != nil && r.Late(ctx) {
		log.InfoContext(ctx, "an answer that came too late is kept until it is asked for again")
	}
}
