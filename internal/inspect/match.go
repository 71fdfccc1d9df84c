package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"heddle/graph/path"
	"heddle/store"
)

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
	// Request is the stored request that begins like the conversation, or nil.
	Request *Sent `json:"request,omitempty"`

	system bool // Turns and Stored include a stored system prompt, because the conversation has none
}

// Any reports whether anything is stored of the conversation itself.
func (m *Matched) Any() bool {
	given := m.Stored
	if m.system {
		given--
	}
	return given > 0 || m.Request != nil
}

// Match finds the deepest stored node on a conversation in a scope, under any tools and
// options, and the stored request that matches the conversation best. If the
// conversation has no system prompt, Match tries every stored one.
func Match(ctx context.Context, s *store.Store, scope store.Scope, c *Conversed) (Matched, error) {
	roots, sent, err := c.survey(ctx, s, scope)
	if err != nil {
		return Matched{}, fmt.Errorf("match in %s: %w", scope, err)
	}
	best := Matched{Scope: scope, Turns: len(c.Turns), Answers: []Answer{}, New: saidBy(c.Turns)}
	best.Request = sent
	for _, p := range roots {
		system := c.Turns[0].Role != path.RoleSystem
		if !system {
			p.Turns = nil
		}
		p.Turns = append(p.Turns, c.Turns...)
		m, err := s.Archive.Match(ctx, scope, p)
		if err != nil {
			return Matched{}, err
		}
		if m.Stored < best.Stored || m.Stored == best.Stored && len(m.Responses) <= len(best.Answers) {
			continue
		}
		best = Matched{
			Scope: scope, Turns: len(p.Turns), Stored: m.Stored, PathHash: m.Node, Answers: answersOf(m.Responses),
			New: saidBy(m.New), Request: sent, system: system,
		}
	}
	best.verify(c)
	return best, nil
}

// verify compares the first turn that is not stored with the answers to the path before
// it.
func (m *Matched) verify(c *Conversed) {
	for i := range m.Answers {
		if c.repeats(len(c.Turns)-len(m.New), &m.Answers[i]) {
			m.Repeats, m.New = &m.Answers[i].ID, m.New[1:]
			return
		}
	}
}

// survey walks the responses of a scope once. It returns the beginnings of their paths,
// and the request that shares most messages with the conversation. The request is nil
// if none shares more than the system prompt.
func (c *Conversed) survey(ctx context.Context, s *store.Store, scope store.Scope) ([]path.Path, *Sent, error) {
	given, err := readings(c.messages)
	if err != nil {
		return nil, nil, err
	}
	roots := beginnings{known: make(map[beginning]bool)}
	requests := candidates{conversation: c, given: given, asked: path.RequestHash(c.request)}
	for r, err := range s.Archive.All(ctx, scope) {
		if err == nil {
			err = errors.Join(roots.add(ctx, s, &r), requests.add(ctx, s, &r))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return roots.paths, requests.best, nil
}

// beginnings is the set of beginnings of paths: each combination of tools, options and
// system prompt.
type beginnings struct {
	known map[beginning]bool
	paths []path.Path
}

type beginning struct{ root, prompt path.Hash }

// add adds the beginning of a response's path, unless it is known.
func (b *beginnings) add(ctx context.Context, s *store.Store, r *store.Response) error {
	if r.Gone() || len(r.Prompts) == 0 || b.known[beginning{r.Root, r.Prompts[0]}] {
		return nil
	}
	b.known[beginning{r.Root, r.Prompts[0]}] = true
	tools, err := s.Responses.Tools(ctx, *r)
	if err != nil {
		return err
	}
	first := *r
	first.Prompts = r.Prompts[:1]
	turns, err := s.Responses.Turns(ctx, first)
	if err != nil {
		return err
	}
	b.paths = append(b.paths, path.Path{Turns: turns, Tools: tools, Options: r.Options})
	return nil
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

// write writes how much is stored in one scope: turns, requests and answers, and then
// what is new.
func (m *Matched) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %d of %d turns are stored", m.Scope, m.Stored, m.Turns)
	if m.Stored > 0 {
		fmt.Fprintf(b, ", up to %s", m.PathHash.String()[:shortHash])
	}
	b.WriteString("\n")
	if sent := m.Request; sent != nil {
		which := sent.Response.String()[:shortHash]
		if sent.Exact {
			fmt.Fprintf(b, "  this is, byte for byte, the request of answer %s\n", which)
		} else {
			fmt.Fprintf(b, "  the request of answer %s begins with %d of its messages and has %d\n", which, sent.Messages, sent.Of)
		}
	}
	for i := range m.Answers {
		fmt.Fprintf(b, "  %s\n", m.Answers[i].title(i, len(m.Answers)))
	}
	if m.Repeats != nil {
		fmt.Fprintf(b, "  the next turn is answer %s\n", m.Repeats.String()[:shortHash])
	}
	for _, said := range m.New {
		fmt.Fprintf(b, "  new: %s: %s\n", said.Role, oneLine(said.Text))
	}
}
