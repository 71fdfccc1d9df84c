package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Conversed is a conversation in the form of chat completions.
type Conversed struct {
	Turns   []path.Turn // without tool calls and their results, which are not part of a path
	request path.Hash   // of the input, if it is a whole request
}

// wireMessage is a message in the form of chat completions.
type wireMessage struct {
	Role    string          `json:"role"`
	Name    string          `json:"name"`
	Content *wireContent    `json:"content"`
	Calls   json.RawMessage `json:"tool_calls"`
}

// wireContent is the text of a message, which is a string or a list of parts.
type wireContent string

// UnmarshalJSON decodes a string or a list of parts. A picture is replaced by its
// address.
func (c *wireContent) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, (*string)(c)) == nil {
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

// Conversation reads an array of chat completion messages, or a request that contains
// one. The name of a message becomes the speaker.
func Conversation(from io.Reader) (*Conversed, error) {
	raw, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("read a conversation: %w", err)
	}
	var c Conversed
	var messages []wireMessage
	if json.Unmarshal(raw, &messages) != nil {
		var request struct {
			Messages []wireMessage `json:"messages"`
		}
		if json.Unmarshal(raw, &request) != nil {
			return nil, errNoConversation
		}
		messages, c.request = request.Messages, path.RequestHash(raw)
	}
	for i := range messages {
		if err := c.add(&messages[i]); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	if len(c.Turns) == 0 {
		return nil, errNoConversation
	}
	return &c, nil
}

// add adds the turn that a message is. The text beside tool calls is no part of a path.
func (c *Conversed) add(m *wireMessage) error {
	roles := map[string]path.Role{"system": path.RoleSystem, "developer": path.RoleSystem, "user": path.RoleUser, "assistant": path.RoleAssistant}
	role, known := roles[m.Role]
	switch {
	case m.Role == "tool" || m.Calls != nil:
		return nil
	case !known:
		return fmt.Errorf("it is by %q: %w", m.Role, errRole)
	case m.Content == nil:
		return errNoContent
	}
	turn := path.Turn{Role: role, Parts: []path.Part{path.Text(*m.Content)}}
	if role == path.RoleUser {
		turn.Speaker = m.Name
	}
	c.Turns = append(c.Turns, turn)
	return nil
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

	least int // Stored if nothing of the conversation itself is stored
}

// Any reports whether anything is stored of the conversation itself.
func (m *Matched) Any() bool { return m.Stored > m.least || m.Request != nil }

// Match finds the deepest stored node on a conversation in a scope, under any tools and
// options. If the conversation has no system prompt, Match tries every stored one.
func Match(ctx context.Context, s *store.Store, scope store.Scope, c *Conversed) (Matched, error) {
	prompts := make([]path.Hash, len(c.Turns))
	for i, turn := range c.Turns {
		prompts[i] = turn.Hash()
	}
	best := Matched{Scope: scope}
	if c.Turns[0].Role != path.RoleSystem {
		best.least = 1
	}
	best.Turns = best.least + len(prompts)
	var all []store.Response
	for r, err := range s.Archive.All(ctx, scope) {
		if err != nil {
			return Matched{}, fmt.Errorf("match in %s: %w", scope, err)
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b store.Response) int { return a.Created.Compare(b.Created) })
	for i := range all {
		r := &all[i]
		if c.asked(r) {
			best.Request = &r.ID
		}
		if r.Gone() || len(r.Prompts) < best.least {
			continue
		}
		stored := best.least + shared(r.Prompts[best.least:], prompts)
		node := r.Root
		for _, prompt := range r.Prompts[:stored] {
			node = path.Extend(node, prompt)
		}
		answers := answersTo(node, all)
		if stored > best.Stored || stored == best.Stored && len(answers) > len(best.Answers) {
			best.Stored, best.PathHash, best.Answers = stored, node, answers
		}
	}
	best.says(c.Turns[max(0, best.Stored-best.least):])
	return best, nil
}

// answersTo returns the model's answers to the path that ends at a node.
func answersTo(node path.Hash, all []store.Response) []Answer {
	answers := []Answer{}
	for i := range all {
		if r := &all[i]; r.PathHash == node && !r.Gone() && r.Original() == r.ID {
			answers = append(answers, answerOf(r))
		}
	}
	return answers
}

// says notes the turns that follow what is stored.
func (m *Matched) says(next []path.Turn) {
	m.New = saidBy(next)
	for i := range m.Answers {
		if len(next) > 0 && next[0].Role == path.RoleAssistant && next[0].PlainText() == m.Answers[i].Text {
			m.Repeats, m.New = &m.Answers[i].ID, m.New[1:]
			return
		}
	}
}

// asked reports whether the conversation is a request that led to a response.
func (c *Conversed) asked(r *store.Response) bool {
	return c.request != path.Hash{} && r.Original() == r.ID && (r.RequestHash == c.request ||
		slices.ContainsFunc(r.Requests, func(made store.Request) bool { return made.Hash == c.request }))
}

func saidBy(turns []path.Turn) []Said {
	said := make([]Said, len(turns))
	for i, turn := range turns {
		said[i] = Said{turn.Role.String(), turn.PlainText()}
	}
	return said
}

// MatchText writes as text how much of a conversation is stored.
func MatchText(w io.Writer, matched []Matched) error {
	var b strings.Builder
	for i := range matched {
		matched[i].write(&b)
	}
	if len(matched) == 0 {
		b.WriteString("Nothing of it is stored.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
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
