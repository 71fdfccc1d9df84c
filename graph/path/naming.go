package path

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"heddle/graph"
)

// Naming names the people of a conversation so that none of them can pass for another, for
// heddle, or for anything else. To the zero Naming, names are equal that differ in letter
// case alone, and none is reserved.
type Naming struct {
	fold     func(name string) string
	reserved map[string]bool // folded
}

// The marks that stand behind names.
const (
	markBot     = "bot"
	markWebhook = "webhook"
	markPerson  = "person" // with a name that could be mistaken without it
)

// NewNaming returns a naming to which names are equal if fold returns the same for them.
// It reserves words that are no person's name.
func NewNaming(fold func(name string) string) Naming {
	return Naming{fold: fold}.Reserving(
		"heddle", "system", "assistant", "user", "tool", "function", "developer", "model", "yourself", "you",
		"speaker", "Discord", "everyone", "here", nobody, markBot, markWebhook, markPerson,
	)
}

// Reserving returns the naming with more reserved names, such as heddle's own name on
// Discord and those of its tools.
func (n Naming) Reserving(names ...string) Naming {
	reserved := make(map[string]bool, len(n.reserved)+len(names))
	maps.Copy(reserved, n.reserved)
	for _, name := range names {
		if folded := n.folded(name); folded != "" {
			reserved[folded] = true
		}
	}
	return Naming{n.fold, reserved}
}

func (n Naming) folded(name string) string {
	if n.fold == nil {
		return strings.ToLower(name)
	}
	return n.fold(name)
}

// claims reports whether a name, which looks like looks, or a word in it is reserved.
func (n Naming) claims(name, looks string) bool {
	if len(n.reserved) == 0 {
		return false
	}
	if n.reserved[looks] {
		return true
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.So) && r != '_' })
	for _, word := range words {
		if word != name && n.reserved[n.folded(word)] {
			return true
		}
	}
	return false
}

// mark returns the mark that belongs behind the name of a message's author, which looks
// like looks, or "".
func (n Naming) mark(m *graph.Message, name, looks string) string {
	switch m.Origin {
	case graph.OriginBot:
		return markBot
	case graph.OriginWebhook:
		return markWebhook
	case graph.OriginPerson:
		if n.claims(name, looks) {
			return markPerson
		}
	case graph.OriginSelf:
	}
	return ""
}

// Names are the names of speakers in a conversation, no two alike. One goroutine at a time
// may use them.
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

// speaker is somebody with a name of their own. Users of one webhook differ only in their
// names.
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
	isTaken := func(one likeness) bool { return n.taken[one] }
	for number := max(2, n.last[first]+1); slices.ContainsFunc(alike, isTaken); number++ {
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

// longestName is the length in characters of the longest name with its mark. Discord's
// longest names, those of webhooks, have 80.
const longestName = 100

// InLine returns Of's name for a text in which each line begins with a name and a colon.
func (n *Names) InLine(m *graph.Message) string {
	return strings.ReplaceAll(graph.OneLine(n.Of(m), longestName), ":", " ")
}

// marked returns a name with a mark behind it, if there is one.
func marked(name, mark string) string {
	if mark == "" {
		return name
	}
	return name + " (" + mark + ")"
}

// likenesses returns the spelling of a name and, unless it consists of symbols alone, its
// appearance. Without its mark the name is base, which looks like looks.
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
