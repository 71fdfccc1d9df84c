package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heddle/graph/path"
	"heddle/store"
)

var (
	errNoConversation = errors.New(`a conversation is a JSON array of messages like {"role":"user","name":"ann","content":"hi"}, or a request that holds one`)
	errRole           = errors.New("a message's role is system, developer, user, assistant or tool")
	errNoContent      = errors.New("it has neither content nor tool calls")
)

// Conversation is a conversation in the form of chat completions.
type Conversation struct {
	turns   []path.Turn // without tool calls and their results, which are not part of a path
	request path.Hash   // of the input as a whole request
}

// wireMessage is a message in the form of chat completions.
type wireMessage struct {
	Role    string          `json:"role"`
	Name    string          `json:"name"`
	Content json.RawMessage `json:"content"`
	Calls   json.RawMessage `json:"tool_calls"`
}

// ParseConversation returns the conversation that an array of chat completion messages is,
// or a request that contains one. The name of a message becomes the speaker.
func ParseConversation(raw []byte) (*Conversation, error) {
	var request struct {
		Messages []wireMessage `json:"messages"`
	}
	if json.Unmarshal(raw, &request.Messages) != nil && json.Unmarshal(raw, &request) != nil {
		return nil, errNoConversation
	}
	c := &Conversation{request: path.RequestHash(raw)}
	for i := range request.Messages {
		if err := c.add(&request.Messages[i]); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	if len(c.turns) == 0 {
		return nil, errNoConversation
	}
	return c, nil
}

// add adds the turn that a message is. The text beside tool calls is no part of a path.
func (c *Conversation) add(m *wireMessage) error {
	roles := map[string]path.Role{"system": path.RoleSystem, "developer": path.RoleSystem, "user": path.RoleUser, "assistant": path.RoleAssistant}
	role, known := roles[m.Role]
	switch {
	case m.Role == "tool" || m.Calls != nil:
		return nil
	case !known:
		return fmt.Errorf("it is by %q: %w", m.Role, errRole)
	}
	text, err := m.text()
	if err != nil {
		return err
	}
	turn := path.Turn{Role: role, Parts: []path.Part{path.Text(text)}}
	if role == path.RoleUser {
		turn.Speaker = m.Name
	}
	c.turns = append(c.turns, turn)
	return nil
}

// text returns what a message says: its content is a string, or a list of parts.
func (m *wireMessage) text() (string, error) {
	var text string
	switch {
	case m.Content == nil || string(m.Content) == "null":
		return "", errNoContent
	case json.Unmarshal(m.Content, &text) == nil:
		return text, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return "", errNoConversation
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = parts[i].Text
	}
	return strings.Join(texts, "\n"), nil
}

// Matched describes how much of a conversation is stored in a scope.
type Matched struct {
	Scope  store.Scope `json:"scope"`
	Turns  int         `json:"turns"`  // in the conversation, including the system prompt
	Stored int         `json:"stored"` // turns stored, counted from the first
	// PathHash is the deepest stored node, and Answers holds the answers to the path up
	// to it.
	PathHash path.Hash `json:"path_hash"`
	Answers  []Answer  `json:"answers"` // oldest first
	// Repeats is the answer among Answers that the next turn repeats, or nil.
	Repeats *store.ResponseID `json:"repeats,omitempty"`
	New     []Said            `json:"new"` // the turns below that node, without one that repeats an answer
	// Request is the answer whose request the conversation is, byte for byte, or nil.
	Request *store.ResponseID `json:"request,omitempty"`
}

// Match returns how much of a conversation each tree holds, without the trees that hold
// nothing of it.
func Match(trees []*Tree, c *Conversation) []*Matched {
	var all []*Matched
	for _, t := range trees {
		if m := t.match(c); m != nil {
			all = append(all, m)
		}
	}
	return all
}

// match walks down from every root to the deepest node on a conversation. Any system prompt
// is on one that has none. It returns nil if there is nothing else of it.
func (t *Tree) match(c *Conversation) *Matched {
	turns, free := c.turns, 0
	if turns[0].Role != path.RoleSystem {
		turns, free = append([]path.Turn{{}}, turns...), 1
	}
	prompts := make([]path.Hash, len(turns))
	for i := range turns {
		prompts[i] = turns[i].Hash()
	}
	m := &Matched{Scope: t.Scope, Turns: len(turns), Answers: []Answer{}}
	depths := make(map[path.Hash]int) // of the roots and of the nodes on the conversation
	for _, root := range t.Roots {
		depths[root.Hash] = 0
	}
	for _, n := range t.Nodes {
		for i := range n.Answers {
			if slices.Contains(n.Answers[i].requests, c.request) {
				m.Request = &n.Answers[i].ID
			}
		}
		depth, on := depths[n.Parent]
		if !on || depth == len(turns) || depth >= free && n.PromptHash != prompts[depth] {
			continue
		}
		depth++
		depths[n.PathHash] = depth
		if depth > m.Stored || depth == m.Stored && len(n.Answers) > len(m.Answers) {
			m.Stored, m.PathHash, m.Answers = depth, n.PathHash, append([]Answer{}, n.Answers...)
		}
	}
	if m.Stored <= free && m.Request == nil {
		return nil
	}
	next := turns[max(m.Stored, free):]
	m.New = saidBy(next)
	for i := range m.Answers {
		if len(next) > 0 && next[0].Role == path.RoleAssistant && next[0].PlainText() == m.Answers[i].Text {
			m.Repeats, m.New = &m.Answers[i].ID, m.New[1:]
			break
		}
	}
	return m
}

// write writes how much is stored in one scope: turns, the request and answers, and then
// what is new.
func (m *Matched) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %d of %d turns are stored", m.Scope, m.Stored, m.Turns)
	if m.Stored > 0 {
		fmt.Fprintf(b, ", up to %s", short(m.PathHash))
	}
	b.WriteString("\n")
	if m.Request != nil {
		fmt.Fprintf(b, "  this is, byte for byte, the request of answer %s\n", short(m.Request))
	}
	for i := range m.Answers {
		fmt.Fprintf(b, "  %s\n", m.Answers[i].title(i, len(m.Answers)))
	}
	if m.Repeats != nil {
		fmt.Fprintf(b, "  the next turn is answer %s\n", short(m.Repeats))
	}
	for _, said := range m.New {
		fmt.Fprintf(b, "  new: %s: %s\n", said.Role, oneLine(said.Text))
	}
}
