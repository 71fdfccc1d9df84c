package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"heddle/graph"
	"heddle/internal/discord"
)

// Discord's bodies, as far as the outbox writes and reads them.
type (
	messageBody struct {
		Content         string           `json:"content"`
		Nonce           string           `json:"nonce,omitempty"`
		EnforceNonce    bool             `json:"enforce_nonce,omitempty"`
		AllowedMentions allowedMentions  `json:"allowed_mentions"`
		Reference       *reference       `json:"message_reference,omitempty"`
		Attachments     []attachmentBody `json:"attachments,omitempty"`
		// Components is nil where a message is to have none from the start; an empty
		// list takes away what is there.
		Components *[]row `json:"components,omitempty"`
	}
	// allowedMentions must never be absent: without it Discord pings everybody
	// the text names. Parse must be an empty list; null means the same as absent.
	allowedMentions struct {
		Parse       []string       `json:"parse"`
		Users       []graph.UserID `json:"users,omitempty"`
		RepliedUser bool           `json:"replied_user"`
	}
	reference struct {
		Message         graph.MessageID `json:"message_id"`
		Channel         graph.ChannelID `json:"channel_id"`
		FailIfNotExists bool            `json:"fail_if_not_exists"`
	}
	attachmentBody struct {
		ID       string `json:"id"` // the number of the file in the form, or of one that stays its id
		Filename string `json:"filename,omitempty"`
	}
)

func mentions(to To) allowedMentions {
	const most = 100 // that Discord takes
	return allowedMentions{Parse: []string{}, Users: to.Mentions[:min(len(to.Mentions), most)], RepliedUser: to.PingAuthor}
}

// describe names a form's files, so that repeating the request adds none twice.
func describe(files []discord.File) []attachmentBody {
	described := make([]attachmentBody, len(files))
	for i, f := range files {
		described[i] = attachmentBody{ID: strconv.Itoa(i), Filename: f.Name}
	}
	return described
}

// stay names files that a message keeps where others are put on it.
func stay(files []graph.AttachmentID) []attachmentBody {
	kept := make([]attachmentBody, len(files))
	for i, id := range files {
		kept[i] = attachmentBody{ID: id.String()}
	}
	return kept
}

func messagesPath(channel graph.ChannelID) string {
	return "/channels/" + channel.String() + "/messages"
}

// content is what a message is to hold.
type content struct {
	text    string
	files   []discord.File
	buttons []Button
}

// create sends a new message: part number part of an answer, in reply to after
// (0 for none). Where the reply is refused because the bot may not read the
// channel's history, it is sent plainly.
func (o *Outbox) create(ctx context.Context, to To, part int, after graph.MessageID, c content) (Sent, error) {
	body := messageBody{Content: c.text, AllowedMentions: mentions(to), Attachments: describe(c.files)}
	if rows := rows(c.buttons); len(rows) > 0 {
		body.Components = &rows
	}
	if to.Trigger != 0 {
		body.Nonce, body.EnforceNonce = nonce(to, part), true
	}
	if after != 0 {
		body.Reference = &reference{Message: after, Channel: to.Channel}
	}
	o.mark(to.Channel)
	call := discord.Call{
		Method: http.MethodPost, Path: messagesPath(to.Channel), Body: body, Files: c.files, Repeatable: body.EnforceNonce,
	}
	answer, err := o.rest.Do(ctx, call)
	if discord.HasCode(err, discord.CodeReplyNeedsHistory) {
		body.Reference = nil
		call.Body = body
		answer, err = o.rest.Do(ctx, call)
	}
	if err != nil {
		return Sent{}, fmt.Errorf("send: %w", classify(err))
	}
	return read(answer, c.text)
}

// edit replaces a message's text and buttons, and its files where some are given.
func (o *Outbox) edit(ctx context.Context, to To, id graph.MessageID, c content) (Sent, error) {
	rows := rows(c.buttons)
	body := messageBody{Content: c.text, AllowedMentions: mentions(to), Components: &rows}
	if len(c.files) > 0 {
		body.Attachments = append(stay(to.Held[id]), describe(c.files)...)
	}
	path := messagesPath(to.Channel) + "/" + id.String()
	answer, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body, Files: c.files})
	if err != nil {
		return Sent{}, fmt.Errorf("edit: %w", classify(err))
	}
	return read(answer, c.text)
}

// remove deletes a message. One that is gone already is no fault.
func (o *Outbox) remove(ctx context.Context, channel graph.ChannelID, id graph.MessageID) error {
	call := discord.Call{Method: http.MethodDelete, Path: messagesPath(channel) + "/" + id.String(), Repeatable: true}
	if _, err := o.rest.Do(ctx, call); err != nil && !discord.HasCode(err, discord.CodeUnknownMessage) {
		return fmt.Errorf("delete: %w", classify(err))
	}
	return nil
}

// read takes from Discord's answer what is kept. Where a repeated create gave an
// earlier message, its text is that message's.
func read(answer json.RawMessage, text string) (Sent, error) {
	m, err := discord.DecodeMessage(answer)
	if err != nil {
		return Sent{}, fmt.Errorf("read the message sent: %w", err)
	}
	sent := Sent{ID: m.ID, Text: text, Message: &m}
	if m.Has(discord.HasContent) {
		sent.Text = m.Content
	}
	for _, a := range m.Attachments {
		sent.Attachments = append(sent.Attachments, a.ID)
	}
	return sent, nil
}
