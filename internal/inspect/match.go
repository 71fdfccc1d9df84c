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

// Matched is how much of a conversation is stored in a scope.
type Matched struct {
	Scope  store.Scope `json:"scope"`
	Turns  int         `json:"turns"`  // in the conversation, including the system prompt
	Stored int         `json:"stored"` // turns stored, counted from the first
	// PathHash is the deepest stored node, and Answers are the answers to the path up
	// to it.
	PathHash path.Hash `json:"path_hash"`
	Answers  []Answer  `json:"answers"` // oldest first
	New      []Said    `json:"new"`     // the turns below that node
}

var (
	errNoConversation = errors.New(`a conversation is a JSON array of messages like {"role":"user","name":"ann","content":"hi"}`)
	errRole           = errors.New("a message's role is system, user or assistant")
)

// Conversation reads an array of chat completion messages as the turns of a path. A
// message's name becomes the speaker.
func Conversation(from io.Reader) ([]path.Turn, error) {
	var messages []struct {
		Role    string  `json:"role"`
		Name    string  `json:"name"`
		Content *string `json:"content"`
	}
	if err := json.NewDecoder(from).Decode(&messages); err != nil || len(messages) == 0 {
		return nil, errNoConversation
	}
	roles := map[string]path.Role{"system": path.RoleSystem, "user": path.RoleUser, "assistant": path.RoleAssistant}
	turns := make([]path.Turn, len(messages))
	for i, m := range messages {
		role, known := roles[m.Role]
		switch {
		case m.Content == nil:
			return nil, fmt.Errorf("message %d: %w", i+1, errNoConversation)
		case !known:
			return nil, fmt.Errorf("message %d is by %q: %w", i+1, m.Role, errRole)
		}
		turns[i] = path.Turn{Role: role, Parts: []path.Part{path.Text(*m.Content)}}
		if role == path.RoleUser {
			turns[i].Speaker = m.Name
		}
	}
	return turns, nil
}

// Match finds the deepest stored node on a conversation in a scope, under any tools and
// options. Without a system prompt it tries every stored one.
func Match(ctx context.Context, s *store.Store, scope store.Scope, turns []path.Turn) (Matched, error) {
	roots, err := rootsOf(ctx, s, scope)
	if err != nil {
		return Matched{}, fmt.Errorf("match in %s: %w", scope, err)
	}
	best := Matched{Scope: scope, Turns: len(turns), Answers: []Answer{}, New: saidBy(turns)}
	for _, p := range roots {
		if turns[0].Role == path.RoleSystem {
			p.Turns = nil
		}
		p.Turns = append(p.Turns, turns...)
		m, err := s.Archive.Match(ctx, scope, p)
		if err != nil {
			return Matched{}, err
		}
		if m.Stored < best.Stored || m.Stored == best.Stored && len(m.Responses) <= len(best.Answers) {
			continue
		}
		best = Matched{Scope: scope, Turns: len(p.Turns), Stored: m.Stored, PathHash: m.Node, Answers: answersOf(m.Responses), New: saidBy(m.New)}
	}
	return best, nil
}

// rootsOf returns the beginnings of the paths of a scope: tools, options and system
// prompt, each combination once.
func rootsOf(ctx context.Context, s *store.Store, scope store.Scope) ([]path.Path, error) {
	type start struct{ root, prompt path.Hash }
	known := make(map[start]bool)
	var roots []path.Path
	for r, err := range s.Archive.All(ctx, scope) {
		if err != nil {
			return nil, err
		}
		if r.Gone() || len(r.Prompts) == 0 || known[start{r.Root, r.Prompts[0]}] {
			continue
		}
		known[start{r.Root, r.Prompts[0]}] = true
		tools, err := s.Responses.Tools(ctx, r)
		if err != nil {
			return nil, err
		}
		first := r
		first.Prompts = r.Prompts[:1]
		turns, err := s.Responses.Turns(ctx, first)
		if err != nil {
			return nil, err
		}
		roots = append(roots, path.Path{Turns: turns, Tools: tools, Options: r.Options})
	}
	return roots, nil
}

func answersOf(responses []store.Response) []Answer {
	answers := make([]Answer, len(responses))
	for i := range responses {
		answers[i] = answerOf(&responses[i])
	}
	slices.Reverse(answers) // the store returns the newest first
	return distinct(answers, make(map[store.ResponseID]store.ResponseID))
}

func saidBy(turns []path.Turn) []Said {
	said := make([]Said, len(turns))
	for i, turn := range turns {
		said[i] = Said{roleName(turn.Role), turn.PlainText()}
	}
	return said
}

// MatchText writes for people how much of a conversation is stored.
func MatchText(w io.Writer, matched []Matched) error {
	var b strings.Builder
	for _, m := range matched {
		fmt.Fprintf(&b, "%s: %d of %d turns are stored", m.Scope, m.Stored, m.Turns)
		if m.Stored > 0 {
			fmt.Fprintf(&b, ", up to %s", m.PathHash.String()[:shortHash])
		}
		b.WriteString("\n")
		for i := range m.Answers {
			fmt.Fprintf(&b, "  %s\n", m.Answers[i].title(i, len(m.Answers)))
		}
		for _, said := range m.New {
			fmt.Fprintf(&b, "  new: %s: %s\n", said.Role, oneLine(said.Text))
		}
	}
	if len(matched) == 0 {
		b.WriteString("Nothing of it is stored.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
