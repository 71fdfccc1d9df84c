package outbox

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// The longest label of a link and the longest address that are waited for, in bytes. A
// longer label keeps its brackets. A longer address does not fit into a message.
const (
	mostLabel   = 400
	mostAddress = 4 * Limit
	mostScheme  = 32
)

// links rewrites masked links, such as [text](address), whose host the conversation did
// not name: people read "text (<address>)" and see where the link leads. Code stays as
// it is. Links takes a text in pieces, and what it returns depends only on the whole:
// it holds back the start of what may become a link or code until that is decided.
type links struct {
	hosts  Hosts
	pieces pieces
	code   code
}

// add takes more of the text and returns what can be shown.
func (l *links) add(text string) string { return l.pieces.take(text, l.next) }

// rest returns what was held back, at the end of the text.
func (l *links) rest() string {
	l.code.whole = true
	return l.add("")
}

// next returns the size of the text's first piece and what is shown for it. The size is
// 0 if more text must be known.
func (l *links) next(text string) (size int, shown string) {
	plain := strings.IndexAny(text, "`[]\\")
	switch {
	case plain < 0:
		return len(text), text
	case plain > 0:
		return plain, text[:plain]
	}
	switch {
	case text[0] == '`':
		size = l.code.span(text)
		return size, text[:size]
	case l.code.block:
		return 1, text[:1]
	case text[0] == '\\':
		size = l.code.escape(text)
		return size, text[:size]
	case text[0] == '[':
		return l.labelled(text)
	default:
		return l.target(text)
	}
}

// labelled reads what an opening bracket begins: a link, or only the bracket.
func (l *links) labelled(text string) (size int, shown string) {
	line, whole := lineWithin(text, mostLabel)
	end := strings.IndexAny(line[1:], "[]`\\") + 1
	switch {
	case end == 0 && !whole && !l.code.whole:
		return 0, ""
	case end == 0 || text[end] != ']':
		return 1, text[:1]
	}
	to, decided := l.targetOf(text[end:])
	switch {
	case !decided:
		return 0, ""
	case to.address == "" || to.odd:
		return end, text[:end] // the closing bracket is read by itself
	case l.named(to.address):
		return end + to.size, text[:end+to.size]
	default:
		return end + to.size, text[1:end] + visible(to.address)
	}
}

// target reads what a closing bracket begins: the address of a link whose label is not
// a simple one, or only the bracket.
func (l *links) target(text string) (size int, shown string) {
	to, decided := l.targetOf(text)
	switch {
	case !decided:
		return 0, ""
	case to.address == "":
		return 1, text[:1]
	case l.named(to.address):
		return to.size, text[:to.size]
	case to.odd:
		return 1, "] "
	default:
		return to.size, "]" + visible(to.address)
	}
}

// target is what follows the label of a link.
type target struct {
	address string // "" if there is no link
	size    int    // in the text, brackets included
	odd     bool   // it holds more than an address and a title
}

// targetOf reads a target from the bracket that closes the label, and reports whether
// the text suffices. Discord allows parentheses in an address, and a title in quotes
// after it.
func (l *links) targetOf(text string) (to target, decided bool) {
	const opening = "]("
	if len(text) < len(opening) {
		return target{}, l.code.whole || !strings.HasPrefix(opening, text)
	}
	if !strings.HasPrefix(text, opening) {
		return target{}, true
	}
	inner := text[len(opening):min(len(text), mostAddress)]
	last := l.code.whole || len(text) >= mostAddress
	if possible, decided := beginsAddress(inner); !possible {
		return target{}, decided || last
	}
	end := closing(inner)
	if end < 0 && !last {
		return target{}, false
	}
	if end < 0 { // the parentheses do not match, and Discord takes what there is
		end = strings.IndexByte(inner, ')')
	}
	if end < 0 {
		return target{}, true
	}
	address, title, _ := strings.Cut(strings.TrimSpace(inner[:end]), " ")
	title = strings.TrimSpace(title)
	odd := title != "" && title[0] != '"' && title[0] != '\'' || strings.ContainsAny(address, "\t\n")
	return target{strings.Trim(address, "<>"), len(opening) + end + 1, odd}, true
}

// beginsAddress reports whether a text begins with the scheme of an address, and
// otherwise whether that is decided.
func beginsAddress(text string) (possible, decided bool) {
	text = strings.TrimPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), "<")
	end := strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("0123456789+.-", r)
	})
	if end < 0 {
		return false, len(text) > mostScheme
	}
	return end > 0 && end <= mostScheme && text[end] == ':', true
}

// closing returns the place of the parenthesis that closes a text that follows an
// opening one; -1 if there is none.
func closing(text string) int {
	depth := 1
	for at := range len(text) {
		switch text[at] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return at
		}
	}
	return -1
}

// visible returns an address as it is shown after a label. In angle brackets it gets no
// preview.
func visible(address string) string {
	address = strings.NewReplacer("<", "%3C", ">", "%3E", "`", "%60").Replace(address)
	return " (<" + address + ">)"
}

// named reports whether an address leads to a host that the conversation named.
func (l *links) named(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && l.hosts.include(host(u.Hostname()))
}

// host returns a host's name as it is compared.
func host(name string) string { return strings.TrimPrefix(strings.ToLower(name), "www.") }

// Hosts returns the hosts that a conversation named; nil if it named none. It is called
// once there is a masked link, as most answers have none.
type Hosts func() []string

// include reports whether a host is among them.
func (h Hosts) include(name string) bool { return h != nil && slices.Contains(h(), name) }

// HostsIn returns the hosts that texts name, in addresses or alone, each once.
func HostsIn(texts ...string) []string {
	var hosts []string
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inHost(r) }) {
			if word = strings.Trim(word, ".-"); strings.Contains(word, ".") {
				hosts = append(hosts, host(word))
			}
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

func inHost(r rune) bool { return r == '.' || r == '-' || unicode.IsLetter(r) || unicode.IsNumber(r) }
