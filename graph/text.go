package graph

import (
	"strings"
	"unicode"
)

// OneLine returns text as one line of at most size characters, without line breaks,
// control characters, or characters that change the writing direction.
func OneLine(text string, size int) string {
	var b strings.Builder
	length, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = length > 0
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200d':
			continue
		}
		if space {
			b.WriteByte(' ')
			length++
		}
		if length+1 >= size {
			return strings.TrimSuffix(b.String(), " ") + "…"
		}
		b.WriteRune(r)
		length++
		space = false
	}
	return b.String()
}

// Apart returns a name as it stands in a sentence. One that is written from right to left
// is set apart, or it would change places with the words around it.
func Apart(name string) string {
	backwards := func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Nko, unicode.Syriac, unicode.Thaana)
	}
	if !strings.ContainsFunc(name, backwards) {
		return name
	}
	const begin, end = "\u2068", "\u2069" // first strong isolate, pop directional isolate
	return begin + name + end
}
