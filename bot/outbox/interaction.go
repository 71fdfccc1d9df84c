package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
)

// Press identifies a press of a button, to answer it. For 15 minutes anybody with the
// token can answer in heddle's name.
type Press struct {
	ID          discord.InteractionID
	Application graph.UserID
	Token       string
	Person      graph.UserID // who pressed
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

// webhook returns the route of further messages in answer to a press.
func (p *Press) webhook() string { return "/webhooks/" + p.Application.String() + "/" + p.Token }

// original returns the route of the first message in answer to a press.
func (p *Press) original() string { return p.webhook() + "/messages/@original" }

// Interactions answers presses of buttons and uses of commands. Its methods may be called
// from any goroutine.
type Interactions struct {
	rest   REST
	outbox *Outbox
}

// Interactions returns what answers interactions through the same connection.
func (o *Outbox) Interactions() *Interactions { return &Interactions{o.rest, o} }

// Acknowledge tells Discord within its 3 seconds that a press was received. Nobody sees
// anything of it. It fails with ErrAnswered if the press is too old or was acknowledged
// by another process, and must then not be answered.
func (i *Interactions) Acknowledge(ctx context.Context, p Press) error {
	if err := i.respond(ctx, p, discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}); err != nil {
		return fmt.Errorf("acknowledge a press: %w", err)
	}
	return nil
}

// respond sends the first answer to a press or a command.
func (i *Interactions) respond(ctx context.Context, p Press, body discordgo.InteractionResponse) error {
	path := "/interactions/" + p.ID.String() + "/" + p.Token + "/callback"
	if _, err := i.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return classify(err)
	}
	return nil
}

// Promise tells Discord within its 3 seconds that an answer to a command is coming. It
// fails with ErrAnswered if the use is too old or was acknowledged by another process, and
// must then not be answered.
func (i *Interactions) Promise(ctx context.Context, p Press) error {
	body := discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Flags: p.flags()},
	}
	if err := i.respond(ctx, p, body); err != nil {
		return fmt.Errorf("promise an answer to a command: %w", err)
	}
	return nil
}

// Form is a form with one field, in which somebody writes a text. Discord allows titles
// and labels of 45 characters.
type Form struct {
	ID    string // the name by which what is sent of it is known, of at most 100 characters
	Title string
	Label string // of the field
	Most  int    // characters
}

// Open opens a form for whoever pressed. Like Acknowledge it is the first answer to a press,
// and fails with ErrAnswered if it comes too late.
func (i *Interactions) Open(ctx context.Context, p Press, form Form) error {
	field := discordgo.TextInput{
		CustomID: "text", Label: form.Label, Style: discordgo.TextInputParagraph, Required: true, MaxLength: form.Most,
	}
	body := discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal, Data: &discordgo.InteractionResponseData{
		CustomID: form.ID, Title: form.Title,
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{field}}},
	}}
	if err := i.respond(ctx, p, body); err != nil {
		return fmt.Errorf("open a form: %w", err)
	}
	return nil
}

// Fill replaces what an acknowledged press or command shows by a text with buttons.
func (i *Interactions) Fill(ctx context.Context, p Press, text string, buttons Rows) error {
	components := buttons.components()
	body := edit{MessageEdit: discordgo.MessageEdit{Content: &text, Components: &components, AllowedMentions: noMentions(), Flags: noPreviews}}
	if _, err := i.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: p.original(), Body: body}); err != nil {
		return fmt.Errorf("answer a command: %w", classify(err))
	}
	return nil
}

// Withdraw deletes what was promised to everybody in answer to a command, and sends the
// person who used it an ephemeral reply instead. What fills a public promise is public.
func (i *Interactions) Withdraw(ctx context.Context, p Press, text string) error {
	_, err := i.rest.Do(ctx, discord.Call{Method: http.MethodDelete, Path: p.original(), Repeatable: true})
	if err = classify(err); err != nil && !errors.Is(err, ErrDeleted) && !errors.Is(err, ErrExpired) {
		return fmt.Errorf("withdraw the answer to a command: %w", err)
	}
	return i.SendEphemeral(ctx, p, text)
}

// FillFiles replaces what an acknowledged press or command shows by a text with files.
func (i *Interactions) FillFiles(ctx context.Context, p Press, text string, files []discord.File) error {
	body := edit{MessageEdit: discordgo.MessageEdit{
		Content: &text, Components: new([]discordgo.MessageComponent{}), AllowedMentions: noMentions(), Flags: noPreviews,
	}, Attachments: attachments(nil, files)}
	if _, err := i.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: p.original(), Body: body, Files: files}); err != nil {
		return fmt.Errorf("answer a press with files: %w", classify(err))
	}
	return nil
}

// SendEphemeral sends an ephemeral reply, which only the person who pressed sees. Once the
// press is too old for that, it sends them a direct message.
func (i *Interactions) SendEphemeral(ctx context.Context, p Press, text string) error {
	body := discordgo.WebhookParams{
		Content: text, Flags: discordgo.MessageFlagsEphemeral | noPreviews, AllowedMentions: noMentions(),
	}
	_, err := i.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: p.webhook(), Body: body})
	if err = classify(err); errors.Is(err, ErrExpired) {
		err = i.sendDirect(ctx, p, text)
	}
	if err != nil {
		return fmt.Errorf("answer a press: %w", err)
	}
	return nil
}

// sendDirect sends the person who pressed a direct message.
func (i *Interactions) sendDirect(ctx context.Context, p Press, text string) error {
	channel, err := i.outbox.Direct(ctx, p.Person)
	if err != nil {
		return err
	}
	_, err = i.outbox.Reply(ctx, To{Channel: channel, Cause: Interaction(p.ID)}, text)
	return err
}

// Complete offers completions of an option that is being typed, at most 25 of at most
// 100 characters. Each is both what is shown and the value.
func (i *Interactions) Complete(ctx context.Context, p Press, offered []string) error {
	choices := make([]*discordgo.ApplicationCommandOptionChoice, len(offered))
	for i, value := range offered {
		choices[i] = &discordgo.ApplicationCommandOptionChoice{Name: value, Value: value}
	}
	body := discordgo.InteractionResponse{
		Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: &discordgo.InteractionResponseData{Choices: choices},
	}
	if err := i.respond(ctx, p, body); err != nil {
		return fmt.Errorf("offer completions: %w", err)
	}
	return nil
}

// Add sends a further message with buttons in answer to a command.
func (i *Interactions) Add(ctx context.Context, p Press, text string, buttons Rows) error {
	body := discordgo.WebhookParams{Content: text, Components: buttons.components(), Flags: p.flags() | noPreviews, AllowedMentions: noMentions()}
	if _, err := i.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: p.webhook(), Body: body}); err != nil {
		return fmt.Errorf("go on with the answer to a command: %w", classify(err))
	}
	return nil
}
