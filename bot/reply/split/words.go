package split

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// rank describes how well a text may be cut at a place; 0 is not at all.
type rank uint8

const (
	betweenWords rank = iota + 1 // as far as that can be told
	afterMark                    // behind a space or a mark of punctuation
)

const (
	wideMarks = "。！？、，；：．…」』）】》〉"
	noStart   = wideMarks + "・ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々ゝゞヽヾ)]}!?,.:;"
	noEnd     = "「『（【《〈([{"
)

// rankOf returns how well a text may be cut behind a piece of it, before the rest. Japanese and
// Chinese have no spaces: a mark such as 。 serves, unless another follows, and in Japanese the
// end of a run of hiragana, which mostly ends a phrase (openclaw#38597).
func rankOf(piece, rest string) rank {
	if piece == " " || piece == "\t" {
		return afterMark
	}
	before, _ := utf8.DecodeLastRuneInString(piece)
	after, _ := utf8.DecodeRuneInString(rest)
	switch {
	case before < utf8.RuneSelf && after < utf8.RuneSelf, rest == "", strings.ContainsRune(noStart, after), strings.ContainsRune(noEnd, before):
		return 0
	case strings.ContainsRune(wideMarks, before):
		return afterMark
	case !unicode.In(before, unicode.L, unicode.N) || !unicode.In(after, unicode.L, unicode.N):
		return 0
	case unicode.Is(unicode.Hiragana, before) && !unicode.Is(unicode.Hiragana, after), isWide(before) != isWide(after):
		return betweenWords
	}
	return 0
}

// isWide reports whether a letter belongs to a script without spaces.
func isWide(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
