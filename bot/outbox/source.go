package outbox

import "strings"

// source is the text of an answer from the start of the message being written.
type source struct {
	rewrite rewrite
	tail    string
	opened  opened  // what is open at the tail's start
	doing   string  // the line below the growing answer
	veiled  int     // the finished messages, the last ones, that one spoiler goes on through
	over    bool    // no text follows
	rest    []chunk // what is left then
}

// add appends text. What may become a table or a masked link is held back until more
// follows or the text ends.
func (s *source) add(text string) { s.tail += s.rewrite.add(text) }

// end appends what is held back. No text follows. It returns how many finished messages,
// the last ones, hide their text because of a spoiler that never ended.
func (s *source) end() (veiled int) {
	s.tail += s.rewrite.rest()
	s.over = true
	endless := s.opened.spoiler
	if s.tail != "" {
		s.rest, endless = chunksOf(s.tail, s.opened, Limit)
	}
	if !endless {
		return 0
	}
	return s.veiled
}

// first returns what fits into one message.
func (s *source) first() chunk {
	switch {
	case !s.over:
		return cut(s.tail, s.opened, Limit)
	case len(s.rest) > 0:
		return s.rest[0]
	}
	return chunk{}
}

// skip removes what a finished message shows.
func (s *source) skip(c chunk) {
	s.tail, s.opened = s.tail[c.end:], c.opened
	s.rest = s.rest[min(1, len(s.rest)):]
	switch {
	case !c.opened.spoiler:
		s.veiled = 0
	case c.opened.through:
		s.veiled++
	default:
		s.veiled = 1
	}
}

// unfinished returns the text of a message that is still growing. It always says that more
// is to come, by the line of what is being done, or else by indicator: what does not fit
// beside that is shown later. Backticks and bars at its end wait for the next character, as
// they may begin or end a code block or a spoiler, and a spoiler is closed for now.
func (s *source) unfinished(indicator string) string {
	if s.doing != "" {
		indicator = "\n" + s.doing
	}
	c := cut(strings.TrimRight(s.tail, "`|"), s.opened, Limit-units(indicator)-units(veil))
	text := c.text
	if c.opened.spoiler && !c.more { // hidden from its first word on
		text = strings.TrimRight(strings.TrimSuffix(text+veil, veil+veil), " \n")
	}
	if text == "" {
		return s.doing
	}
	return text + indicator
}
