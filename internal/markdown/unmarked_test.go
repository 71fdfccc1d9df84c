package markdown_test

import (
	"testing"

	"heddle/internal/markdown"
)

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
