package reply

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/internal/discord"
)

type (
	// body is the body of a request that writes a message. An edit does not change fields
	// that are nil or empty. docs/decisions/discord-rest.md says why discordgo's types are
	// not used.
	body struct {
		Content         *string                           `json:"content,omitempty"`
		AllowedMentions *discordgo.MessageAllowedMentions `json:"allowed_mentions"`
		Components      *[]discordgo.MessageComponent     `json:"components,omitempty"`
		Flags           discordgo.MessageFlags            `json:"flags,omitempty"`
		Attachments     []attachment                      `json:"attachments,omitempty"`
		Reference       *discordgo.MessageReference       `json:"message_reference,omitempty"`
		Nonce           string                            `json:"nonce,omitempty"`
		EnforceNonce    bool                              `json:"enforce_nonce,omitempty"`
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

// write returns the body of a message with a text and buttons, which pings nobody.
func write(text string, buttons Rows) body {
	return body{Content: &text, Components: new(buttons.components()), AllowedMentions: noMentions(), Flags: noPreviews}
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

func messagePath(channel graph.ChannelID, message graph.MessageID) string {
	return messagesPath(channel) + "/" + message.String()
}

// do sends one call. what names the call in errors.
func (r *Replies) do(ctx context.Context, what string, call discord.Call) (json.RawMessage, error) {
	answer, err := r.rest.Do(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, classify(err))
	}
	return answer, nil
}

// content is the content of a message to be written.
type content struct {
	text    string
	files   []discord.File
	buttons Rows
}

// reference is the message that a new message replies to.
type reference struct {
	message graph.MessageID // 0: none
	needed  bool            // nothing is sent if it was deleted
}

// create sends the part of an answer with this number as a new message, in reply to another
// one. If Discord refuses the reply because the bot may not read the channel's history, the
// message is sent as no reply. create fails with ErrQuestionGone if the message that it needs
// to reply to was deleted, so that no answer stands without its question.
func (r *Replies) create(ctx context.Context, to To, part int, after reference, c content) (Sent, error) {
	body := write(c.text, c.buttons)
	body.Attachments = attachments(nil, c.files)
	if to.Trigger != 0 || to.Cause != (Cause{}) {
		body.Nonce, body.EnforceNonce = nonce(to, part), true
	}
	if after.message != 0 {
		body.Reference = &discordgo.MessageReference{
			MessageID: after.message.String(), ChannelID: to.Channel.String(), FailIfNotExists: new(after.needed),
		}
	}
	call := discord.Call{
		Method: http.MethodPost, Path: messagesPath(to.Channel), Body: body, Files: c.files, Repeatable: body.EnforceNonce,
	}
	answer, err := r.do(ctx, "send", call)
	if discord.HasCode(err, discord.CodeReplyNeedsHistory) {
		body.Reference = nil
		call.Body = body
		answer, err = r.do(ctx, "send", call)
	}
	if after.needed && after.message != 0 && discord.HasCode(err, discord.CodeInvalidForm) && r.IsGone(ctx, to.Channel, after.message) {
		return Sent{}, fmt.Errorf("%w: %w", ErrQuestionGone, err)
	}
	if err != nil {
		return Sent{}, err
	}
	return read(answer, c.text)
}

// edit replaces a message's text and buttons. Files are added to those in To.Held.
func (r *Replies) edit(ctx context.Context, to To, id graph.MessageID, c content) (Sent, error) {
	body := write(c.text, c.buttons)
	if len(c.files) > 0 {
		body.Attachments = attachments(to.Held[id], c.files)
	}
	answer, err := r.do(ctx, "edit", discord.Call{Method: http.MethodPatch, Path: messagePath(to.Channel, id), Body: body, Files: c.files})
	if err != nil {
		return Sent{}, err
	}
	return read(answer, c.text)
}

// SetButtons replaces the buttons of a message and changes nothing else.
func (r *Replies) SetButtons(ctx context.Context, channel graph.ChannelID, message graph.MessageID, buttons Rows) error {
	body := body{Components: new(buttons.components()), AllowedMentions: noMentions()}
	_, err := r.do(ctx, "change buttons", discord.Call{Method: http.MethodPatch, Path: messagePath(channel, message), Body: body})
	return err
}

// RemoveAll deletes messages of heddle's, the last one first. It skips those that are deleted
// already and stops at the first error.
func (r *Replies) RemoveAll(ctx context.Context, channel graph.ChannelID, messages []graph.MessageID) error {
	for _, id := range slices.Backward(messages) {
		_, err := r.do(ctx, "delete", discord.Call{Method: http.MethodDelete, Path: messagePath(channel, id), Repeatable: true})
		if err != nil && !errors.Is(err, ErrDeleted) {
			return err
		}
	}
	return nil
}

// SentAs returns messages of heddle's that stand on Discord as they were sent.
func SentAs(said []discord.Message) []Sent {
	sent := make([]Sent, len(said))
	for i := range said {
		sent[i] = Sent{ID: said[i].ID, Text: said[i].Content, Message: &said[i]}
		for _, a := range said[i].Attachments {
			sent[i].Attachments = append(sent[i].Attachments, a.ID)
		}
	}
	return sent
}

// read returns the message in a response. text is what was sent. The text in the response
// takes precedence: a repeated create may have returned an earlier message.
func read(answer json.RawMessage, text string) (Sent, error) {
	m, err := discord.Decode[discord.Message](answer)
	if err != nil {
		return Sent{}, fmt.Errorf("read the message sent: %w", err)
	}
	sent := Sent{ID: m.ID, Text: cmp.Or(m.Content, text), Message: &m}
	for _, a := range m.Attachments {
		sent.Attachments = append(sent.Attachments, a.ID)
	}
	return sent, nil
}

// Shows reports whether a message shows a text that it was sent with.
func Shows(m *discord.Message, text string) bool { return sameText(m.Content, text) }

// FillsMessage reports whether a message without an indicator may still be one of several parts
// of which the next was not sent.
func FillsMessage(text string) bool { return split.Units(text) >= split.LeastFull }
