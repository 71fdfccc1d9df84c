package markdown_test

import (
	"strings"
	"testing"

	"heddle/internal/expensive"
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

func TestUnmarkedReturnsWordsAlone(t *testing.T) {
	for content, want := range map[string]string{
		"":                                    "",
		"plain, 2 * 3 * 4":                    "plain, 2 * 3 * 4",
		"**Monday** to *Wednesday*":           "Monday to Wednesday",
		"***both*** and **a *b* c**":          "both and a b c",
		"__under__ _slanted_ ~~gone~~":        "under slanted gone",
		"a_snake_case __init__":               "a_snake_case init",
		"*not closed, **nor this":             "*not closed, **nor this",
		"the key is ||under the stone||, ann": "the key is " + markdown.Hidden + ", ann",
		"a || b":                              "a || b",
		"# Title\n> said\n-# small\n- one\n* two\n### deep": "Title\nsaid\nsmall\none\ntwo\ndeep",
		"#hash -x":                        "#hash -x",
		"run `**go** test` now":           "run **go** test now",
		"```go\nx := **p\n``` and **b**":  "x := **p\n and b",
		"a ` b **c**":                     "a ` b c",
		`\*\*as typed\*\*`:                "**as typed**",
		"[the **plan**](https://x.org/a)": "the plan",
		"[x](y) [z]":                      "[x](y) [z]",
		"**日本**語 ~~é~~":                   "日本語 é",
		"****":                            "****",
		"**":                              "**",
		"\xff**x**":                       "\xffx",
	} {
		if got := markdown.Unmarked(content); got != want {
			t.Errorf("%q reads %q without its marks, want %q", content, got, want)
		}
	}
}

// BenchmarkExpensiveProse removes code from text with backticks that are never closed.
func BenchmarkExpensiveProse(b *testing.B) {
	expensive.Text(b, func(text string) { markdown.Prose(text) })
}

// BenchmarkExpensiveUnmarked reads marks that are never closed and marks within marks.
func BenchmarkExpensiveUnmarked(b *testing.B) {
	expensive.Text(b, func(text string) { markdown.Unmarked(text) })
}

func FuzzProseIsNoLongerThanTheContent(f *testing.F) {
	for _, content := range []string{"`<@1>`", "```\n<@1>\n``` `", "\\`<@1>\\`", "`` ` ``` x", "\\\\`<@1>`", "```", "`\xc4 \xa2"} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		prose := markdown.Prose(content)
		if len(prose) > len(content) {
			t.Fatalf("the prose is %q, want it no longer than the content %q", prose, content)
		}
		if !strings.ContainsAny(content, "`\\") && prose != content {
			t.Fatalf("%q has neither code nor escapes and reads %q, want it unchanged", content, prose)
		}
		rest := content // what is left stands in the content, in this order
		for _, b := range []byte(strings.ReplaceAll(prose, " ", "")) {
			at := strings.IndexByte(rest, b)
			if at < 0 {
				t.Fatalf("the prose is %q, want only letters of %q in their order", prose, content)
			}
			rest = rest[at+1:]
		}
	})
}
