package discordtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"heddle/graph"
)

// answer is the first answer to an interaction.
type answer struct {
	Type int             `json:"type"`
	Data json.RawMessage `json:"data"`

	// What Data holds: a modal, or a new message or a change of one with its files.
	modal *Modal
	body  messageBody
	files []Attachment
}

// read reads the data of an answer, which also names the uploaded files.
func (a *answer) read(c *call) (err error) {
	switch {
	case a.Type < AnswerMessage || a.Type > AnswerModal || a.Type == answerChoices:
		return errForm("type", "BASE_TYPE_CHOICES", "Value must be one of (4, 5, 6, 7, 9).")
	case a.Type == AnswerModal:
		a.modal, err = readModal(a.Data)
		return err
	case !isNull(a.Data) && json.Unmarshal(a.Data, &a.body) != nil:
		return errBadJSON()
	}
	a.files = c.uploads(&a.body)
	return nil
}

// take applies the first answer and returns the message that it created or changed, or
// nil if it did neither.
func (in *interaction) take(c *channel, a *answer) (*Message, error) {
	in.Modal = a.modal
	switch a.Type {
	case AnswerMessage, AnswerMessageLater:
		flags := 0
		if a.Type == AnswerMessageLater {
			flags = FlagLoading
		}
		m, err := in.reply(c, &a.body, a.files, flags)
		if err == nil {
			in.original = m.ID
		}
		return m, err
	case AnswerUpdateMessage:
		held := in.find(c, in.Message)
		if held == nil {
			return nil, errUnknownMessage()
		}
		return in.change(c, held, &a.body, a.files)
	}
	return nil, nil //nolint:nilnil // a deferred update changes nothing yet
}

// wireAnswer returns the response to a first answer that was sent with with_response.
func (in *interaction) wireAnswer(c *channel, m *Message) any {
	about := object{"id": in.ID, "type": in.Kind}
	resource := object{"type": in.Answered}
	if m != nil {
		about["response_message_id"] = m.ID
		about["response_message_loading"] = m.Flags&FlagLoading != 0
		about["response_message_ephemeral"] = m.Flags&FlagEphemeral != 0
		if in.Answered == AnswerMessage || in.Answered == AnswerUpdateMessage {
			resource["message"] = rendering{c.world, restViewer(in.bot)}.message(c, m)
		}
	}
	return object{"interaction": about, "resource": resource}
}

// reply makes a message that answers the interaction, or announces one.
func (in *interaction) reply(c *channel, body *messageBody, files []Attachment, flags int) (*Message, error) {
	m := &Message{ID: idIn(c), Channel: c.id, Author: in.bot.id, Type: in.answerType(), Flags: flags}
	m.use = &use{in.ID, in.Kind, in.Command, in.Who, in.bot.application, in.owners(c)}
	if body.Flags != nil {
		m.Flags |= *body.Flags & FlagEphemeral
	}
	if in.Message != 0 {
		m.Reference = c.referenceTo(in.Message)
	}
	if flags&FlagLoading == 0 {
		if err := body.apply(c, m, files); err != nil {
			return nil, err
		}
	}
	if m.Flags&FlagEphemeral != 0 {
		in.keepPrivate(c, m, "MESSAGE_CREATE")
		return m, nil
	}
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
func (in *interaction) change(c *channel, held *Message, body *messageBody, files []Attachment) (*Message, error) {
	m := *held
	if m.Flags&FlagLoading == 0 { // the content of a deferred answer is no edit
		m.Edited = timeIn(c)
	}
	m.Flags &^= FlagLoading
	if err := body.apply(c, &m, files); err != nil {
		return nil, err
	}
	if m.Flags&FlagEphemeral != 0 {
		cmp.Or(in.world.keeperOf(m.ID), in).keepPrivate(c, &m, "MESSAGE_UPDATE")
		return &m, nil
	}
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
