package markdown

import (
	"regexp"
	"strconv"
	"strings"
)

const (
	// Hidden stands in an unmarked text for what a spoiler hides.
	Hidden = "▒▒▒"
	// longest is how many bytes of a text are read, more than any message has.
	longest = 16 << 10
)

// shown is what stands in place of marks of a kind.
type shown struct {
	marks *regexp.Regexp
	words string
}

// marks are all marks in the order in which they are taken away. A single * or _ marks only
// what begins right behind it, and the _ within a word marks nothing.
var marks = []shown{ //nolint:gochecknoglobals // nothing changes it
	{regexp.MustCompile(`(?m)^(?:>>> |> |-# |#{1,3} |[-*] )`), ""},
	{regexp.MustCompile(`\[([^\]\n]+)\]\(<?http[^) \n]*\)`), "$1"},
	{regexp.MustCompile(`(?s)\|\|.+?\|\|`), Hidden},
	{regexp.MustCompile(`(?s)\*\*(.+?)\*\*`), "$1"},
	{regexp.MustCompile(`(?s)__(.+?)__`), "$1"},
	{regexp.MustCompile(`(?s)~~(.+?)~~`), "$1"},
	{regexp.MustCompile(`\*([^\s*](?:[^*]|\*\*)*?)\*($|[^*])`), "$1$2"},
	{regexp.MustCompile(`\b_([^\s_](?:[^_]|__)*?)_\b`), "$1"},
}

// set matches what stands for a span whose marks are shown.
var set = regexp.MustCompile("\x00[0-9]+\x00")

// Unmarked returns the words of a message without Discord's marks. Emphasis, headings,
// quotes, list items and code become plain words. A link with a text becomes the text, and
// what a spoiler hides becomes Hidden. Of a text that is longer than any message it returns
// the beginning.
func Unmarked(content string) string {
	var text strings.Builder
	var apart []string // what code and escapes show, in which nothing is a mark
	for span := range Spans(strings.ReplaceAll(content[:min(len(content), longest)], "\x00", "")) {
		if span.Kind == Plain {
			text.WriteString(span.Text)
			continue
		}
		text.WriteString("\x00" + strconv.Itoa(len(apart)) + "\x00")
		apart = append(apart, span.Shown)
	}
	words := text.String()
	for _, mark := range marks {
		words = mark.marks.ReplaceAllString(words, mark.words)
	}
	return set.ReplaceAllStringFunc(words, func(place string) string {
		i, _ := strconv.Atoi(strings.Trim(place, "\x00")) // it was written above
		return apart[i]
	})
}
