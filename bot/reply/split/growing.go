package split

import (
	"strings"
	"unicode"

	"heddle/internal/markdown"
)

// Growing is the text of an answer that is still being written, from the start of the
// message that shows its end. The zero Growing is empty.
type Growing struct {
	Hosts Hosts  // that masked links may lead to
	Doing string // the line below the text

	text   rewriter
	more   []string // follows the tail; joined once it is looked at
	tail   string
	opened opened // what is open at the tail's start
}

// Chunk is the beginning of a text, of which a message consists.
type Chunk struct {
	Text  string // as it is sent
	More  bool   // text follows: the message is finished
	chunk chunk
}

// Add appends text. What may become a table, or is rewritten otherwise, is held back until more follows or the text
// ends.
func (s *Growing) Add(text string) { s.more = append(s.more, s.text.add(text)) }

// End appends what is held back. No text follows.
func (s *Growing) End() { s.more = append(s.more, s.text.rest()) }

// join appends to the tail what was added since. White space that no message begins with is
// removed, so that a model that writes nothing else costs no more with every piece.
func (s *Growing) join() {
	s.tail += strings.Join(s.more, "")
	s.more = nil
	switch {
	case s.opened.items != "":
		s.tail = withoutBlank(s.tail)
	case !s.opened.fence:
		s.tail = strings.TrimLeftFunc(s.tail, unicode.IsSpace)
	}
}

// First returns what fits into one message.
func (s *Growing) First() Chunk {
	s.join()
	c := cut(s.tail, s.opened, Limit)
	return Chunk{unmask(c.text, s.Hosts), c.more, c}
}

// Skip removes what a finished message shows.
func (s *Growing) Skip(finished Chunk) {
	s.tail, s.opened = s.tail[finished.chunk.end:], finished.chunk.opened
}

// Unfinished returns the text of a message that is still growing. It always says that more
// is to come, by the line of what is being done, or else by indicator: what does not fit
// beside that is shown later. Backticks and bars at its end wait for the next character, as
// they may begin or end a code block or a spoiler, and a spoiler is closed for now. A link, and
// code within a line, wait for their end.
func (s *Growing) Unfinished(indicator string) string {
	s.join()
	if s.Doing != "" {
		indicator = "\n" + s.Doing
	}
	c := cut(strings.TrimRight(withoutHalfLink(withoutHalfCode(s.tail)), "`|"), s.opened, Limit-Units(indicator)-Units(veil))
	text := unmask(c.text, s.Hosts)
	if c.opened.spoiler && !c.more { // hidden from its first word on
		text = strings.TrimRight(strings.TrimSuffix(text+veil, veil+veil), " \n")
	}
	if text == "" {
		return s.Doing
	}
	return text + indicator
}

// withoutHalfLink returns a text without what may become a link at its end.
func withoutHalfLink(text string) string {
	at := strings.LastIndexByte(text, '[')
	if at < 0 {
		return text
	}
	label, to, closed := strings.Cut(text[at:], "]")
	if len(label) > mostLabel || strings.ContainsAny(label, "\n`") || closed && to != "" && (to[0] != '(' || strings.ContainsAny(to, ") \n")) {
		return text
	}
	return text[:at]
}

// withoutHalfCode returns a text without what may become code at the end of its last line.
func withoutHalfCode(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	for span := range markdown.Spans(text[at:]) {
		n := markdown.Ticks(span.Text)
		if span.Kind == markdown.Plain && n > 0 && n < len(markdown.Fence) && len(text)-at <= mostLabel {
			return text[:at]
		}
		at += len(span.Text)
	}
	return text
}

// longWord is the number of bytes that are no word any more, such as those of an address or
// of a script without spaces. They are shown before they end.
const longWord = 30

// HasWord reports whether the text has something complete to show.
func (s *Growing) HasWord() bool {
	s.join()
	return len(s.tail) > longWord || strings.ContainsFunc(strings.TrimLeftFunc(s.tail, unicode.IsSpace), unicode.IsSpace)
}
