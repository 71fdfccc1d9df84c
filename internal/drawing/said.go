package drawing

import (
	"strings"

	"heddle/graph/path"
)

// said returns the text of the parts of a turn. A part that is not text is described in
// brackets.
func said(parts []path.Part) string {
	var all []string
	for _, part := range parts {
		switch part := part.(type) {
		case path.Text:
			all = append(all, string(part))
		case path.Note:
			all = append(all, string(part))
		case path.File:
			all = append(all, "["+part.Name+"]")
			if part.Text != "" {
				all = append(all, part.Text)
			}
		case path.Image:
			all = append(all, "[a picture]")
		case path.ToolCall:
			all = append(all, "["+part.Name+" "+part.Arguments+"]")
		case path.ToolResult:
			all = append(all, said(part.Parts))
		}
	}
	return strings.Join(all, "\n")
}
