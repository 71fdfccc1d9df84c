package discordtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"heddle/graph"
)

// answerBody is the first answer to an interaction.
type answerBody struct {
	Type int             `json:"type"`
	Data json.RawMessage `json:"data"`
}

// answer is an answerBody whose data was read: a new message or a change of one.
type answer struct {
	kind    int
	made    createBody
	changed editBody
	files   []Attachment
	choices []Choice
	modal   *Modal
}

// read reads the data of an answer, which also names the uploaded files.
func (b *answerBody) read(c *call) (*answer, error) {
	a := &answer{kind: b.Type}
	var into any
	var said *attachmentsBody
	switch b.Type {
	case AnswerMessage, AnswerMessageLater:
		into, said = &a.made, &a.made.attachmentsBody
	case AnswerUpdateLater, AnswerUpdateMessage:
		into, said = &a.changed, &a.changed.attachmentsBody
	case AnswerChoices:
		return a, a.readChoices(b.Data)
	case AnswerModal:
		modal, err := readModal(b.Data)
		a.modal = modal
		return a, err
	default:
		return nil, errForm("type", "BASE_TYPE_CHOICES", "Value must be one of (4, 5, 6, 7, 8, 9).")
	}
	if !isNull(b.Data) && json.Unmarshal(b.Data, into) != nil {
		return nil, errBadJSON()
	}
	a.files = c.uploads(said)
	return a, nil
}

// readChoices reads the choices of an answer to a half-typed option.
func (a *answer) readChoices(data json.RawMessage) error {
	var wire struct {
		Choices []Choice `json:"choices"`
	}
	if json.Unmarshal(data, &wire) != nil {
		return errBadJSON()
	}
	a.choices = wire.Choices
	return validateChoices(a.choices, maxAutocompletions, []string{"data", "choices"})
}

// fits reports whether an interaction of this kind accepts an answer of type kind. A
// completion accepts only choices, a sent modal does not accept another modal, and only
// an interaction on a message accepts an update.
func (in *interaction) fits(kind int) bool {
	switch kind {
	case AnswerChoices:
		return in.Kind == InteractionCompletion
	case AnswerModal:
		return in.Kind == InteractionCommand || in.Kind == InteractionComponent
	case AnswerUpdateLater, AnswerUpdateMessage:
		return in.Message != 0
	}
	return in.Kind != InteractionCompletion
}

// take applies the first answer and returns the message that it created or changed, or
// nil if it did neither.
func (in *interaction) take(c *channel, a *answer) (*Message, error) {
	if !in.fits(a.kind) {
		return nil, errForm("type", "INTERACTION_APPLICATION_COMMAND_INVALID_RESPONSE_TYPE", "The specified response type is not valid for this interaction")
	}
	in.Choices, in.Modal = a.choices, a.modal
	switch a.kind {
	case AnswerMessage, AnswerMessageLater:
		flags := 0
		if a.kind == AnswerMessageLater {
			flags = FlagLoading
		}
		m, err := in.reply(c, &a.made, a.files, flags)
		if err == nil {
			in.original = m.ID
		}
		return m, err
	case AnswerUpdateMessage:
		held := in.find(c, in.Message)
		if held == nil {
			return nil, errUnknownMessage()
		}
		return in.change(c, held, &a.changed, a.files)
	}
	return nil, nil //nolint:nilnil // a deferred update changes nothing yet
}

// wireAnswer returns the response to a first answer that was sent with with_response.
func (in *interaction) wireAnswer(c *channel, m *Message) any {
	about := map[string]any{"id": in.ID, "type": in.Kind}
	resource := map[string]any{"type": in.Answered}
	if m != nil {
		about["response_message_id"] = m.ID
		about["response_message_loading"] = m.Flags&FlagLoading != 0
		about["response_message_ephemeral"] = m.Flags&FlagEphemeral != 0
		if in.Answered == AnswerMessage || in.Answered == AnswerUpdateMessage {
			resource["message"] = rendering{c.world, restViewer(in.bot)}.message(c, m)
		}
	}
	return map[string]any{"interaction": about, "resource": resource}
}

// reply makes a message that answers the interaction.
func (in *interaction) reply(c *channel, body *createBody, files []Attachment, flags int) (*Message, error) {
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	m := &Message{
		ID: graph.MessageID(in.world.nextID()), Channel: c.id, Author: in.bot.id, Type: in.answerType(),
		Flags: flags | body.Flags&(settableFlags|FlagEphemeral), Attachments: files,
	}
	if in.Message != 0 {
		m.Reference = c.referenceTo(in.Message)
	}
	if flags&FlagLoading == 0 {
		p := body.parts(len(files))
		if err := errors.Join(p.validate(), validateComponents(p.components, p.flags)); err != nil {
			return nil, err
		}
		m.Content = p.content
		body.setMore(m)
	}
	if m.Flags&FlagEphemeral != 0 {
		in.keepPrivate(c, m, "MESSAGE_CREATE")
		return m, nil
	}
	allowed.mark(c, m)
	in.public = append(in.public, m.ID)
	c.add(m)
	return m, nil
}

// answerType returns the type of a message that answers the interaction.
func (in *interaction) answerType() int {
	switch {
	case in.Message != 0:
		return TypeReply
	case in.data["target_id"] != nil:
		return TypeContextCommand
	}
	return TypeChatCommand
}

// keepPrivate stores a version of an ephemeral message. Its event names no guild, as
// on Discord.
func (in *interaction) keepPrivate(c *channel, m *Message, name string) {
	in.private = in.private.with(m)
	in.world.emit(event{name: name, only: in.bot.id, render: func(v viewer) any {
		return rendering{c.world, viewer{bot: v.bot, content: true}}.message(c, m)
	}})
	in.world.happened(Happening{Kind: Private, Channel: c.id, Message: *m, To: in.Who})
}

// change stores another version of a message that an answer may change.
func (in *interaction) change(c *channel, held *Message, body *editBody, files []Attachment) (*Message, error) {
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	m := *held
	m.Flags &^= FlagLoading
	if err := body.apply(&m, files); err != nil {
		return nil, err
	}
	m.Edited = in.world.clock()
	if m.Flags&FlagEphemeral != 0 {
		cmp.Or(in.world.keeperOf(m.ID), in).keepPrivate(c, &m, "MESSAGE_UPDATE")
		return &m, nil
	}
	allowed.mark(c, &m)
	c.replace(&m)
	return &m, nil
}

// channel returns the channel of the interaction. It fails if the interaction can no
// longer be answered, or belongs to another application than the request.
func (in *interaction) channel(c *call) (*channel, error) {
	switch {
	case in == nil || in.bot.application != graph.UserID(c.id("application")), in.Answered == 0:
		return nil, errUnknownWebhook()
	case in.world.clock().Sub(in.at) > tokenLife:
		return nil, &apiError{status: http.StatusUnauthorized, code: 50027, message: "Invalid Webhook Token"}
	}
	ch := in.world.channels[in.Channel]
	if ch == nil {
		return nil, errUnknownChannel()
	}
	return ch, nil
}

// message returns the message of the interaction that the path of a request names.
func (in *interaction) message(c *call) (*channel, *Message, error) {
	ch, err := in.channel(c)
	if err != nil {
		return nil, nil, err
	}
	id := graph.MessageID(c.id("message"))
	switch {
	case c.request.PathValue("message") != "@original":
		if !slices.Contains(in.public, id) && in.private.find(id) == nil {
			return nil, nil, errUnknownMessage()
		}
	case in.original != 0:
		id = in.original
	default:
		id = in.Message
	}
	m := in.find(ch, id)
	if m == nil {
		return nil, nil, errUnknownMessage()
	}
	return ch, m, nil
}

// find returns a message of the interaction, private or not, or nil if there is none.
func (in *interaction) find(c *channel, id graph.MessageID) *Message {
	if keeper := in.world.keeperOf(id); keeper != nil && keeper.Who == in.Who {
		return keeper.private.find(id)
	}
	return c.messages.find(id)
}

// loading returns the message that the first answer announced and that has not come
// yet, or nil if there is none.
func (in *interaction) loading(c *channel) *Message {
	if m := in.find(c, in.original); m != nil && m.Flags&FlagLoading != 0 {
		return m
	}
	return nil
}
