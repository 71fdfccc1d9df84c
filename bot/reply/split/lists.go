package split

import (
	"strings"
	"unicode"

	"heddle/internal/markdown"
)

// hanging is what stands for the text of a list's item that an earlier message shows.
const hanging = "…"

// itemsAfter returns the items of lists that may go on behind a text, one below the other, with
// hanging for their texts. Before it, items could go on.
func itemsAfter(items, text string) string {
	code := false
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " ")
		indent := len(line) - len(rest)
		if strings.HasPrefix(rest, markdown.Fence) {
			code = !code
		}
		if code || strings.TrimSpace(rest) == "" {
			continue
		}
		items = itemsBefore(items, indent)
		if mark := bullet.FindString(rest); mark != "" && indent <= mostIndent {
			if mark[0] == '*' || mark[0] == '+' {
				mark = "- "
			}
			items += line[:indent] + strings.TrimRight(mark, " \t") + " " + hanging + "\n"
		}
	}
	return items
}

// itemsBefore returns the items that are indented less than a number of spaces.
func itemsBefore(items string, indent int) string {
	at := 0
	for line := range strings.Lines(items) {
		if len(line)-len(strings.TrimLeft(line, " ")) >= indent {
			break
		}
		at += len(line)
	}
	return items[:at]
}

// withoutBlank returns a text without the white space that it begins with, apart from the
// indentation of its first line.
func withoutBlank(text string) string {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	white := text[:len(text)-len(rest)]
	indent := white[strings.LastIndexByte(white, '\n')+1:]
	if strings.Trim(indent, " ") != "" || len(indent) > mostIndent {
		return rest
	}
	return indent + rest
}
