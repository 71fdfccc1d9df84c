package playground

import (
	"encoding/json"
	"net/http"
	"strings"

	"heddle/graph"
	"heddle/internal/discordtest"
)

const errNobody refusedError = "there is no such channel or person here"

// mostPosted bounds the body of a change in bytes. A message with as many files as
// Discord accepts fits, base64-encoded.
const mostPosted = 15 << 20

// change returns a handler that decodes a request, calls do with it and responds with
// the result.
func change[Request any](do func(Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			refuse(w, http.StatusUnsupportedMediaType, "a change has to be JSON")
			return
		}
		var request Request
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostPosted))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&request); err != nil {
			refuse(w, http.StatusBadRequest, "this is not the JSON that is expected here")
			return
		}
		result, err := do(request)
		if err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		respond(w, http.StatusOK, result)
	}
}

type postRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Content string          `json:"content"`
	ReplyTo graph.MessageID `json:"replyTo"`
	Files   []fileRequest   `json:"files"`
}

// post sends a message as a person, if they may write in the channel.
func (p *page) post(r postRequest) (any, error) {
	if !p.world.canWrite(r.Author, r.Channel) {
		return nil, errNobody
	}
	draft := discordtest.Draft{Content: r.Content, ReplyTo: r.ReplyTo}
	if err := r.attach(&draft); err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Content) == "" && len(draft.Attachments) == 0 {
		return nil, refusedError("write something first")
	}
	id, err := p.world.discord.Chat.Post(r.Channel, r.Author, draft)
	if err != nil {
		return nil, refusedError("Discord refuses messages of more than 2,000 characters or ten files")
	}
	return map[string]graph.MessageID{"id": id}, nil
}

type changeRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Message graph.MessageID `json:"message"`
	Author  graph.UserID    `json:"author"`
	Content string          `json:"content"`
}

func (p *page) edit(r changeRequest) (any, error) {
	if err := p.checkOwn(r); err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Content) == "" {
		return nil, refusedError("a message cannot be empty; delete it instead")
	}
	if err := p.world.discord.Chat.Edit(r.Channel, r.Message, r.Content); err != nil {
		return nil, refusedError("that message is gone")
	}
	return struct{}{}, nil
}

func (p *page) remove(r changeRequest) (any, error) {
	if err := p.checkOwn(r); err != nil {
		return nil, err
	}
	p.world.discord.Chat.Delete(r.Channel, r.Message)
	return struct{}{}, nil
}

type pressRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Message graph.MessageID `json:"message"`
	Author  graph.UserID    `json:"author"`
	Button  string          `json:"button"`
}

// press presses one of heddle's buttons. The page learns of the results by events.
func (p *page) press(r pressRequest) (any, error) {
	if !p.world.canWrite(r.Author, r.Channel) {
		return nil, errNobody
	}
	id, err := p.world.discord.Interactions.Press(r.Channel, r.Message, r.Author, r.Button)
	if err != nil {
		return nil, refusedError("that button is no longer there")
	}
	return acted{id}, nil
}

type reactRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Message graph.MessageID `json:"message"`
	Author  graph.UserID    `json:"author"`
	Emoji   string          `json:"emoji"`
	Off     bool            `json:"off"` // remove it
}

// react adds or removes a reaction.
func (p *page) react(r reactRequest) (any, error) {
	if !p.world.canWrite(r.Author, r.Channel) {
		return nil, errNobody
	}
	do := p.world.discord.Chat.React
	if r.Off {
		do = p.world.discord.Chat.Unreact
	}
	if err := do(r.Channel, r.Message, r.Author, r.Emoji); err != nil {
		return nil, refusedError("Discord refuses this reaction: the message is gone, or this is no emoji")
	}
	return struct{}{}, nil
}

// checkOwn returns an error unless the message exists and its author asks.
func (p *page) checkOwn(r changeRequest) error {
	if !p.world.canWrite(r.Author, r.Channel) {
		return errNobody
	}
	m, ok := p.world.discord.Chat.Message(r.Channel, r.Message)
	if !ok {
		return refusedError("that message is gone")
	}
	if m.Author != r.Author {
		return refusedError("people can change only their own messages")
	}
	return nil
}
