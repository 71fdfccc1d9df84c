package dispatch

import (
	"context"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Gate decides which messages that ask heddle are answered; gate.Gate does. Its methods
// do not wait.
type Gate interface {
	// TurnAway returns what is done in place of answering a message, or nil if it is to
	// be answered.
	TurnAway(m *discord.Message, place guilds.Place) func(context.Context, *slog.Logger) error
	// OptedOut reports whether nothing that a person writes may be used.
	OptedOut(person graph.UserID) bool
}

// door is where messages come in: the place that they are in, and the gate.
type door struct {
	guilds *guilds.Cache
	gate   Gate // may be nil
}

// isClosedTo reports whether a person who pressed a button is not answered.
func (d *door) isClosedTo(person graph.UserID) bool { return d.gate != nil && d.gate.OptedOut(person) }

// Ignores reports whether nothing that a person does may be used.
func (d *Dispatcher) Ignores(person graph.UserID) bool { return d.door.isClosedTo(person) }

// turnsAway returns the task of doing what is done in place of answering a message; nil
// if the message is to be answered.
func (d *Dispatcher) turnsAway(m *discord.Message, place guilds.Place, key store.ClaimKey) *task {
	if d.door.gate == nil {
		return nil
	}
	do := d.door.gate.TurnAway(m, place)
	if do == nil {
		return nil
	}
	return &task{
		key: key, channel: m.Channel, asked: m.ID.Time(), log: d.log.With("trigger", m.ID, "channel", m.Channel),
		do: func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
			return answer.Dropped, do(ctx, log)
		},
	}
}

// soon performs a task of a message that waits for no answer in the channel.
func (d *Dispatcher) soon(message graph.MessageID, t *task) {
	err := d.presses.push(press{message: message}, job{run: func(ctx context.Context) { d.perform(ctx, t) }})
	if err != nil {
		d.log.Warn("a message is ignored", "trigger", message, "error", err)
	}
}
