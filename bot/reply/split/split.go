// Package split turns what a model wrote into the messages that people read: it cuts a text
// into parts that fit into a message, also while the text grows, and rewrites what Discord
// does not show as it was meant, or shows too well: links that mask where they lead.
package split

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"heddle/internal/markdown"
)

const (
	// Limit is the number of characters that Discord allows in a message. Discord counts
	// code points. This package counts UTF-16 units, which are never fewer.
	Limit = 2000

	// LeastFull is the least length of a part that another follows, except one without
	// spaces.
	LeastFull = Limit/2 - leastLimit

	leastLimit   = 100 // a smaller limit would leave no room for repairing a fence
	mostLanguage = 32  // bytes of a fence's language
	mostTorn     = 128 // spaces of a part that are examined for what a cut there tears
	fenceEnd     = "\n" + markdown.Fence
	veil         = "||" // begins and ends a spoiler
)

// Part is a piece of a text that fits into a message.
type Part struct {
	Source string // the piece itself; the Sources of all parts are the text
	Text   string // what is sent: trimmed as Discord would, code fences and spoilers closed and reopened
}

// Parts cuts text into parts whose Text has at most limit characters; limits below 100
// count as 100. It cuts after a newline, else after a space or a mark such as 。, else between
// words of a script without spaces as far as they can be told, else between graphemes. As
// far as half of a part stays full, it cuts neither inside a link, a spoiler, code or what
// is emphasised within a line, nor right below a heading.
// If it cuts inside a code fence or a spoiler, it closes it and opens it again, a fence
// with its language; below an item of a list that an earlier part shows, it repeats the item's
// mark, as Discord removes the white space that a message begins with. No part is empty; a text of white space has none. If text is
// extended, every part except the last stays as it is, apart from the end of a fence or a
// spoiler that may join its Source.
func Parts(text string, limit int) []Part {
	var parts []Part
	at := 0
	for carried := (opened{}); at < len(text); {
		c := cut(text[at:], carried, limit)
		carried = c.opened
		source := text[at : at+c.end]
		at += c.end
		if c.text != "" {
			parts = append(parts, Part{Source: source, Text: c.text})
		} else if len(parts) > 0 { // only space or a closed fence's end is left
			parts[len(parts)-1].Source += source
		}
	}
	return parts
}

// Messages returns the messages, of at most limit characters, that a text of a model's is sent
// in: rewritten for Discord, its masked links with their addresses.
func Messages(text string, limit int, hosts Hosts) []string {
	var r rewriter
	var messages []string
	for _, part := range Parts(r.add(text)+r.rest(), limit) {
		messages = append(messages, unmask(part.Text, hosts))
	}
	return messages
}

// Readable returns what people see of a text that a model wrote, like Messages but in one
// piece.
func Readable(text string, hosts Hosts) string {
	var r rewriter
	return unmask(r.add(text)+r.rest(), hosts)
}

// opened is what is open at a place of the text: a spoiler, a code block or both, the
// block inside.
type opened struct {
	spoiler  bool
	fence    bool
	language string
	items    string // of lists, if a line begins here: what itemsAfter returns
}

// opening returns what opens all of it again.
func (o opened) opening() (text string) {
	if o.spoiler {
		text = veil
	}
	if o.fence {
		text += markdown.Fence + o.language + "\n"
	}
	return text
}

// closing returns what closes all of it.
func (o opened) closing() (text string) {
	if o.fence {
		text = fenceEnd
	}
	if o.spoiler {
		text += veil
	}
	return text
}

// chunk is the first part of a text: its end, its text as sent, and what it leaves open.
type chunk struct {
	end    int
	more   bool // text follows; the chunk will not change
	text   string
	opened opened
}

// cut returns the first part of text, at whose start carried is open. The place of the
// cut depends only on what is before it and on the rune after it, so that a growing
// text is always cut at the same places.
func cut(text string, carried opened, limit int) chunk {
	limit = max(limit, leastLimit)
	s := newScan(text, carried, limit)
	for s.at.pos < len(text) {
		if !s.step() {
			p := s.place()
			c := chunk{end: p.pos, more: true, text: s.render(p), opened: p.opened}
			if text[p.pos-1] == '\n' && !p.opened.fence && !p.opened.spoiler {
				c.opened.items = itemsAfter(carried.items, text[s.start:p.pos])
			}
			return c
		}
	}
	return chunk{end: len(text), text: s.render(s.at), opened: s.at.opened}
}

// place is a position at which the text may be cut.
type place struct {
	pos    int
	solid  int // characters sent if cut here, without what closes
	opened opened
	bare   bool   // what was opened last is still empty
	weak   bool   // between words that nothing separates
	line   string // before it, without the newline that may end it
	start  bool   // of a line, and not below a heading alone
}

// scan reads one part.
type scan struct {
	text    string
	limit   int
	prefix  string // opens again what is carried
	start   int    // of what is sent; only white space or the end of what was open precedes it
	at      place
	units   int     // characters so far, trailing space included
	blanks  []place // after a space, a newline, or in a script without spaces
	opener  place   // before what was opened last
	line    int     // where the line begins, or goes on behind a code block
	heading bool    // a heading ended, and nothing but empty lines followed
}

// newScan begins a part of text, of at most limit characters. carried is what the part
// before left open; it is opened again, unless it ends right at the beginning of this
// part.
func newScan(text string, carried opened, limit int) *scan {
	s := &scan{text: text, limit: limit}
	items := carried.items
	carried.items = ""
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	// What ends here was closed already, at the end of the part before.
	if n := markdown.Ticks(rest[:min(len(rest), mostRow)]); carried.fence && n >= len(markdown.Fence) {
		carried.fence, carried.language = false, ""
		rest = strings.TrimLeftFunc(rest[n:], unicode.IsSpace)
	}
	if !carried.fence && carried.spoiler && strings.HasPrefix(rest, veil) {
		carried.spoiler = false
		rest = strings.TrimLeftFunc(rest[len(veil):], unicode.IsSpace)
	}
	if !carried.fence {
		s.start = len(text) - len(rest)
	}
	s.prefix = carried.opening()
	if lines := withoutBlank(text); items != "" {
		items = itemsBefore(items, len(lines)-len(rest))
		if Units(items) <= limit/4 && items != "" {
			s.prefix, s.start = items, len(text)-len(lines)
		}
	}
	s.units = Units(s.prefix)
	s.line = s.start
	s.at = place{pos: s.start, opened: carried}
	return s
}

// step adds the next atom and reports whether the part had room for it.
func (s *scan) step() bool {
	end, next := s.atom()
	atom := s.text[s.at.pos:end]
	now := place{pos: end, solid: s.at.solid, opened: next, bare: s.at.bare}
	width := Units(atom)
	if atom[0] == '(' && strings.HasSuffix(s.text[:s.at.pos], "]") {
		width++ // unmask may put a space there
	}
	opens := next.fence && !s.at.opened.fence || next.spoiler && !s.at.opened.spoiler
	if strings.TrimSpace(atom) != "" {
		now.solid, now.bare = s.units+width, opens
	}
	if now.solid+len(s.closing(end, next)) > s.limit || s.units > s.limit { // behind so much white space nothing has room
		return false
	}
	if opens {
		s.opener = s.at
	}
	s.units += width
	if strings.HasSuffix(atom, "\n") {
		now.line = s.text[min(s.line, end-1) : end-1]
		s.heading = isHeading(now.line) || s.heading && now.line == ""
		now.start = !s.heading
		s.line = end
		s.blanks = append(s.blanks, now)
	} else if rank := rankOf(atom, s.text[end:]); rank != 0 && !next.fence {
		now.line, now.weak = s.text[min(s.line, end):end], rank == betweenWords
		s.blanks = append(s.blanks, now)
	}
	if now.opened.fence != s.at.opened.fence {
		s.line = end
	}
	s.at = now
	return true
}

// closing returns what closes a part that ends at pos, where o is open. At the end of the
// text a spoiler needs nothing, as nothing ends it. One or two backticks there become the end
// of the fence, as they will if more of them follow: else a part would have room for the end
// of a fence but not for the first half of it.
func (s *scan) closing(pos int, o opened) string {
	if pos < len(s.text) {
		return o.closing()
	}
	o.spoiler = false
	n := len(s.text) - len(strings.TrimRight(s.text, "`"))
	if o.fence && n > 0 && n < len(markdown.Fence) {
		return markdown.Fence[n:]
	}
	return o.closing()
}

// atom returns the end of the next piece that must not be cut, and what is open after it.
// Such a piece is a grapheme, what begins or ends a spoiler, a run of
// backticks, or the line that opens a fence.
func (s *scan) atom() (end int, after opened) {
	pos, after := s.at.pos, s.at.opened
	end = pos + 1
	if strings.HasPrefix(s.text[pos:], veil) {
		end = pos + len(veil)
		if s.veils(pos) {
			after.spoiler = !after.spoiler
		}
	}
	if n := markdown.Ticks(s.text[pos:]); n > 0 {
		end = pos + n
		switch {
		case n >= len(markdown.Fence) && after.fence:
			after.fence, after.language = false, ""
		case n >= len(markdown.Fence):
			language := languageOf(s.text[end:])
			after.fence = true
			end += len(language)
			if strings.HasPrefix(s.text[end:], "\n") {
				after.language = language
				end++
			}
		}
	}
	simple := s.text[end-1] < utf8.RuneSelf && s.text[end-1] != '\r'
	if simple && (end == len(s.text) || s.text[end] < utf8.RuneSelf) {
		return end, after
	}
	near := s.text[end-1 : min(len(s.text), end-1+utf8.UTFMax*(s.limit+1))] // what is longer is cut anyway
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(near, -1)
	return end - 1 + len(cluster), after
}

// place returns where to cut a part that is full: after a line, else where nothing is torn,
// as far as half of the part stays full, else after any space.
func (s *scan) place() place {
	var p place
	tries := mostTorn
	for _, blank := range slices.Backward(s.blanks) {
		if blank.solid < s.limit/2 || p.start || tries == 0 {
			break
		}
		if p.pos != 0 && !blank.start && (!p.weak || blank.weak) {
			continue
		}
		if tries--; !blank.tears() {
			p = blank
		}
	}
	if n := len(s.blanks); p.pos == 0 && n > 0 && (!s.blanks[n-1].bare || s.opener.solid > 0) { // a block must not stay empty
		p = s.blanks[n-1]
	}
	if p.solid == 0 {
		p = s.at
	}
	switch {
	case p.solid == 0:
		return s.forced()
	case p.opened != (opened{}) && p.bare && s.opener.solid > 0:
		return s.opener
	}
	return p
}

// tears reports whether a cut here tears something. Code blocks hold no markup.
func (p place) tears() bool {
	return !p.opened.fence && (p.opened.spoiler || isHeading(p.line) || !p.start && torn(p.line))
}

// forced returns where to cut an atom that is longer than a message.
func (s *scan) forced() place {
	p, used := s.at, s.units
	reserve := max(len(fenceEnd), len(p.opened.closing()))
	for p.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[p.pos:])
		used += utf16.RuneLen(r)
		if used+reserve > s.limit {
			break
		}
		p.pos += size
		p.solid = used
	}
	return p
}

// render returns the text that is sent if the part ends at p and closes what is open.
func (s *scan) render(p place) string {
	if p.solid == 0 {
		return ""
	}
	return s.prefix + strings.TrimRightFunc(s.text[s.start:p.pos], unicode.IsSpace) + s.closing(p.pos, p.opened)
}

// veils reports whether the bars at an offset begin or end a spoiler. Those before a space
// begin none, as in "a || b".
func (s *scan) veils(pos int) bool {
	next := s.text[pos+len(veil):]
	first, _ := utf8.DecodeRuneInString(next)
	begins := next != "" && !unicode.IsSpace(first)
	escaped := strings.HasSuffix(s.text[:pos], `\`)
	return !escaped && !s.at.opened.fence && (begins || s.at.opened.spoiler) && strings.Count(s.text[min(s.line, pos):pos], "`")%2 == 0
}

// languageOf returns what could be a fence's language at the start of s.
func languageOf(s string) string {
	const inLanguage = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.#"
	n := len(s) - len(strings.TrimLeft(s, inLanguage))
	return s[:min(n, mostLanguage)]
}

// Units returns the number of UTF-16 units of s.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
