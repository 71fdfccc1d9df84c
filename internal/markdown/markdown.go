// Package markdown reads Discord's Markdown: what of a message is code, what is escaped and
// what the marks in the rest show.
package markdown

import (
	"iter"
	"strings"
)

// Fence begins and ends a block of code.
const Fence = "```"

// escapable is the characters that can be escaped with a backslash.
const escapable = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// Kind is what a span of a text is.
type Kind uint8

// The kinds of spans.
const (
	Plain  Kind = iota // may hold other marks; backticks in it begin no code
	Escape             // a backslash and a character that is shown as it was typed
	Code               // between runs of as many backticks
	Block              // a block of code
)

// Span is a piece of a text.
type Span struct {
	Kind  Kind
	Text  string
	Shown string // what people see of it
}

// Spans yields what a text is made of. Their Texts are the text.
func Spans(text string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		r := newReader(text)
		for at := 0; at < len(text); {
			span := r.span(at)
			if !yield(span) {
				return
			}
			at += len(span.Text)
		}
	}
}

// reader reads the spans of a text in their order.
type reader struct {
	text   string
	blocks bool        // a block may begin; none does after one that nothing ends
	last   map[int]int // offset of the last run of backticks, by its length
}

func newReader(text string) *reader {
	r := &reader{text: text, blocks: true, last: map[int]int{}}
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			break
		}
		at += next
		run := Ticks(text[at:])
		r.last[run] = at
		at += run
	}
	return r
}

// span returns the span at an offset at which one begins.
func (r *reader) span(at int) Span {
	rest := r.text[at:]
	switch end := strings.IndexAny(rest, "`\\"); {
	case end < 0:
		return plain(rest)
	case end > 0:
		return plain(rest[:end])
	case rest[0] == '`':
		return r.code(at)
	case len(rest) > 1 && strings.IndexByte(escapable, rest[1]) >= 0:
		return Span{Escape, rest[:2], rest[1:2]}
	}
	return plain(rest[:1])
}

// code returns the code that the backticks at an offset begin. If nothing ends it, they are
// plain.
func (r *reader) code(at int) Span {
	rest := r.text[at:]
	if r.blocks && strings.HasPrefix(rest, Fence) {
		inner := strings.TrimLeft(rest[len(Fence):], "\n")
		begin := len(rest) - len(inner)
		// Discord requires at least one character inside.
		if end := strings.Index(inner[min(1, len(inner)):], Fence); end >= 0 {
			end += begin + 1
			return Span{Block, rest[:end+len(Fence)], withoutLanguage(rest[len(Fence):end])}
		}
		r.blocks = false
	}
	run := Ticks(rest)
	if r.last[run] <= at {
		return plain(rest[:run])
	}
	for end := run; ; {
		end += strings.IndexByte(rest[end:], '`')
		n := Ticks(rest[end:])
		if n == run {
			return Span{Code, rest[:end+run], rest[run:end]}
		}
		end += n
	}
}

func plain(text string) Span { return Span{Plain, text, text} }

// withoutLanguage returns the inside of a block of code without the language that it may
// begin with.
func withoutLanguage(code string) string {
	if first, further, more := strings.Cut(code, "\n"); more && !strings.ContainsAny(first, " \t") {
		return further
	}
	return code
}

// Ticks returns how many backticks a text begins with.
func Ticks(text string) int { return len(text) - len(strings.TrimLeft(text, "`")) }

// Prose returns the content of a message without the parts that Discord shows as they
// were typed: code blocks, inline code, and characters after a backslash. Mentions in
// these parts ping nobody. Each part is replaced by a space.
func Prose(content string) string {
	if !strings.ContainsAny(content, "`\\") {
		return content
	}
	var out strings.Builder
	for span := range Spans(content) {
		if span.Kind == Plain {
			out.WriteString(span.Text)
		} else {
			out.WriteByte(' ')
		}
	}
	return out.String()
}
