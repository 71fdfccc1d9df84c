package markdown

import "strings"

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
