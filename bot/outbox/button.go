package outbox

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
)

// Button returns a button to stand below an answer. Discord takes 5 in a row, labels
// of 80 characters and ids of 100, and each id once in a message.
func Button(id, label string) discordgo.Button {
	return discordgo.Button{CustomID: id, Label: label, Style: discordgo.SecondaryButton}
}

// DisabledButton returns a button that cannot be pressed.
func DisabledButton(id, label string) discordgo.Button {
	b := Button(id, label)
	b.Disabled = true
	return b
}

// rows puts buttons into one row. No buttons are an empty list, which takes those away
// that are there; nil would leave them.
func rows(buttons []discordgo.Button) []discordgo.MessageComponent {
	if len(buttons) == 0 {
		return []discordgo.MessageComponent{}
	}
	var row discordgo.ActionsRow
	for _, b := range buttons {
		row.Components = append(row.Components, b)
	}
	return []discordgo.MessageComponent{row}
}

// Press is a button that somebody pressed, as far as answering takes. Whoever holds
// the token may answer for heddle, for 15 minutes.
type Press struct {
	ID          discord.InteractionID
	Application graph.UserID
	Token       string
}

// Acknowledge tells Discord that a press was received, without anything to be seen.
// Discord waits 3 seconds for it. It fails with ErrAnswered if the press is too old or
// another process acknowledged it: it must not be answered then.
func (o *Outbox) Acknowledge(ctx context.Context, p Press) error {
	body := discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}
	path := "/interactions/" + p.ID.String() + "/" + p.Token + "/callback"
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return fmt.Errorf("acknowledge a press: %w", classify(err))
	}
	return nil
}

// SendEphemeral replies to a press with a text that only whoever pressed can see.
func (o *Outbox) SendEphemeral(ctx context.Context, p Press, text string) error {
	body := discordgo.WebhookParams{
		Content: text, Flags: discordgo.MessageFlagsEphemeral | noPreviews, AllowedMentions: mentions(To{}),
	}
	path := "/webhooks/" + p.Application.String() + "/" + p.Token
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return fmt.Errorf("answer a press: %w", classify(err))
	}
	return nil
}

// SetButtons replaces the buttons of a message and leaves all else as it is.
func (o *Outbox) SetButtons(ctx context.Context, channel graph.ChannelID, message graph.MessageID, buttons []discordgo.Button) error {
	path := messagesPath(channel) + "/" + message.String()
	components := rows(buttons)
	body := discordgo.MessageEdit{Components: &components, AllowedMentions: mentions(To{})}
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body}); err != nil {
		return fmt.Errorf("change buttons: %w", classify(err))
	}
	return nil
}
