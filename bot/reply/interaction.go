package reply

import (
	"context"
	"errors"
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

// Acknowledge tells Discord within its 3 seconds that a press was received. Nobody sees it.
// It fails with ErrAnswered if the press is too old or was acknowledged
// by another process, and must then not be answered.
func (r *Replies) Acknowledge(ctx context.Context, p Press) error {
	return r.respond(ctx, "acknowledge a press", p, response{Type: discordgo.InteractionResponseDeferredMessageUpdate})
}

// response is the body of the first answer to a press or a command. Data holds what
// Discord documents for its type; discordgo's InteractionResponse adds the fields of
// messages to all.
type response struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

// respond sends the first answer to a press or a command.
func (r *Replies) respond(ctx context.Context, what string, p Press, body response) error {
	path := "/interactions/" + p.ID.String() + "/" + p.Token + "/callback"
	_, err := r.do(ctx, what, discord.Call{Method: http.MethodPost, Path: path, Body: body})
	return err
}

// Promise tells Discord within its 3 seconds that an answer to a command is coming. It
// fails with ErrAnswered if the use is too old or was acknowledged by another process, and
// must then not be answered.
func (r *Replies) Promise(ctx context.Context, p Press) error {
	data := struct {
		Flags discordgo.MessageFlags `json:"flags"`
	}{p.flags()}
	body := response{discordgo.InteractionResponseDeferredChannelMessageWithSource, data}
	return r.respond(ctx, "promise an answer to a command", p, body)
}

// Form is a form with one field, in which somebody writes a text. Discord allows titles
// and labels of 45 characters.
type Form struct {
	ID    string // names what is submitted; at most 100 characters
	Title string
	Label string // of the field
	Most  int    // characters
}

// Open opens a form for the person who pressed. Like Acknowledge it is the first answer to a
// press, and fails with ErrAnswered if it comes too late.
func (r *Replies) Open(ctx context.Context, p Press, form Form) error {
	field := discordgo.TextInput{
		CustomID: "text", Label: form.Label, Style: discordgo.TextInputParagraph, Required: true, MaxLength: form.Most,
	}
	data := struct {
		CustomID   string                 `json:"custom_id"`
		Title      string                 `json:"title"`
		Components []discordgo.ActionsRow `json:"components"`
	}{form.ID, form.Title, []discordgo.ActionsRow{{Components: []discordgo.MessageComponent{field}}}}
	return r.respond(ctx, "open a form", p, response{discordgo.InteractionResponseModal, data})
}

// Fill replaces what an acknowledged press or command shows with a text, files and buttons.
func (r *Replies) Fill(ctx context.Context, p Press, f Final) (Sent, error) {
	body := write(f.Text, f.Buttons)
	body.Attachments = attachments(nil, f.Files)
	answer, err := r.do(ctx, "answer a command", discord.Call{Method: http.MethodPatch, Path: p.original(), Body: body, Files: f.Files})
	if err != nil {
		return Sent{}, err
	}
	return read(answer, f.Text)
}

// Withdraw deletes a public promise and sends the person who used the command an ephemeral
// reply instead: what fills a public promise is public.
func (r *Replies) Withdraw(ctx context.Context, p Press, text string) error {
	_, err := r.do(ctx, "withdraw the answer to a command", discord.Call{Method: http.MethodDelete, Path: p.original(), Repeatable: true})
	if err != nil && !errors.Is(err, ErrDeleted) && !errors.Is(err, ErrExpired) {
		return err
	}
	return r.SendEphemeral(ctx, p, text)
}

// SendEphemeral sends an ephemeral reply, which only the person who pressed sees. Once the
// press is too old for that, it sends them a direct message.
func (r *Replies) SendEphemeral(ctx context.Context, p Press, text string) error {
	p.Public = false
	_, err := r.Add(ctx, p, text, nil)
	if !errors.Is(err, ErrExpired) {
		return err
	}
	channel, err := r.Direct(ctx, p.Person)
	if err != nil {
		return err
	}
	_, err = r.Reply(ctx, To{Channel: channel, Cause: Interaction(p.ID)}, text)
	return err
}

// Add sends a further message with buttons in answer to a press or a command.
func (r *Replies) Add(ctx context.Context, p Press, text string, buttons Rows) (Sent, error) {
	body := write(text, buttons)
	body.Flags |= p.flags()
	answer, err := r.do(ctx, "go on with an answer", discord.Call{Method: http.MethodPost, Path: p.webhook(), Body: body})
	if err != nil {
		return Sent{}, err
	}
	return read(answer, text)
}
