package llm

import (
	"strings"
	"unicode/utf8"

	"heddle/graph/path"
)

// AtMost returns a number of tokens that Turn does not exceed. It needs no tokenizer, as
// no token is shorter than a byte, and renders nothing but files and tool calls.
func (c *Counter) AtMost(turn path.Turn) int {
	count, length := messageTokens, labelAtMost(&turn)
	for _, part := range turn.Parts {
		length++ // for the end of the line
		switch part := part.(type) {
		case path.Text:
			length += textAtMost(string(part), 1)
		case path.Note:
			length += textAtMost(string(part), len("[shown: "))
		case path.Image:
			count += c.image(part)
		default:
			var b strings.Builder
			writePart(&b, part)
			length += b.Len()
		}
	}
	if c.exact {
		return count + length
	}
	return count + estimate(length)
}

// RequestAtMost returns a number of tokens that CountFunc.Request does not exceed.
func (c *Counter) RequestAtMost(request *Request) int {
	return countRequest(request, c.AtMost)
}

// labelAtMost returns how many bytes the line before a turn takes, at most.
func labelAtMost(turn *path.Turn) int {
	switch turn.Role {
	case path.RoleUser:
		return len("[speaker: ]\n") + nameAtMost(turn.Speaker)
	case path.RoleAssistant:
		return len(assistantLabel)
	case path.RoleSummary:
		return len(summaryLabel)
	case path.RoleSystem, path.RoleTool:
	}
	return 0
}

// nameAtMost returns how many bytes a name takes in a label, at most.
func nameAtMost(name string) int {
	if !isPlainASCII(name) {
		return len(`\u{10ffff}`) * len(name)
	}
	return len(name)
}

// textAtMost returns how many bytes a text takes at most, with beforeBracket bytes before
// each bracket.
func textAtMost(text string, beforeBracket int) int {
	length := len(text) + beforeBracket*strings.Count(text, "[")
	if !utf8.ValidString(text) {
		length += 2 * len(text) // of every byte becomes a character of three
	}
	return length
}
