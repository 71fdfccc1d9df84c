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
)

// Part is a piece of a text that fits into a message.
type Part struct {
	Source string // the piece itself; the Sources of all parts are the text
	Text   string // what is sent: trimmed as Discord would, code fences closed and reopened
}

// Split cuts text into parts whose Text has at most limit characters; limits below 100
// count as 100. It cuts after a newline, else after a space, else between graphemes. As
// far as half of a part stays full, it cuts neither inside a link or a spoiler nor right
// below a heading.
// If it cuts inside a code fence, it closes the fence and opens it again with its
// language. No part is empty; a text of white space has none. If text is extended,
// every part except the last keeps its Text.
func Split(text string, limit int) []Part {
	var parts []Part
	var carried fence
	for text != "" {
		c := cut(text, carried, limit)
		source := text[:c.end]
		text = text[c.end:]
		if c.text != "" {
			parts = append(parts, Part{Source: source, Text: c.text})
		} else if len(parts) > 0 { // only space or a closed fence's end is left
			parts[len(parts)-1].Source += source
		}
		carried = c.fence
	}
	return parts
}

// fence is the code block that is open at a place of the text, if any.
type fence struct {
	open     bool
	language string
}

// opening returns what opens the block again.
func (f fence) opening() string {
	if !f.open {
		return ""
	}
	return ticks + f.language + "\n"
}

// chunk is the first part of a text: its end, its text as sent, and the fence that it
// leaves open.
type chunk struct {
	end   int
	more  bool // text follows; the chunk will not change
	text  string
	fence fence
}

// cut returns the first part of text, at whose start carried is open. The place of the
// cut depends only on what is before it and on the rune after it, so that a growing
// text is always cut at the same places.
func cut(text string, carried fence, limit int) chunk {
	limit = max(limit, leastLimit)
	s := newScan(text, carried, limit)
	for s.at.pos < len(text) {
		if !s.step() {
			p := s.place()
			return chunk{end: p.pos, more: true, text: s.render(p), fence: p.fence}
		}
	}
	return chunk{end: len(text), text: s.render(s.at), fence: s.at.fence}
}

// place is a position at which the text may be cut.
type place struct {
	pos   int
	solid int // characters sent if cut here, closing fence not counted
	fence fence
	bare  bool // the fence is open and still empty
}

// scan reads one part.
type scan struct {
	text    string
	limit   int
	prefix  string // opens the carried fence again
	start   int    // of what is sent; only white space or a fence's end precedes it
	at      place
	units   int   // characters so far, trailing space included
	reserve int   // characters kept for closing a fence
	newline place // the last place after a newline; pos 0 for none
	blank   place // the last place after a space or newline
	whole   place // the last such place that tears no link, spoiler or heading
	markup  markup
	opener  place // before the last fence that was opened
}

func newScan(text string, carried fence, limit int) *scan {
	s := &scan{text: text, limit: limit}
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	if n := tickRun(rest); carried.open && n >= len(ticks) { // closed already, at the end of the part before
		carried = fence{}
		rest = strings.TrimLeftFunc(rest[n:], unicode.IsSpace)
	}
	if carried.open {
		s.prefix = carried.opening()
		s.units, s.reserve = units(s.prefix), len(fenceEnd)
	} else {
		s.start = len(text) - len(rest)
	}
	s.at = place{pos: s.start, fence: carried}
	return s
}

// step adds the next atom and reports whether the part had room for it.
func (s *scan) step() bool {
	end, next := s.atom()
	atom := s.text[s.at.pos:end]
	reserve := s.reserve
	if next.open {
		reserve = len(fenceEnd)
	}
	now := place{pos: end, solid: s.at.solid, fence: next, bare: s.at.bare}
	width := units(atom)
	opened := next.open && !s.at.fence.open
	if strings.TrimSpace(atom) != "" {
		now.solid, now.bare = s.units+width, opened
		if now.solid+reserve > s.limit {
			return false
		}
	}
	if opened {
		s.opener = s.at
	}
	s.at, s.units, s.reserve = now, s.units+width, reserve
	if next.open { // code blocks hold no markup
		s.markup = markup{}
	} else {
		s.markup.read(atom)
	}
	torn := s.markup.open()
	switch {
	case strings.HasSuffix(atom, "\n") && !torn:
		s.newline, s.blank, s.whole = now, now, now
	case strings.HasSuffix(atom, "\n"), atom == " ", atom == "\t":
		s.blank = now
		if !torn {
			s.whole = now
		}
	}
	return true
}

// atom returns the end of the next piece that must not be cut, and the fence after it.
// Such a piece is a grapheme, a run of backticks, or the line that opens a fence.
func (s *scan) atom() (end int, after fence) {
	pos, after := s.at.pos, s.at.fence
	end = pos + 1
	if n := tickRun(s.text[pos:]); n > 0 {
		end = pos + n
		switch {
		case n >= len(ticks) && after.open:
			after = fence{}
		case n >= len(ticks):
			language := languageOf(s.text[end:])
			after = fence{open: true}
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
	case s.blank.solid > 0:
		p = s.blank
	case p.solid == 0:
		return s.forced()
	}
	if p.fence.open && p.bare && s.opener.solid > 0 {
		return s.opener
	}
	return p
}

// forced returns where to cut an atom that is longer than a message.
func (s *scan) forced() place {
	p, used := s.at, s.units
	for p.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[p.pos:])
		used += runeUnits(r)
		if used+len(fenceEnd) > s.limit {
			break
		}
		p.pos += size
		p.solid = used
	}
	return p
}

// render returns the text that is sent if the part ends at p.
func (s *scan) render(p place) string {
	if p.solid == 0 {
		return ""
	}
	text := s.prefix + strings.TrimRightFunc(s.text[s.start:p.pos], unicode.IsSpace)
	if p.fence.open {
		text += fenceEnd
	}
	return text
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
