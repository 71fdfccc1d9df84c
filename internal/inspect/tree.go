package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/graph/path"
	"heddle/store"
)

// Tree holds the paths stored in a scope, with their answers.
type Tree struct {
	Scope    store.Scope `json:"scope"`
	Roots    []Root      `json:"roots"`    // the parents of the first nodes
	Nodes    []*Node     `json:"nodes"`    // a node comes before those that grow from it
	Versions []Version   `json:"versions"` // oldest first
	Use      Use         `json:"use"`
}

// Node is a turn on one or more paths.
type Node struct {
	PathHash   path.Hash `json:"path_hash"`
	Parent     path.Hash `json:"parent"` // a node's path_hash, or that of tools and options
	PromptHash path.Hash `json:"prompt_hash"`
	Role       string    `json:"role"`
	Speaker    string    `json:"speaker,omitempty"`
	Text       string    `json:"text"`
	Answers    []Answer  `json:"answers,omitempty"` // alternatives, oldest first

	children []*Node
	found    bool // it matches what is wanted
}

// Answer is a response to the path that ends at a node.
type Answer struct {
	ID    store.ResponseID `json:"id"`
	Model string           `json:"model"`
	// Temperature, too, distinguishes answers to one path; nil is the model's default.
	Temperature *float64 `json:"temperature,omitempty"`
	Finish      string   `json:"finish_reason"`
	Generation  int      `json:"generation,omitempty"`
	Sampled     int      `json:"sampled"` // how often the model gave this answer
	Reused      int      `json:"reused"`  // how often the answer was reused
	// ReusedAt holds the times at which it was reused, oldest first.
	ReusedAt     []time.Time `json:"reused_at,omitempty"`
	Created      time.Time   `json:"created"`
	ResponseHash path.Hash   `json:"response_hash"`
	Text         string      `json:"text"`
	Steps        []Step      `json:"steps,omitempty"` // tool calls on the way to it
	Ratings      tally       `json:"ratings"`         // what people think of it

	ratings []store.Rating
	said    string // the model's whole text, including parts that people do not read
}

// Root is the root of paths: the tools that the model could call, and its options.
type Root struct {
	Hash    path.Hash    `json:"root_hash"`
	Tools   []string     `json:"tools"` // their names
	Options path.Options `json:"options"`
}

// Wanted restricts the tree to some nodes, with everything above and below them. The
// zero Wanted keeps all.
type Wanted struct {
	Prompt string // the node's prompt_hash, its beginning, or a part of the turn's text
	Path   string // the node's path_hash, or its beginning
}

func (w Wanted) all() bool { return w == Wanted{} }

func (w Wanted) fits(n *Node) bool {
	return (strings.HasPrefix(n.PromptHash.String(), w.Prompt) || strings.Contains(n.Text, w.Prompt)) &&
		strings.HasPrefix(n.PathHash.String(), w.Path)
}

// in reports whether a scope may contain what is wanted. If whole hashes are given, it
// asks the store's index, so that other scopes need not be read.
func (w Wanted) in(ctx context.Context, s *store.Store, scope store.Scope) (bool, error) {
	var hash path.Hash
	if hash.UnmarshalText([]byte(w.Path)) == nil {
		return s.Archive.HasPath(ctx, scope, hash)
	}
	if hash.UnmarshalText([]byte(w.Prompt)) == nil {
		nodes, err := s.Archive.ByPrompt(ctx, scope, hash)
		return len(nodes) > 0, err
	}
	return true, nil
}

// Read reads the tree of a scope.
func Read(ctx context.Context, s *store.Store, scope store.Scope, wanted Wanted) (Tree, error) {
	if held, err := wanted.in(ctx, s, scope); err != nil || !held {
		return Tree{Scope: scope}, err
	}
	g := growing{
		nodes: make(map[path.Hash]*Node), origins: make(map[path.Hash]Root), turns: make(map[path.Hash]path.Turn),
		reused: make(map[store.ResponseID][]time.Time),
	}
	for r, err := range s.Archive.All(ctx, scope) {
		if err != nil {
			return Tree{}, fmt.Errorf("read the tree of %s: %w", scope, err)
		}
		if err := g.add(ctx, s, &r); err != nil {
			return Tree{}, fmt.Errorf("read the tree of %s: %w", scope, err)
		}
	}
	ratings, err := s.Ratings.Of(ctx, scope)
	if err != nil {
		return Tree{}, fmt.Errorf("read the tree of %s: %w", scope, err)
	}
	stands := make(map[store.ResponseID]store.ResponseID)
	for _, n := range g.nodes {
		for i := range n.Answers {
			a := &n.Answers[i]
			a.ReusedAt, a.ratings = g.reused[a.ID], ratings[a.ID]
		}
		slices.SortFunc(n.Answers, func(a, b Answer) int {
			return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID.String(), b.ID.String()))
		})
		n.Answers = distinct(n.Answers, stands)
		for i := range n.Answers {
			a := &n.Answers[i]
			slices.SortFunc(a.ReusedAt, time.Time.Compare)
			a.Reused, a.Ratings = len(a.ReusedAt), tallyOf(a.ratings)
		}
	}
	t := Tree{Scope: scope, Nodes: g.ordered(wanted), Versions: g.versions(), Use: useOf(g.responses)}
	t.Roots = g.rootsOf(t.Nodes)
	for i := range t.Versions {
		v := &t.Versions[i]
		v.Old, v.New = standsFor(stands, v.Old), standsFor(stands, v.New)
	}
	if !wanted.all() {
		t.keepVersions()
	}
	return t, nil
}

// growing is a tree that is being read.
type growing struct {
	nodes     map[path.Hash]*Node
	roots     []*Node
	turns     map[path.Hash]path.Turn
	origins   map[path.Hash]Root
	reused    map[store.ResponseID][]time.Time
	responses []store.Response
}

// add adds a response, with everything that the tree shows of it.
func (g *growing) add(ctx context.Context, s *store.Store, r *store.Response) error {
	if r.Original() != r.ID {
		g.reused[r.Original()] = append(g.reused[r.Original()], r.Reused)
	}
	if err := g.learn(ctx, s, r); err != nil {
		return err
	}
	if err := g.originate(ctx, s, r); err != nil {
		return err
	}
	g.responses = append(g.responses, *r)
	if last := g.grow(r); last != nil && r.Original() == r.ID {
		last.Answers = append(last.Answers, answerOf(r))
	}
	return nil
}

// grow adds the nodes of a response's path that the tree does not have yet, and returns
// the last node of the path; nil for an empty path.
func (g *growing) grow(r *store.Response) *Node {
	parent := r.Root
	var last *Node
	for _, prompt := range r.Prompts {
		hash := path.Extend(parent, prompt)
		n, known := g.nodes[hash]
		if !known {
			turn := g.turns[prompt]
			n = &Node{
				PathHash: hash, Parent: parent, PromptHash: prompt,
				Role: turn.Role.String(), Speaker: turn.Speaker, Text: turn.PlainText(),
			}
			g.nodes[hash] = n
			if last != nil {
				last.children = append(last.children, n)
			} else {
				g.roots = append(g.roots, n)
			}
		}
		parent, last = hash, n
	}
	return last
}

func answerOf(r *store.Response) Answer {
	return Answer{
		ID: r.ID, Sampled: 1, Model: r.Model, Temperature: r.Options.Temperature, Finish: r.FinishReason, Generation: r.Generation,
		Created: r.Created, ResponseHash: r.ResponseHash, Text: r.Text, Steps: stepsOf(r), said: r.Said(),
	}
}

// originate records the root of a path.
func (g *growing) originate(ctx context.Context, s *store.Store, r *store.Response) error {
	if _, known := g.origins[r.Root]; known {
		return nil
	}
	tools, err := s.Responses.Tools(ctx, *r)
	if err != nil && !errors.Is(err, store.ErrCorrupt) { // the verify command reports what is damaged
		return fmt.Errorf("read the tools of a path: %w", err)
	}
	root := Root{Hash: r.Root, Tools: []string{}, Options: r.Options}
	for _, tool := range tools {
		root.Tools = append(root.Tools, tool.Name)
	}
	g.origins[r.Root] = root
	return nil
}

// rootsOf returns the roots that nodes grow from, in the order of the nodes.
func (g *growing) rootsOf(nodes []*Node) []Root {
	roots := []Root{}
	seen := make(map[path.Hash]bool)
	for _, n := range nodes {
		if root, is := g.origins[n.Parent]; is && !seen[n.Parent] {
			seen[n.Parent] = true
			roots = append(roots, root)
		}
	}
	return roots
}

// learn reads the turns of a path unless all of them are known.
func (g *growing) learn(ctx context.Context, s *store.Store, r *store.Response) error {
	unknown := func(prompt path.Hash) bool { _, known := g.turns[prompt]; return !known }
	if !slices.ContainsFunc(r.Prompts, unknown) {
		return nil
	}
	turns, err := s.Responses.Turns(ctx, *r)
	switch {
	case errors.Is(err, store.ErrCorrupt): // the verify command reports it
		turns = slices.Repeat([]path.Turn{{Parts: []path.Part{path.Text("(damaged)")}}}, len(r.Prompts))
	case err != nil:
		return fmt.Errorf("read a path: %w", err)
	}
	for i, turn := range turns {
		g.turns[r.Prompts[i]] = turn
	}
	return nil
}

// ordered returns the wanted nodes, each before those that grow from it.
func (g *growing) ordered(wanted Wanted) []*Node {
	nodes := []*Node{}
	var visit func(n *Node, below bool) bool
	visit = func(n *Node, below bool) bool {
		at := len(nodes)
		nodes = append(nodes, n)
		n.found = wanted.fits(n)
		shown := below || n.found
		slices.SortFunc(n.children, func(a, b *Node) int { return strings.Compare(a.PathHash.String(), b.PathHash.String()) })
		for _, child := range n.children {
			if visit(child, below || n.found) {
				shown = true
			}
		}
		if !shown {
			nodes = nodes[:at]
		}
		return shown
	}
	slices.SortFunc(g.roots, func(a, b *Node) int {
		return cmp.Or(strings.Compare(a.Parent.String(), b.Parent.String()), strings.Compare(a.PathHash.String(), b.PathHash.String()))
	})
	for _, root := range g.roots {
		visit(root, false)
	}
	return nodes
}
