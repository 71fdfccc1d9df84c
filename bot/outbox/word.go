package outbox

import (
	"unicode"
	"unicode/utf8"
)

// hasWord reports whether a growing text has a complete word: a letter or digit, and
// behind it a space. In scripts that are written without spaces, one character suffices.
func hasWord(text string) bool {
	begun := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) && begun:
			return true
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			return true
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			begun = true
		}
	}
	return begun && utf8.RuneCountInString(text) > longWord
}

// longWord is the number of characters that are no word any more, such as those of an
// address. They are shown before they end.
const longWord = 30
