package inspect

import (
	"strings"

	"heddle/internal/markdown"
)

// codeBlock is the position of a block of code in an answer's text.
type codeBlock struct {
	Language string `json:"language,omitempty"` // in lower case, as the answer names it; "" if it does not
	From     int    `json:"from"`               // bytes
	Size     int    `json:"size"`               // bytes
}

// codeBlocks returns the blocks of code in a text, as Discord shows them.
func codeBlocks(text string) []codeBlock {
	blocks := []codeBlock{}
	end := 0
	for span := range markdown.Spans(text) {
		end += len(span.Text)
		if span.Kind != markdown.Block {
			continue
		}
		from := end - len(markdown.Fence) - len(span.Shown)
		before := text[end-len(span.Text) : from]
		language := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(before, markdown.Fence)))
		blocks = append(blocks, codeBlock{language, from, len(span.Shown)})
	}
	return blocks
}
