package outbox

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	// Limit is the number of characters that Discord allows in a message. Discord counts
	// code points. This package counts UTF-16 units, which are never fewer.
	Limit = 2000

	leastLimit   = 100 // a smaller limit would leave no room for repairing a fence
	mostLanguage = 32  // bytes of a fence's language
	ticks        = "```"
	fenceEnd     = "\n" + ticks
	veil         = "||" // begins and ends a spoiler
)

// Part is a piece of a text that fits into a message.
type Part struct {
	Source string // the piece itself; the Sources of all parts are the text
	Text   string // what is sent: trimmed as Discord would, code fences and spoilers closed and reopened
}

// Split cuts text into parts whose Text has at most limit characters; limits below 100
// count as 100. It cuts after a newline, else after a space, else between graphemes. As
// far as half of a part stays full, it cuts neither inside a link, a spoiler, code or what
// is emphasised within a line, nor right below a heading.
// If it cuts inside a code fence or a spoiler, it closes it and opens it again, a fence
// with its language. What would begin a spoiler that nothing ends is text like any other.
// No part is empty; a text of white space has none. If text is extended, every part except
// the last keeps its Source, apart from the end of a fence or a spoiler that may join it, and
// its Text unless what is added ends a spoiler.
func Split(text string, limit int) []Part {
	var parts []Part
	at := 0
	chunks, _ := chunksOf(text, opened{}, limit)
	for _, c := range chunks {
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

// chunksOf cuts a whole text, at whose start carried is open, and reports whether it is a
// spoiler that nothing ends.
func chunksOf(text string, carried opened, limit int) (chunks []chunk, endless bool) {
	for text != "" {
		c := cut(text, carried, limit)
		chunks, carried = append(chunks, c), c.opened
		text = text[c.end:]
	}
	endless = carried.spoiler
	for i := len(chunks) - 1; i >= 0 && endless; i-- {
		c := &chunks[i]
		if c.more {
			c.text = strings.TrimSuffix(c.text, veil)
		}
		if endless = c.opened.through; endless {
			c.text = strings.TrimPrefix(c.text, veil)
		}
	}
	return chunks, endless
}

// opened is what is open at a place of the text: a spoiler, a code block or both, the
// block inside.
type opened struct {
	spoiler  bool
	through  bool // the spoiler has been open since the part before
	fence    bool
	language string
}

// opening returns what opens all of it again.
func (o opened) opening() (text string) {
	if o.spoiler {
		text = veil
	}
	if o.fence {
		text += ticks + o.language + "\n"
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
			return chunk{end: p.pos, more: true, text: s.render(p), opened: p.opened}
		}
	}
	return chunk{end: len(text), text: s.render(s.at), opened: s.at.opened}
}

// place is a position at which the text may be cut.
type place struct {
	pos    int
	solid  int // characters sent if cut here, without what closes
	opened opened
	bare   bool // what was opened last is still empty
}

// scan reads one part.
type scan struct {
	text    string
	limit   int
	prefix  string // opens again what is carried
	start   int    // of what is sent; only white space or the end of what was open precedes it
	at      place
	units   int   // characters so far, trailing space included
	newline place // the last place after a newline; pos 0 for none
	blank   place // the last place after a space or newline
	whole   place // the last such place that tears nothing, such as a link or a spoiler
	veiled  place // the last such place that tears at most a spoiler
	markup  markup
	opener  place // before what was opened last
}

// newScan begins a part of text, of at most limit characters. carried is what the part
// before left open; it is opened again, unless it ends right at the beginning of this
// part.
func newScan(text string, carried opened, limit int) *scan {
	s := &scan{text: text, limit: limit}
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	// What ends here was closed already, at the end of the part before.
	if n := tickRun(rest); carried.fence && n >= len(ticks) {
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
	s.units = units(s.prefix)
	carried.through = carried.spoiler
	s.markup.spoiler, s.markup.through = carried.spoiler, carried.spoiler
	s.at = place{pos: s.start, opened: carried}
	return s
}

// step adds the next atom and reports whether the part had room for it.
func (s *scan) step() bool {
	end, next := s.atom()
	atom := s.text[s.at.pos:end]
	read := s.markup
	if next.fence { // code blocks hold no markup
		read = markup{spoiler: read.spoiler, through: read.through}
	} else {
		read.read(atom)
	}
	next.spoiler, next.through = read.spoiler, read.through
	now := place{pos: end, solid: s.at.solid, opened: next, bare: s.at.bare}
	width := units(atom)
	opens := next.fence && !s.at.opened.fence || next.spoiler && !s.at.opened.spoiler
	if strings.TrimSpace(atom) != "" {
		now.solid, now.bare = s.units+width, opens
	}
	if now.solid+len(s.closing(end, next)) > s.limit {
		return false
	}
	if opens {
		s.opener = s.at
	}
	s.at, s.units, s.markup = now, s.units+width, read
	if strings.HasSuffix(atom, "\n") || atom == " " || atom == "\t" {
		s.mayCut(now, strings.HasSuffix(atom, "\n"))
	}
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
	if o.fence && n > 0 && n < len(ticks) {
		return ticks[n:]
	}
	return o.closing()
}

// mayCut remembers a place after a space, or after a newline.
func (s *scan) mayCut(p place, newline bool) { //nolint:revive // a condition as a value
	s.blank = p
	if s.markup.open() {
		return
	}
	s.veiled = p
	if s.markup.spoiler && !s.markup.through {
		return
	}
	s.whole = p
	if newline {
		s.newline = p
	}
}

// atom returns the end of the next piece that must not be cut, and what is open after it,
// spoilers aside. Such a piece is a grapheme, what begins or ends a spoiler, a run of
// backticks, or the line that opens a fence.
func (s *scan) atom() (end int, after opened) {
	pos, after := s.at.pos, s.at.opened
	end = pos + 1
	if strings.HasPrefix(s.text[pos:], veil) {
		end = pos + len(veil)
	}
	if n := tickRun(s.text[pos:]); n > 0 {
		end = pos + n
		switch {
		case n >= len(ticks) && after.fence:
			after.fence, after.language = false, ""
		case n >= len(ticks):
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

// place returns where to cut a part that is full.
func (s *scan) place() place {
	p := s.at
	switch {
	case s.newline.solid >= s.limit/2:
		p = s.newline
	case s.whole.solid >= s.limit/2:
		p = s.whole
	case s.veiled.solid >= s.limit/2:
		p = s.veiled
	case s.blank.solid > 0 && (!s.blank.bare || s.opener.solid > 0): // a block must not stay empty
		p = s.blank
	case p.solid == 0:
		return s.forced()
	}
	if p.opened != (opened{}) && p.bare && s.opener.solid > 0 {
		return s.opener
	}
	return p
}

// forced returns where to cut an atom that is longer than a message.
func (s *scan) forced() place {
	p, used := s.at, s.units
	reserve := max(len(fenceEnd), len(p.opened.closing()))
	for p.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[p.pos:])
		used += runeUnits(r)
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

// tickRun returns the number of backticks at the start of s.
func tickRun(s string) int {
	n := 0
	for n < len(s) && s[n] == '`' {
		n++
	}
	return n
}

// languageOf returns what could be a fence's language at the start of s.
func languageOf(s string) string {
	n := 0
	for n < len(s) && n < mostLanguage && languageByte(s[n]) {
		n++
	}
	return s[:n]
}

func languageByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' ||
		strings.IndexByte("_+-.#", b) >= 0
}

// units returns the number of UTF-16 units of s.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += runeUnits(r)
	}
	return n
}

func runeUnits(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
