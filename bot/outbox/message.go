package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
)

// The bodies of requests: discordgo's types, with fields added or replaced where those
// lose something. docs/decisions/discord-rest.md lists what.
type (
	creation struct {
		discordgo.MessageSend

		Nonce        string       `json:"nonce,omitempty"`
		EnforceNonce bool         `json:"enforce_nonce,omitempty"`
		Attachments  []attachment `json:"attachments,omitempty"`
	}
	edit struct {
		discordgo.MessageEdit

		Attachments []attachment `json:"attachments,omitempty"` // nil leaves them as they are
	}
	// attachment names a file of a message. ID is the number of a new file in the
	// form, so that a repeated request does not add it twice, or the id of a file that
	// the message keeps.
	attachment struct {
		ID       string `json:"id"`
		Filename string `json:"filename,omitempty"`
	}
)

// noPreviews keeps Discord from showing previews of links. Otherwise anybody who makes
// heddle write a link would have their page fetched and shown in heddle's name. Every
// message has this flag, and every edit repeats it.
const noPreviews = discordgo.MessageFlagsSuppressEmbeds

// noMentions pings nobody: not the author of the question, who is waiting for the answer
// anyway, and nobody whom the text mentions. Without it Discord pings all of them. Parse
// must not be nil, because Discord reads null as absent.
func noMentions() *discordgo.MessageAllowedMentions {
	return &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
}

// attachments lists the files that a message keeps and the new ones.
func attachments(kept []graph.AttachmentID, files []discord.File) []attachment {
	var all []attachment
	for _, id := range kept {
		all = append(all, attachment{ID: id.String()})
	}
	for i, f := range files {
		all = append(all, attachment{ID: strconv.Itoa(i), Filename: f.Name})
	}
	return all
}

func messagesPath(channel graph.ChannelID) string {
	return "/channels/" + channel.String() + "/messages"
}

// content is the content of a message to be written.
type content struct {
	text    string
	files   []discord.File
	buttons Rows
}

// create sends a new message: the part of an answer with this number, in reply to the
// message after (0 for none). If Discord refuses the reply because the bot may not
// read the channel's history, the message is sent without it.
func (o *Outbox) create(ctx context.Context, to To, part int, after graph.MessageID, c content) (Sent, error) {
	body := creation{
		MessageSend: discordgo.MessageSend{
			Content: c.text, AllowedMentions: noMentions(), Components: c.buttons.components(), Flags: noPreviews,
		},
		Attachments: attachments(nil, c.files),
	}
	if to.Trigger != 0 {
		body.Nonce, body.EnforceNonce = nonce(to, part), true
	}
	if after != 0 {
		body.Reference = &discordgo.MessageReference{
			MessageID: after.String(), ChannelID: to.Channel.String(), FailIfNotExists: new(false),
		}
	}
	o.mark(to.Channel, true)
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

// edit replaces a message's text and buttons. Files are added to those in To.Held.
func (o *Outbox) edit(ctx context.Context, to To, id graph.MessageID, c content) (Sent, error) {
	components := c.buttons.components()
	body := edit{MessageEdit: discordgo.MessageEdit{
		Content: &c.text, AllowedMentions: noMentions(), Components: &components, Flags: noPreviews,
	}}
	if len(c.files) > 0 {
		body.Attachments = attachments(to.Held[id], c.files)
	}
	path := messagesPath(to.Channel) + "/" + id.String()
	answer, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body, Files: c.files})
	if err != nil {
		return Sent{}, fmt.Errorf("edit: %w", classify(err))
	}
	return read(answer, c.text)
}

// Remove deletes a message of heddle's. It succeeds if the message was deleted before.
func (o *Outbox) Remove(ctx context.Context, channel graph.ChannelID, id graph.MessageID) error {
	call := discord.Call{Method: http.MethodDelete, Path: messagesPath(channel) + "/" + id.String(), Repeatable: true}
	if _, err := o.rest.Do(ctx, call); err != nil && !discord.HasCode(err, discord.CodeUnknownMessage) {
		return fmt.Errorf("delete: %w", classify(err))
	}
	return nil
}

// read returns the message in a response. text is what was sent. If the response holds
// another text, because a repeated create returned an earlier message, that counts.
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
