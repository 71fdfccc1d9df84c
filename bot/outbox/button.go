package outbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
)

// Button returns a button for an answer. Discord allows 5 in a row, labels of 80
// characters, ids of 100 characters, and each id once in a message.
func Button(id, label string) discordgo.Button {
	return discordgo.Button{CustomID: id, Label: label, Style: discordgo.SecondaryButton}
}

// DisabledButton returns a button that cannot be pressed.
func DisabledButton(id, label string) discordgo.Button {
	b := Button(id, label)
	b.Disabled = true
	return b
}

// Rows are the buttons below a message, from top to bottom. Discord allows 5 rows.
type Rows [][]discordgo.Button

// equal reports whether two messages have the same buttons.
func (r Rows) equal(other Rows) bool {
	return slices.EqualFunc(r, other, slices.Equal)
}

// components returns the rows as Discord takes them. Without rows it returns an empty
// list, which removes the buttons of a message; nil would leave them.
func (r Rows) components() []discordgo.MessageComponent {
	all := make([]discordgo.MessageComponent, len(r))
	for i, buttons := range r {
		var row discordgo.ActionsRow
		for _, b := range buttons {
			row.Components = append(row.Components, b)
		}
		all[i] = row
	}
	return all
}

// Press identifies a press of a button, to answer it. For 15 minutes anybody with the
// token can answer in heddle's name.
type Press struct {
	ID          discord.InteractionID
	Application graph.UserID
	Token       string
	// Public is set if everybody in the channel sees the answer; else only the person does.
	Public bool
}

// flags returns the flags of the messages that answer a press.
func (p *Press) flags() discordgo.MessageFlags {
	if p.Public {
		return 0
	}
	return discordgo.MessageFlagsEphemeral
}

// Acknowledge tells Discord within its 3 seconds that a press was received. Nobody sees
// anything of it. It fails with ErrAnswered if the press is too old or was acknowledged
// by another process, and must then not be answered.
func (o *Outbox) Acknowledge(ctx context.Context, p Press) error {
	if err := o.respond(ctx, p, discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}); err != nil {
		return fmt.Errorf("acknowledge a press: %w", err)
	}
	return nil
}

// respond sends the first answer to a press or a command.
func (o *Outbox) respond(ctx context.Context, p Press, body discordgo.InteractionResponse) error {
	path := "/interactions/" + p.ID.String() + "/" + p.Token + "/callback"
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return classify(err)
	}
	return nil
}

// Promise tells Discord within its 3 seconds that an answer to a command is coming. It fails with ErrAnswered if the use is too old or
// was acknowledged by another process, and must then not be answered.
func (o *Outbox) Promise(ctx context.Context, p Press) error {
	body := discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Flags: p.flags()},
	}
	if err := o.respond(ctx, p, body); err != nil {
		return fmt.Errorf("promise an answer to a command: %w", err)
	}
	return nil
}

// Fill replaces what an acknowledged press or command shows by a text with buttons.
func (o *Outbox) Fill(ctx context.Context, p Press, text string, buttons Rows) error {
	components := buttons.components()
	body := discordgo.WebhookEdit{Content: &text, Components: &components, AllowedMentions: noMentions()}
	path := "/webhooks/" + p.Application.String() + "/" + p.Token + "/messages/@original"
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body}); err != nil {
		return fmt.Errorf("answer a command: %w", classify(err))
	}
	return nil
}

// FillFiles replaces what an acknowledged press or command shows by a text with files.
func (o *Outbox) FillFiles(ctx context.Context, p Press, text string, files []discord.File) error {
	body := edit{MessageEdit: discordgo.MessageEdit{
		Content: &text, Components: new([]discordgo.MessageComponent{}), AllowedMentions: noMentions(),
	}, Attachments: attachments(nil, files)}
	path := "/webhooks/" + p.Application.String() + "/" + p.Token + "/messages/@original"
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body, Files: files}); err != nil {
		return fmt.Errorf("answer a press with files: %w", classify(err))
	}
	return nil
}

// SendEphemeral sends an ephemeral reply, which only the person who pressed sees.
func (o *Outbox) SendEphemeral(ctx context.Context, p Press, text string) error {
	body := discordgo.WebhookParams{
		Content: text, Flags: discordgo.MessageFlagsEphemeral | noPreviews, AllowedMentions: noMentions(),
	}
	path := "/webhooks/" + p.Application.String() + "/" + p.Token
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return fmt.Errorf("answer a press: %w", classify(err))
	}
	return nil
}

// SetButtons replaces the buttons of a message and leaves all else as it is.
func (o *Outbox) SetButtons(ctx context.Context, channel graph.ChannelID, message graph.MessageID, buttons Rows) error {
	path := messagesPath(channel) + "/" + message.String()
	components := buttons.components()
	body := discordgo.MessageEdit{Components: &components, AllowedMentions: noMentions()}
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body}); err != nil {
		return fmt.Errorf("change buttons: %w", classify(err))
	}
	return nil
}
