package questions

import (
	"context"
	"errors"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// press is the key of a queue of its own for one interaction, or for one message whose buttons
// are corrected. Discord does not wait for an answer that is being streamed.
type press struct {
	interaction discord.InteractionID
	message     graph.MessageID
}

// Interaction runs answer, which responds to a use of a command or to a press, in a queue of its
// own. If the response needs the model, answer returns soon, with the function that asks it. That
// waits for its turn.
func (qs *Questions) Interaction(i *discord.Interaction, answer func(context.Context) (ask func(context.Context))) {
	key, by := press{interaction: i.ID}, asker{i.Guild, i.User.ID}
	log := qs.Log.With("interaction", i.ID)
	err := qs.presses.push(key, job{by: by, run: func(ctx context.Context) {
		ask := answer(ctx)
		if ask == nil {
			return
		}
		if err := qs.asking.push(key, job{by: by, run: ask}); err != nil {
			log.WarnContext(ctx, "a command is not answered", "error", err)
		}
	}})
	if err != nil {
		log.Warn("a command is ignored", "error", err)
	}
}

// Once has one of several processes do something.
func (qs *Questions) Once(guild graph.GuildID, key store.ClaimKey, do func(context.Context) error) {
	err := qs.presses.push(press{interaction: discord.InteractionID(guild)}, job{by: asker{guild: guild}, run: func(ctx context.Context) {
		if err := qs.once(ctx, key, do); err != nil {
			qs.Log.Log(ctx, store.LogLevel(err), "what is done once for a guild failed", "guild", guild, "error", err)
		}
	}})
	if err != nil {
		qs.Log.Warn("a guild is not greeted", "guild", guild, "error", err)
	}
}

// once does something unless another process does or did it, and marks it as done.
func (r *runner) once(ctx context.Context, key store.ClaimKey, do func(context.Context) error) error {
	lease, err := r.Store.Claims.Claim(ctx, key, r.Leases.TTL())
	switch {
	case errors.Is(err, store.ErrHeld), errors.Is(err, store.ErrDone):
		return nil
	case errors.Is(err, store.ErrUnavailable) && r.Leases.Alone():
		return do(ctx)
	case err != nil:
		return err
	}
	if err := do(ctx); err != nil {
		return errors.Join(err, r.Store.Claims.Release(ctx, lease))
	}
	r.records.Add(func(ctx context.Context) error { return r.Store.Claims.Done(ctx, lease, "done") })
	return nil
}
