package path

import (
	"strings"
	"unicode"

	"heddle/graph"
)

// Naming is how the people of a conversation are named, such that none of them can pass
// for another, for heddle, or for anything that is no person. The zero Naming takes
// names for equal that differ in letter case alone, and reserves none.
type Naming struct {
	fold     func(name string) string
	reserved map[string]bool // folded
}

// The marks that stand behind names.
const (
	markBot     = "bot"
	markWebhook = "webhook"
	markPerson  = "person" // whose name could be mistaken without it
)

// NewNaming returns a naming that takes names for equal if fold returns the same for
// them. What is no person's name is reserved.
func NewNaming(fold func(name string) string) Naming {
	return Naming{fold: fold}.Reserving(
		"heddle", "system", "assistant", "user", "tool", "function", "developer", "model", "yourself", "you",
		"speaker", "Discord", "everyone", "here", nobody, markBot, markWebhook, markPerson,
	)
}

// Reserving returns the naming with more names that nobody passes under, such as
// heddle's own name on Discord and those of its tools.
func (n Naming) Reserving(names ...string) Naming {
	reserved := make(map[string]bool, len(n.reserved)+len(names))
	for name := range n.reserved {
		reserved[name] = true
	}
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
