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
func (d *Questions) Interaction(i *discord.Interaction, answer func(context.Context) (ask func(context.Context))) {
	key, by := press{interaction: i.ID}, asker{i.Guild, i.User.ID}
	log := d.Log.With("interaction", i.ID)
	err := d.presses.push(key, job{by: by, run: func(ctx context.Context) {
		ask := answer(ctx)
		if ask == nil {
			return
		}
		if err := d.asking.push(key, job{by: by, run: ask}); err != nil {
			log.WarnContext(ctx, "a command is not answered", "error", err)
		}
	}})
	if err != nil {
		log.Warn("a command is ignored", "error", err)
	}
}

// Once has one of several processes do something.
func (d *Questions) Once(guild graph.GuildID, key store.ClaimKey, do func(context.Context) error) {
	err := d.presses.push(press{interaction: discord.InteractionID(guild)}, job{by: asker{guild: guild}, run: func(ctx context.Context) {
		if err := d.once(ctx, key, do); err != nil {
			d.Log.Log(ctx, store.LogLevel(err), "what is done once for a guild failed", "guild", guild, "error", err)
		}
	}})
	if err != nil {
		d.Log.Warn("a guild is not greeted", "guild", guild, "error", err)
	}
}

// once does something unless another process does or did it, and marks it as done.
func (d *answerer) once(ctx context.Context, key store.ClaimKey, do func(context.Context) error) error {
	lease, err := d.Store.Claims.Claim(ctx, key, d.Leases.TTL())
	switch {
	case errors.Is(err, store.ErrHeld), errors.Is(err, store.ErrDone):
		return nil
	case errors.Is(err, store.ErrUnavailable) && d.Leases.Alone():
		return do(ctx)
	case err != nil:
		return err
	}
	if err := do(ctx); err != nil {
		return errors.Join(err, d.Store.Claims.Release(ctx, lease))
	}
	d.records.Add(func(ctx context.Context) error { return d.Store.Claims.Done(ctx, lease, "done") })
	return nil
}
