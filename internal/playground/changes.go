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

// deed is what somebody does in a channel: they post a message, or change, press or react to one.
type deed struct {
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Message graph.MessageID `json:"message"` // zero for a new one
	Content string          `json:"content"`
	ReplyTo graph.MessageID `json:"replyTo"`
	After   graph.MessageID `json:"after"` // in a channel of an export, what a new one comes after; zero for the newest
	Files   []fileRequest   `json:"files"`
	Button  string          `json:"button"`
	Emoji   string          `json:"emoji"`
	Off     bool            `json:"off"` // the reaction is removed
}

// doing returns a handler for what people do who may write in the channel.
func (p *page) doing(do func(deed) (any, error)) http.HandlerFunc {
	return change(func(d deed) (any, error) {
		if !p.world.canWrite(d.Author, d.Channel) {
			return nil, errNobody
		}
		return do(d)
	})
}

// post sends a message as a person.
func (p *page) post(d deed) (any, error) {
	files, err := attachments(d.Files)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(d.Content) == "" && len(files) == 0 {
		return nil, refusedError("write something first")
	}
	if d.After != 0 {
		d.After = max(d.After, d.ReplyTo)
	}
	p.world.goBack(d.Channel, d.After)
	id, err := p.world.discord.Chat.Post(d.Channel, d.Author, discordtest.Draft{Content: d.Content, ReplyTo: d.ReplyTo, Attachments: files})
	if err != nil {
		return nil, refusedError("Discord refuses messages of more than 2,000 characters or ten files")
	}
	return map[string]graph.MessageID{"id": id}, nil
}

func (p *page) edit(d deed) (any, error) {
	if strings.TrimSpace(d.Content) == "" {
		return nil, refusedError("a message cannot be empty; delete it instead")
	}
	if err := p.world.discord.Chat.Edit(d.Channel, d.Message, d.Content); err != nil {
		return nil, refusedError("that message is gone")
	}
	return struct{}{}, nil
}

func (p *page) remove(d deed) (any, error) {
	p.world.discord.Chat.Delete(d.Channel, d.Message)
	return struct{}{}, nil
}

// press presses one of heddle's buttons. The page learns of the results by events.
func (p *page) press(d deed) (any, error) {
	id, err := p.world.discord.Interactions.Press(d.Channel, d.Message, d.Author, d.Button)
	if err != nil {
		return nil, refusedError("that button is no longer there")
	}
	return acted{id}, nil
}

// react adds or removes a reaction.
func (p *page) react(d deed) (any, error) {
	do := p.world.discord.Chat.React
	if d.Off {
		do = p.world.discord.Chat.Unreact
	}
	if err := do(d.Channel, d.Message, d.Author, d.Emoji); err != nil {
		return nil, refusedError("Discord refuses this reaction: the message is gone, or this is no emoji")
	}
	return struct{}{}, nil
}
