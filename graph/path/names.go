package path

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
)

// Names are the names that speakers have in a conversation, no two alike. They may be
// used by one goroutine at a time.
type Names struct {
	naming Naming
	given  map[speaker]string
	taken  map[likeness]bool
	last   map[likeness]int // the last number behind a name with a mark
}

// likeness is what the names of two speakers must not share: the spelling in lower
// case, or the appearance, folded.
type likeness struct {
	text  string
	looks bool
}

// speaker is somebody who needs a name of their own. Users of one webhook differ only
// in their names.
type speaker struct {
	author graph.UserID
	name   string // of a webhook's user, or of somebody unknown
}

// nobody is the name of speakers without one.
const nobody = "somebody"

// Names returns Names that hold no names yet.
func (n Naming) Names() *Names {
	return &Names{naming: n, given: make(map[speaker]string), taken: make(map[likeness]bool), last: make(map[likeness]int)}
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
	looks := n.naming.folded(base)
	mark := n.naming.mark(m, base, looks)
	name := marked(base, mark)
	alike := n.likenesses(base, looks, name)
	first := alike[0]
	for number := max(2, n.last[first]+1); n.isTaken(alike); number++ {
		name = marked(base, strings.TrimSpace(mark+" "+strconv.Itoa(number)))
		alike = n.likenesses(base, looks, name)
		n.last[first] = number
	}
	n.given[who] = name
	for _, one := range alike {
		n.taken[one] = true
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

func (n *Names) isTaken(alike []likeness) bool {
	return slices.ContainsFunc(alike, func(one likeness) bool { return n.taken[one] })
}

// likenesses returns how a name is written and, unless it is made of symbols alone, how
// it looks. Without its mark the name is base, which looks like looks.
func (n *Names) likenesses(base, looks, name string) []likeness {
	alike := []likeness{{text: strings.ToLower(name)}}
	if looks == "" {
		return alike
	}
	if name != base {
		looks = n.naming.folded(name)
	}
	return append(alike, likeness{text: looks, looks: true})
}
