package split

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"heddle/internal/discord"
	"heddle/internal/markdown"
)

const (
	mostLabel  = 400 // bytes of a link's label, or of code within a line, that are waited for
	mostScheme = 32
	mostTarget = Limit // bytes of an address: no message holds a longer one
	target     = "]("  // between the label of a link and its address
)

// unmask rewrites the masked links of a message, such as [text](address), whose host the
// conversation did not name: people read "text (<address>)" and see where the link leads.
// What may be a link for some reader of Discord's Markdown only is kept apart from its
// address by a space. Code stays as it is. A message gets at most one character longer for
// every target in it.
func unmask(text string, hosts Hosts) string {
	if !strings.Contains(text, target) {
		return text
	}
	codes, ends := codeIn(text), closings(text)
	var out strings.Builder
	shown, label := 0, 0 // what was written, and where the label of the next link may begin
	for at := 0; ; {
		next := strings.Index(text[at:], target)
		if next < 0 {
			return out.String() + text[shown:]
		}
		at += next
		for len(codes) > 0 && codes[0].end <= at {
			label, codes = codes[0].end, codes[1:]
		}
		if len(codes) > 0 && codes[0].begin <= at {
			at = codes[0].end
			continue
		}
		to := targetOf(text[at+len(target):], ends[at+1])
		begin := labelOf(text[label:at])
		switch {
		case to.size == 0, to.certain && hosts.named(to.address):
			at += len(target)
		case to.certain && begin >= 0:
			begin += label
			out.WriteString(text[shown:begin] + text[begin+1:at] + " (<" + to.address + ">)")
			at += len(target) + to.size
			shown = at
		default:
			out.WriteString(text[shown:at+1] + " ")
			at++
			shown = at
		}
		label = at
	}
}

// labelOf returns where the label begins that a text ends with: -1 if it is not a simple one.
func labelOf(text string) int {
	at := strings.LastIndexAny(text, "[]`\\\n")
	if at < 0 || text[at] != '[' || len(text)-at > mostLabel || at > 0 && text[at-1] == '\\' {
		return -1
	}
	return at
}

// address is where a link leads.
type address struct {
	address string
	size    int  // in the text, with what closes it; 0 if there is no link
	certain bool // every reader finds this address
}

// targetOf reads the address that a text begins with, up to the parenthesis that closes it,
// after size bytes; 0 if none does. Discord allows parentheses in an address, and a title in
// quotes after it.
func targetOf(text string, size int) address {
	if !beginsAddress(text) {
		return address{}
	}
	if size == 0 {
		return address{size: len(text)}
	}
	if size > mostTarget {
		return address{size: size}
	}
	end := size - 1
	to, title, _ := strings.Cut(strings.TrimSpace(text[:end]), " ")
	title = strings.TrimSpace(title)
	to = strings.TrimSuffix(strings.TrimPrefix(to, "<"), ">")
	certain := (title == "" || title[0] == '"' || title[0] == '\'') && !strings.ContainsAny(text[:end], "\t\n") &&
		!strings.ContainsAny(to, "<>[]`\\")
	return address{to, end + 1, certain}
}

// beginsAddress reports whether a text begins with the scheme of an address, or may once
// more follows. Discord leaves out backslashes.
func beginsAddress(text string) bool {
	text = strings.TrimPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), "<")
	for at, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		switch {
		case r == ':':
			return at > 0
		case !letter && !strings.ContainsRune(`\0123456789+.-`, r), at > 2*mostScheme:
			return false
		}
	}
	return false
}

// closings returns the size of what each parenthesis opens behind the label of a link, with
// the parenthesis that closes it, by the offset of the former. It reads the text once, however
// many parentheses nothing closes.
func closings(text string) map[int]int {
	sizes := make(map[int]int)
	var open []int
	for at := range len(text) {
		switch text[at] {
		case '(':
			open = append(open, at)
		case ')':
			if last := len(open) - 1; last >= 0 {
				if began := open[last]; began > 0 && text[began-1] == target[0] {
					sizes[began] = at - began
				}
				open = open[:last]
			}
		}
	}
	return sizes
}

// extent is a piece of a text.
type extent struct{ begin, end int }

// codeIn returns the code of a text, up to where readers of Discord's Markdown may begin to
// disagree on what is code: behind any mark that is not obviously closed. From there on it
// returns none, so that a link in code may get a space.
func codeIn(text string) (codes []extent) {
	at, begin := 0, 0 // begin is behind the last code, before which every mark is closed
	for span := range markdown.Spans(text) {
		end := at + len(span.Text)
		switch {
		case span.Kind == markdown.Plain && !strings.Contains(span.Text, "`"):
		case span.Kind == markdown.Code && isCode(span) && !unclear(text, begin, at),
			span.Kind == markdown.Block && isBlock(span, text[end:]) && !unclear(text, begin, at) && beginsLine(text[:at]):
			codes = append(codes, extent{at, end})
			begin = end
		default:
			return codes
		}
		at = end
	}
	return codes
}

// closedMarks matches emphasis and links that every reader takes for them, and the marks of lists.
var closedMarks = regexp.MustCompile(`(?m)\*\*\w[\w ,.:;'!?-]*\*\*|\*\w[\w ,.:;'!?-]*\*|\[\w[\w ]*\]\(https?://[\w./?=&%#-]+\)|^ *[*] `)

// unclear reports whether a piece of a text may hold a mark that goes on behind it, or an
// address that does.
func unclear(text string, begin, end int) bool {
	before := text[begin:end]
	if begin > 0 {
		before = "x " + before // the piece begins within a line
	}
	word := before[strings.LastIndexAny(before, " \n")+1:]
	return strings.Contains(word, "://") || strings.ContainsAny(closedMarks.ReplaceAllString(before, ""), "*_~|[]<>\\")
}

// beginsLine reports whether a new line begins behind a text.
func beginsLine(text string) bool {
	text = strings.TrimRight(text, " ")
	return text == "" || strings.HasSuffix(text, "\n")
}

// isCode reports whether every reader takes a span for code: within a line, without what may
// be a block or the end of a link.
func isCode(span markdown.Span) bool {
	return !endsLabel(span) && !strings.Contains(span.Text, markdown.Fence) && !strings.Contains(span.Text, "\n")
}

// isBlock reports whether every reader takes a span, before a rest of the text, for a block of
// code: between runs of three backticks, with text below its first line.
func isBlock(span markdown.Span, rest string) bool {
	inside := strings.TrimSuffix(strings.TrimPrefix(span.Text, markdown.Fence), markdown.Fence)
	_, below, _ := strings.Cut(inside, "\n")
	exact := inside[0] != '`' && !strings.HasSuffix(inside, "`") && !strings.HasPrefix(rest, "`")
	return exact && !endsLabel(span) && strings.Trim(below, "\n") != ""
}

// endsLabel reports whether what may be code may end the label of a link that began before.
func endsLabel(span markdown.Span) bool {
	first := strings.IndexAny(span.Text, "[]")
	return first >= 0 && span.Text[first] == ']' && strings.Contains(span.Text, target)
}

// named reports whether an address leads to a host that the conversation named, or to a
// place on Discord, as heddle's own links do.
func (h Hosts) named(address string) bool {
	if discord.IsPlace(address) {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && h.include(host(u.Hostname()))
}

// host returns a host's name as it is compared.
func host(name string) string { return strings.TrimPrefix(strings.ToLower(name), "www.") }

// Hosts returns the hosts that a conversation named, sorted; nil if it named none. It is called
// for every masked link, and not before, as most answers have none.
type Hosts func() []string

// include reports whether a host is among them.
func (h Hosts) include(name string) bool {
	if h == nil {
		return false
	}
	_, found := slices.BinarySearch(h(), name)
	return found
}

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
