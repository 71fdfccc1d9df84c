package markdown_test

import (
	"strings"
	"testing"

	"heddle/internal/markdown"
)

func TestProseLeavesOutCodeAndEscapes(t *testing.T) {
	for content, want := range map[string]string{
		"":                                   "",
		"plain <@1>":                         "plain <@1>",
		"a `<@1>` b":                         "a   b",
		"a ``<@1> ` <@1>`` b":                "a   b",
		"``` <@1>":                           "``` <@1>",
		"` <@1>":                             "` <@1>",
		"```\n<@1>\n``` after <@1>":          "  after <@1>",
		"```go\n<@1>\n```":                   " ",
		"``` ` <@1> ```":                     " ",
		"``````":                             "``````",
		"a \\<@1> b":                         "a  @1> b",
		"\\`<@1>\\`":                         " <@1> ",
		"a\\b <@1>":                          "a\\b <@1>",
		"``x` <@1>":                          "``x` <@1>",
		"`a` <@1> `b`":                       "  <@1>  ",
		"`a\n<@1>\nb`":                       " ",
		"````\n<@1>\n```` x":                 " ` x",
		"```\n\n```":                         " ",
		strings.Repeat("`", 7) + " <@1> `x`": "  <@1>  ",
	} {
		if got := markdown.Prose(content); got != want {
			t.Errorf("%q reads %q, want %q", content, got, want)
		}
	}
}
