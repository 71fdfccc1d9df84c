// Package path turns a graph into what a model is sent: turns, oldest first, with
// the system prompt as root and the trigger last, and a tail with what changes from
// mention to mention. It also names paths: every turn, path, answer and request has
// a hash over a canonical encoding.
package path

import "strings"

// Path is the conversation as the model sees it: the system prompt first, then
// turns oldest first, the trigger last.
type Path struct {
	Turns   []Turn
	Tools   []Tool
	Options Options
}

// Hashes returns the path_hash at every turn. The last one is the path's own.
func (p Path) Hashes() []Hash {
	hashes := make([]Hash, len(p.Turns))
	parent := Root(p.Tools, p.Options)
	for i, turn := range p.Turns {
		parent = Extend(parent, turn.Hash())
		hashes[i] = parent
	}
	return hashes
}

// Hash returns the path_hash of the whole path, or its Root if it has no turns.
func (p Path) Hash() Hash {
	if hashes := p.Hashes(); len(hashes) > 0 {
		return hashes[len(hashes)-1]
	}
	return Root(p.Tools, p.Options)
}

// Options are the options of a request. Those that make an answer deterministic belong
// to the path (see Root): a temperature of exactly 0, the token limit and the
// stop sequences.
type Options struct {
	Temperature *float64 `json:"temperature,omitempty"` // nil: the provider's default
	MaxTokens   int      `json:"max_tokens,omitempty"`  // of the answer; 0: the provider's default
	Stop        []string `json:"stop,omitempty"`
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"` // JSON schema of the arguments
}

// lender begins the descriptions of tools that a server lends.
const lender = "Of the server "

// LentBy returns the description of a tool that a server lends. The name of the server holds no
// colon.
func LentBy(server, about string) string { return lender + server + ": " + about }

// Server returns the name of the server that lends the tool, "" for one of heddle's own.
func (t Tool) Server() string {
	named, lent := strings.CutPrefix(t.Description, lender)
	server, _, whole := strings.Cut(named, ": ")
	if !lent || !whole {
		return ""
	}
	return server
}
