package outbox

import "strings"

// pieces reads a text that comes in pieces. It holds back what cannot be decided before
// more of the text is known.
type pieces struct{ held string }

// take takes more of the text and returns what can be shown. next returns the size of the
// first piece of a text and what is shown for it. The size is 0 if more text must be known.
func (p *pieces) take(text string, next func(string) (size int, shown string)) string {
	text = p.held + text
	var out strings.Builder
	for text != "" {
		size, shown := next(text)
		if size == 0 {
			break
		}
		out.WriteString(shown)
		text = text[size:]
	}
	p.held = text
	return out.String()
}
