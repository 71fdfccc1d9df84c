package split

import (
	"regexp"
	"strings"
)

const mostHashes = 3 // of a heading that Discord shows as one

// A single star or underscore begins emphasis before a word and ends it behind one.
var (
	emphasisBegins = regexp.MustCompile(`(?:^|[\s("])[*_][^\s*_]`)
	emphasisEnds   = regexp.MustCompile(`[^\s*_][*_](?:[\s).,;:!?"]|$)`)
)

// isHeading reports whether a line is a heading.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n > 0 && n <= mostHashes && strings.HasPrefix(rest, " ")
}

// torn reports whether a cut behind the beginning of a line tears what goes on in the line:
// a link, code, or what is emphasised.
func torn(line string) bool {
	for _, mark := range []string{"`", "**", "~~"} {
		if strings.Count(line, mark)%2 != 0 {
			return true
		}
	}
	single := strings.NewReplacer("**", "", "__", "_").Replace(line)
	if strings.ContainsAny(single, "*_") && len(emphasisBegins.FindAllString(single, -1)) > len(emphasisEnds.FindAllString(single, -1)) {
		return true
	}
	label := strings.LastIndexByte(line, '[')
	_, to, ended := strings.Cut(line[label+1:], "]")
	return label >= 0 && len(line)-label-1 <= mostLabel && (!ended || strings.HasPrefix(to, "(") && !strings.Contains(to, ")"))
}
