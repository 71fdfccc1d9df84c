package llm

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinking removes the reasoning that some models write before their answer, between
// <think> and </think>. Anywhere else these tags are text.
type thinking struct {
	state thinkState
	held  string // text that may be the beginning of a tag
}

type thinkState uint8

const (
	thinkUndecided thinkState = iota // nothing but spaces, or a part of <think>, has come
	thinkInside
	thinkAfter // reasoning ended; spaces before the answer are left out
	thinkNone  // the answer has begun
)

// next splits a piece of the model's output.
func (t *thinking) next(piece string) (text, reasoning string) {
	if t.state == thinkNone {
		return piece, ""
	}
	piece = t.held + piece
	t.held = ""
	if t.state == thinkUndecided {
		trimmed := strings.TrimLeft(piece, " \t\r\n")
		switch {
		case strings.HasPrefix(trimmed, thinkOpen):
			t.state = thinkInside
			piece = trimmed[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, trimmed):
			t.held = piece
			return "", ""
		default:
			t.state = thinkNone
			return piece, ""
		}
	}
	if t.state == thinkInside {
		before, after, closed := strings.Cut(piece, thinkClose)
		if !closed {
			kept := overlap(before, thinkClose)
			t.held = before[len(before)-kept:]
			return "", before[:len(before)-kept]
		}
		t.state = thinkAfter
		reasoning, piece = before, after
	}
	text = strings.TrimLeft(piece, " \t\r\n")
	if text != "" {
		t.state = thinkNone
	}
	return text, reasoning
}

// rest returns the text that was held back when the answer ended. Spaces alone are none.
func (t *thinking) rest() string {
	if t.state != thinkUndecided {
		return ""
	}
	rest := t.held
	t.held = ""
	if strings.TrimSpace(rest) == "" {
		return ""
	}
	return rest
}

// overlap returns how many bytes at the end of s may be the beginning of word.
func overlap(s, word string) int {
	for n := min(len(s), len(word)-1); n > 0; n-- {
		if strings.HasSuffix(s, word[:n]) {
			return n
		}
	}
	return 0
}
