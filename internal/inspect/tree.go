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
}

// Answer is a response to the path that ends at a node.
type Answer struct {
	ID    store.ResponseID `json:"id"`
	Model string           `json:"model"`
	// Temperature, too, distinguishes answers to one path; nil is the model's default.
	Temperature  *float64    `json:"temperature,omitempty"`
	Finish       string      `json:"finish_reason"`
	ReusedAt     []time.Time `json:"reused_at,omitempty"` // oldest first
	Created      time.Time   `json:"created"`
	ResponseHash path.Hash   `json:"response_hash"`
	// Tail is what the model read right before the last turn of the path: the background, what is recalled, the
	// day, files and notices.
	Tail    string `json:"tail,omitempty"`
	Text    string `json:"text"`
	Steps   []Step `json:"steps,omitempty"` // tool calls on the way to it
	Ratings tally  `json:"ratings"`         // what people think of it

	requests []path.Hash // of all requests on the way to it
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

func (w Wanted) fits(n *Node) bool {
	return (strings.HasPrefix(n.PromptHash.String(), w.Prompt) || strings.Contains(n.Text, w.Prompt)) &&
		strings.HasPrefix(n.PathHash.String(), w.Path)
}

// Read reads the tree of a scope.
func Read(ctx context.Context, s *store.Store, scope store.Scope, wanted Wanted) (*Tree, error) {
	g := growing{
		store: s, nodes: make(map[path.Hash]*Node), below: make(map[path.Hash][]*Node), roots: make(map[path.Hash]Root),
		reused: make(map[store.ResponseID][]time.Time),
	}
	for r, err := range s.Archive.All(ctx, scope) {
		if err == nil {
			err = g.add(ctx, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("read the tree of %s: %w", scope, err)
		}
	}
	ratings, err := s.Ratings.Of(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("read the tree of %s: %w", scope, err)
	}
	for _, n := range g.nodes {
		for i := range n.Answers {
			a := &n.Answers[i]
			a.ReusedAt, a.Ratings = g.reused[a.ID], tallyOf(ratings[a.ID])
			slices.SortFunc(a.ReusedAt, time.Time.Compare)
		}
		slices.SortFunc(n.Answers, func(a, b Answer) int {
			return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID.String(), b.ID.String()))
		})
	}
	return g.tree(scope, wanted), nil
}

// growing is a tree that is being read.
type growing struct {
	store     *store.Store
	nodes     map[path.Hash]*Node
	below     map[path.Hash][]*Node // by parent
	roots     map[path.Hash]Root
	reused    map[store.ResponseID][]time.Time
	responses []store.Response
}

// add adds a response, with everything that the tree shows of it. The verify command reports
// what is damaged.
func (g *growing) add(ctx context.Context, r *store.Response) error {
	if err := g.addRoot(ctx, r); err != nil {
		return err
	}
	turns, err := g.store.Responses.Turns(ctx, *r)
	switch {
	case errors.Is(err, store.ErrCorrupt):
		turns = []path.Turn{{Parts: []path.Part{path.Text("(damaged)")}}}
	case err != nil:
		return fmt.Errorf("read a path: %w", err)
	}
	r.Prompts = path.Prompts(turns)
	g.responses = append(g.responses, *r)
	last, parent := (*Node)(nil), r.Root
	for i, prompt := range r.Prompts {
		hash := path.Extend(parent, prompt)
		n, known := g.nodes[hash]
		if !known {
			turn := turns[i]
			n = &Node{
				PathHash: hash, Parent: parent, PromptHash: prompt,
				Role: turn.Role.String(), Speaker: turn.Speaker, Text: turn.PlainText(),
			}
			g.nodes[hash], g.below[parent] = n, append(g.below[parent], n)
		}
		parent, last = hash, n
	}
	switch {
	case r.Original() != r.ID:
		g.reused[r.Original()] = append(g.reused[r.Original()], r.Reused)
	case last != nil:
		last.Answers = append(last.Answers, answerOf(r))
	}
	return nil
}

func answerOf(r *store.Response) Answer {
	requests := []path.Hash{r.RequestHash}
	for _, made := range r.Requests {
		requests = append(requests, made.Hash)
	}
	return Answer{
		requests: requests, ID: r.ID, Model: r.Model, Temperature: r.Options.Temperature, Finish: r.FinishReason,
		Created: r.Created, ResponseHash: r.ResponseHash, Tail: r.Tail, Text: r.Text, Steps: stepsOf(r),
	}
}

// addRoot adds the root of a path, unless it is known.
func (g *growing) addRoot(ctx context.Context, r *store.Response) error {
	if _, known := g.roots[r.Root]; known {
		return nil
	}
	tools, err := g.store.Responses.Tools(ctx, *r)
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return fmt.Errorf("read the tools of a path: %w", err)
	}
	root := Root{Hash: r.Root, Tools: []string{}, Options: r.Options}
	for _, tool := range tools {
		root.Tools = append(root.Tools, tool.Name)
	}
	g.roots[r.Root] = root
	return nil
}

// tree returns the wanted part of the tree.
func (g *growing) tree(scope store.Scope, wanted Wanted) *Tree {
	t := &Tree{Scope: scope, Roots: []Root{}, Nodes: []*Node{}, Versions: versionsOf(g.responses)}
	roots := make([]path.Hash, 0, len(g.roots))
	for hash := range g.roots {
		roots = append(roots, hash)
	}
	slices.SortFunc(roots, func(a, b path.Hash) int { return strings.Compare(a.String(), b.String()) })
	for _, root := range roots {
		if g.visit(root, wanted, false, &t.Nodes) {
			t.Roots = append(t.Roots, g.roots[root])
		}
	}
	shown := make(map[store.ResponseID]bool)
	for _, n := range t.Nodes {
		for i := range n.Answers {
			shown[n.Answers[i].ID] = true
		}
	}
	t.Versions = slices.DeleteFunc(t.Versions, func(v Version) bool { return !shown[v.Old] && !shown[v.New] })
	return t
}

// visit adds the wanted nodes below a node or a root, each before those that grow from
// it, and reports whether there are any. All nodes below a wanted one are wanted.
func (g *growing) visit(parent path.Hash, wanted Wanted, all bool, nodes *[]*Node) (found bool) {
	below := g.below[parent]
	slices.SortFunc(below, func(a, b *Node) int { return strings.Compare(a.PathHash.String(), b.PathHash.String()) })
	for _, n := range below {
		at, fits := len(*nodes), all || wanted.fits(n)
		*nodes = append(*nodes, n)
		if !g.visit(n.PathHash, wanted, fits, nodes) && !fits {
			*nodes = (*nodes)[:at]
			continue
		}
		found = true
	}
	return found
}

// Version is an edge from a path to another that took its place from some turn on, as
// something was edited, inserted or left out.
type Version struct {
	Old  store.ResponseID `json:"old"`
	New  store.ResponseID `json:"new"`
	Why  string           `json:"why"`  // one of the reasons below
	From int              `json:"from"` // the number of turns that both paths share
}

// The reasons of versions.
const (
	whyEdit      = "edit"      // one answer replaced another after an edit of their question
	whyContinued = "continued" // the answer continues one whose path has changed
)

// title returns a sentence about a version.
func (v *Version) title() string {
	how := map[string]string{whyEdit: "took the place of", whyContinued: "goes on, with other turns, from"}
	return fmt.Sprintf("%s: answer %s %s %s, from turn %d on", v.Why, short(v.New), how[v.Why], short(v.Old), v.From+1)
}

// versionsOf returns the versions of responses, oldest question first.
func versionsOf(responses []store.Response) []Version {
	answers := byQuestion(responses)
	replaced := replacedBy(answers)
	byID := make(map[store.ResponseID]store.Response)
	for _, r := range answers {
		byID[r.ID] = r
	}
	versions := []Version{}
	add := func(why string, older, newer store.Response) {
		from := 0
		if older.Root == newer.Root {
			from = shared(older.Prompts, newer.Prompts)
		}
		if from < len(older.Prompts) {
			versions = append(versions, Version{older.Original(), newer.Original(), why, from})
		}
	}
	for _, newer := range answers {
		add(whyEdit, replaced[newer.ID], newer)
		if newer.Original() == newer.ID {
			add(whyContinued, byID[newer.Continues], newer)
		}
	}
	return versions
}

// shared returns how many turns two paths share.
func shared(a, b []path.Hash) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// byQuestion returns the answers among responses, by question, by version of the question,
// and by when they were given.
func byQuestion(responses []store.Response) []store.Response {
	answers := slices.DeleteFunc(slices.Clone(responses), func(r store.Response) bool { return !r.IsAnswer() || r.Gone() })
	slices.SortStableFunc(answers, func(a, b store.Response) int {
		return cmp.Or(cmp.Compare(a.Trigger, b.Trigger), cmp.Compare(a.Generation, b.Generation), store.Given(&a).Compare(store.Given(&b)))
	})
	return answers
}

// replacedBy maps the first answer to each version of a question to the first answer to the
// version before. The answers are those of byQuestion.
func replacedBy(answers []store.Response) map[store.ResponseID]store.Response {
	replaced := make(map[store.ResponseID]store.Response)
	var first store.Response
	for _, r := range answers {
		if first.Trigger == r.Trigger && first.Generation == r.Generation {
			continue
		}
		if first.Trigger == r.Trigger {
			replaced[r.ID] = first
		}
		first = r
	}
	return replaced
}
