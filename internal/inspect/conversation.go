package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"heddle/graph/path"
)

var (
	errNoConversation = errors.New(`a conversation is a JSON array of messages like {"role":"user","name":"ann","content":"hi"}, or a request that holds one`)
	errRole           = errors.New("a message's role is system, developer, user, assistant or tool")
	errNoContent      = errors.New("it has neither content nor tool calls")
	errNoCall         = errors.New("a tool's message has the id of a call before it")
)

// Conversed is a conversation in the form of chat completions.
type Conversed struct {
	// Turns holds the turns of the conversation, without tool calls, as these are not
	// part of a path.
	Turns []path.Turn
	// steps maps the index of a turn to the tool calls before it. Calls after the last
	// turn have the index len(Turns).
	steps map[int][]Step
	// request is the input if it is a whole request, and messages holds its messages or
	// those of the array.
	request  []byte
	messages []json.RawMessage
}

// wireMessage is a message in the form of chat completions.
type wireMessage struct {
	Role    string       `json:"role"`
	Name    string       `json:"name"`
	Content *wireContent `json:"content"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

// wireContent is the text of a message, which is a string or a list of parts.
type wireContent string

// UnmarshalJSON decodes a string or a list of parts. A picture is replaced by its
// address.
func (c *wireContent) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = wireContent(text)
		return nil
	}
	var pieces []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &pieces); err != nil {
		return errNoConversation
	}
	var texts []string
	for _, piece := range pieces {
		texts = append(texts, piece.Text+piece.Image.URL)
	}
	*c = wireContent(strings.Join(texts, "\n"))
	return nil
}

// text returns the content, or "" for null.
func (m *wireMessage) text() string {
	if m.Content == nil {
		return ""
	}
	return string(*m.Content)
}

// Conversation reads an array of chat completion messages, or a request that contains
// one. The name of a message becomes the speaker.
func Conversation(from io.Reader) (*Conversed, error) {
	raw, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("read a conversation: %w", err)
	}
	c := &Conversed{steps: make(map[int][]Step)}
	var request struct {
		Messages []json.RawMessage `json:"messages"`
	}
	switch {
	case json.Unmarshal(raw, &c.messages) == nil:
	case json.Unmarshal(raw, &request) == nil:
		c.messages, c.request = request.Messages, raw
	}
	if len(c.messages) == 0 {
		return nil, errNoConversation
	}
	open := make(map[string]place)
	for i, message := range c.messages {
		if err := c.add(message, open); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	if len(c.Turns) == 0 {
		return nil, errNoConversation
	}
	return c, nil
}

// place is the position of a tool call in steps.
type place struct{ turn, at int }

// add adds a message. open maps the ids of calls without a result so far to their
// places.
func (c *Conversed) add(raw json.RawMessage, open map[string]place) error {
	var m wireMessage
	if json.Unmarshal(raw, &m) != nil {
		return errNoConversation
	}
	at := len(c.Turns)
	for _, call := range m.Calls {
		open[call.ID] = place{at, len(c.steps[at])}
		c.steps[at] = append(c.steps[at], Step{Tool: call.Function.Name, Arguments: call.Function.Arguments})
	}
	roles := map[string]path.Role{"system": path.RoleSystem, "developer": path.RoleSystem, "user": path.RoleUser, "assistant": path.RoleAssistant}
	role, known := roles[m.Role]
	switch {
	case m.Role == "tool":
		call, called := open[m.CallID]
		if !called {
			return errNoCall
		}
		c.steps[call.turn][call.at].Result = m.text()
		return nil
	case !known:
		return fmt.Errorf("it is by %q: %w", m.Role, errRole)
	case len(m.Calls) > 0: // the text beside the calls is not part of a path
		return nil
	case m.Content == nil:
		return errNoContent
	}
	turn := path.Turn{Role: role, Parts: []path.Part{path.Text(m.text())}}
	if role == path.RoleUser {
		turn.Speaker = m.Name
	}
	c.Turns = append(c.Turns, turn)
	return nil
}

// repeats reports whether the turn with an index has the text of an answer. If the
// conversation contains tool calls before it, they must be those of the answer.
func (c *Conversed) repeats(turn int, a *Answer) bool {
	if turn >= len(c.Turns) || c.Turns[turn].Role != path.RoleAssistant {
		return false
	}
	if text := c.Turns[turn].PlainText(); text != a.Text && text != a.said {
		return false
	}
	return len(c.steps[turn]) == 0 || slices.EqualFunc(c.steps[turn], a.Steps, func(x, y Step) bool {
		return x.Tool == y.Tool && x.Arguments == y.Arguments && x.Result == y.Result
	})
}
