package outbox

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"heddle/internal/discord"
)

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

// Add sends a further message in answer to a command.
func (o *Outbox) Add(ctx context.Context, p Press, text string) error {
	body := discordgo.WebhookParams{Content: text, Flags: p.flags() | noPreviews, AllowedMentions: noMentions()}
	path := "/webhooks/" + p.Application.String() + "/" + p.Token
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return fmt.Errorf("go on with the answer to a command: %w", classify(err))
	}
	return nil
}
