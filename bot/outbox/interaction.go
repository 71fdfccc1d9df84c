package outbox

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"
)

// PromiseAll is Promise for an answer that everybody in the channel will see.
func (o *Outbox) PromiseAll(ctx context.Context, p Press) error {
	body := discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	if err := o.respond(ctx, p, body); err != nil {
		return fmt.Errorf("promise an answer to a command: %w", err)
	}
	return nil
}

// Complete offers completions of an option that is being typed, at most 25 of at most
// 100 characters. Each is both what is shown and the value.
func (o *Outbox) Complete(ctx context.Context, p Press, offered []string) error {
	choices := make([]*discordgo.ApplicationCommandOptionChoice, len(offered))
	for i, value := range offered {
		choices[i] = &discordgo.ApplicationCommandOptionChoice{Name: value, Value: value}
	}
	body := discordgo.InteractionResponse{
		Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: &discordgo.InteractionResponseData{Choices: choices},
	}
	if err := o.respond(ctx, p, body); err != nil {
		return fmt.Errorf("offer completions: %w", err)
	}
	return nil
}
