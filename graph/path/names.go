package path

import (
	"maps"
	"strconv"
	"strings"

	"heddle/graph"
)

// Names are the names that were given in a conversation, each to one speaker. They
// belong to one goroutine.
type Names struct {
	naming Naming
	given  map[speaker]string
	taken  map[string]bool
	last   map[string]int // the last number behind a name with a mark
}

// speaker is somebody who needs a name of their own. The users of one webhook differ in
// their names alone.
type speaker struct {
	author graph.UserID
	name   string // of a webhook's user, or of somebody unknown
}

// nobody is the name of those who have none.
const nobody = "somebody"

// Names returns names of which none is given yet.
func (n Naming) Names() *Names {
	return &Names{naming: n, given: make(map[speaker]string), taken: make(map[string]bool), last: make(map[string]int)}
}

// Clone returns a copy, for another goroutine.
func (n *Names) Clone() *Names {
	return &Names{n.naming, maps.Clone(n.given), maps.Clone(n.taken), maps.Clone(n.last)}
}

// Meet names the authors of messages, in this order.
func (n *Names) Meet(messages []graph.Message) {
	for i := range messages {
		n.Of(&messages[i])
	}
}

// Of returns the name of a message's author: the one frozen with the author's first
// message, with a mark for a bot or a webhook, and numbered where it looks like another's.
// Numbers go by first appearance, so that further messages rename nobody.
func (n *Names) Of(m *graph.Message) string {
	who := speaker{author: m.Author}
	if m.Origin == graph.OriginWebhook || m.Author == 0 {
		who.name = m.Name
	}
	if name, known := n.given[who]; known {
		return name
	}
	base := strings.TrimSpace(validText(m.Name))
	if base == "" {
		base = nobody
	}
	mark := n.naming.mark(m, base)
	name := marked(base, mark)
	first := n.keys(base, name)[0]
	for number := max(2, n.last[first]+1); n.isTaken(base, name); number++ {
		name = marked(base, strings.TrimSpace(mark+" "+strconv.Itoa(number)))
		n.last[first] = number
	}
	n.given[who] = name
	for _, key := range n.keys(base, name) {
		n.taken[key] = true
	}
	return name
}

// marked returns a name with a mark behind it, if there is one.
func marked(name, mark string) string {
	if mark == "" {
		return name
	}
	return name + " (" + mark + ")"
}

func (n *Names) isTaken(base, name string) bool {
	for _, key := range n.keys(base, name) {
		if n.taken[key] {
			return true
		}
	}
	return false
}

// keys returns what no two names have in common: how a name is written and, unless it
// is made of symbols alone, how it looks.
func (n *Names) keys(base, name string) []string {
	keys := []string{"written " + strings.ToLower(name)}
	if n.naming.folded(base) != "" {
		keys = append(keys, "looks "+n.naming.folded(name))
	}
	return keys
}
