package store

import "strings"

// CodeBlock is the position of fenced code in an answer's text.
type CodeBlock struct {
	Language string `json:"language,omitempty"` // in lower case, as the answer names it; "" if it does not
	From     int    `json:"from"`               // bytes
	Size     int    `json:"size"`               // bytes
}

// maxLanguage is the longest name of a language, in bytes.
const maxLanguage = 32

// codeBlocks returns the positions of fenced code in a text. A fence is at the start of
// a line. As on Discord, the block ends at the next run of equally many backticks, or
// at the end of the text.
func codeBlocks(text string) []CodeBlock {
	var blocks []CodeBlock
	for at := 0; at < len(text); {
		line, rest, _ := strings.Cut(text[at:], "\n")
		next := len(text) - len(rest)
		info := strings.TrimLeft(line, " ")
		ticks := len(info) - len(strings.TrimLeft(info, "`"))
		if info = info[ticks:]; ticks < 3 || strings.Contains(info, "`") {
			at = next
			continue
		}
		block := CodeBlock{Language: language(info), From: next, Size: len(rest)}
		at = len(text)
		if end := strings.Index(rest, strings.Repeat("`", ticks)); end >= 0 {
			block.Size = end
			at = next + end
			at += len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// language returns the language in the info string after a fence: its first word.
func language(info string) string {
	words := strings.Fields(strings.ToLower(info))
	if len(words) == 0 || len(words[0]) > maxLanguage {
		return ""
	}
	return strings.ToValidUTF8(words[0], "")
}
