package commands

import (
	"context"
	"slices"

	"heddle/bot/outbox"
	"heddle/internal/discord"
)

// maxCompletions is how many completions Discord shows.
const maxCompletions = 25

// complete offers what could be meant by the option that is being typed.
func (c *Commands) complete(ctx context.Context, use *Use, at outbox.Press) {
	var offered []string
	command, known := c.named(use.Command.Name)
	typed := slices.IndexFunc(use.Command.Options, func(o discord.CommandOption) bool { return o.Focused })
	if known && typed >= 0 && use.isOf(command.For) {
		option := use.Command.Options[typed]
		i := slices.IndexFunc(command.Options, func(o Option) bool { return o.Name == option.Name && o.Complete != nil })
		if i >= 0 {
			offered = command.Options[i].Complete(ctx, use, option.Value)
		}
	}
	if err := c.outbox.Complete(ctx, at, offered[:min(len(offered), maxCompletions)]); err != nil {
		c.log.DebugContext(ctx, "completions could not be offered, whoever types goes on without", "command", use.Command.Name, "error", err)
	}
}
