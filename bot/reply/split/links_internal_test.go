package split

import (
	"strings"
	"testing"

	"heddle/internal/expensive"
)

// goldenLinks are texts as a model writes them and as people read them. The conversation
// named known.example.
func goldenLinks() map[string]string {
	const evil = "https://evil.example/a"
	return map[string]string{
		"":         "",
		"no links": "no links",
		"See [the docs](https://known.example/x).":         "See [the docs](https://known.example/x).",
		"See [the docs](https://www.known.example).":       "See [the docs](https://www.known.example).",
		"See [the docs](" + evil + ").":                    "See the docs (<" + evil + ">).",
		"[a](<" + evil + ">)":                              "a (<" + evil + ">)",
		"[a]( " + evil + " \"a title\")!":                  "a (<" + evil + ">)!",
		"[a](http://evil.example/x_(y)) b":                 "a (<http://evil.example/x_(y)>) b",
		"[**a**](" + evil + ")":                            "**a** (<" + evil + ">)",
		"[a [b] c](" + evil + ")":                          "[a [b] c] (" + evil + ")",
		"[a\nb](" + evil + ")":                             "[a\nb] (" + evil + ")",
		"[https://known.example](" + evil + ")":            "https://known.example (<" + evil + ">)",
		"[a](https://known.example@evil.example)":          "a (<https://known.example@evil.example>)",
		`[a](https://evil.example\@known.example)`:         `[a] (https://evil.example\@known.example)`,
		"[a](https://known.example.evil.example)":          "a (<https://known.example.evil.example>)",
		"[a](discord://known.example)":                     "a (<discord://known.example>)",
		"[a](" + evil + ")[b](" + evil + ")":               "a (<" + evil + ">)b (<" + evil + ">)",
		`\[a](` + evil + ")":                               `\[a] (` + evil + ")",
		"bare " + evil + " and <" + evil + ">":             "bare " + evil + " and <" + evil + ">",
		"f[0](x), [1] and [ ]":                             "f[0](x), [1] and [ ]",
		"an [open bracket":                                 "an [open bracket",
		"an open [link](" + evil:                           "an open [link] (" + evil,
		"`[a](" + evil + ")` [b](" + evil + ")":            "`[a](" + evil + ")` b (<" + evil + ">)",
		"``a ` [a](" + evil + ")``":                        "``a ` [a](" + evil + ")``",
		"```md\n[a](" + evil + ")\n```\n[b](" + evil + ")": "```md\n[a](" + evil + ")\n```\nb (<" + evil + ">)",
		"```\n`[a](" + evil + ")":                          "```\n`[a](" + evil + ")\n```",
		"a lone ` and [a](" + evil + ")":                   "a lone ` and a (<" + evil + ">)",
		"a lone ` and\n[a](" + evil + ") `":                "a lone ` and\na (<" + evil + ">) `",
		"\\` [a](" + evil + ") `":                          "\\` a (<" + evil + ">) `",
		"[`a`](" + evil + ")":                              "[`a`] (" + evil + ")",
		"[" + strings.Repeat("x", 500) + "](" + evil + ")": "[" + strings.Repeat("x", 500) + "] (" + evil + ")",
		"[日本](" + evil + "語)":                              "日本 (<" + evil + "語>)",
		"[a](" + evil + " b) c":                            "[a] (" + evil + " b) c",
		"[a](" + evil + "(b) c":                            "[a] (" + evil + "(b) c",
		"``a`[b](" + evil + ")`":                           "``a`b (<" + evil + ">)`",
		"`a\n` [b](" + evil + ") `":                        "`a\n` b (<" + evil + ">) `",
		"```a`````[b](" + evil + ")` [c](" + evil + ")`":   "```a`````b (<" + evil + ">)` c (<" + evil + ">)`",
		`[a](https\://evil.example)`:                       `[a] (https\://evil.example)`,
		`[a](https:\/\/evil.example)`:                      `[a] (https:\/\/evil.example)`,
		`[a\](` + evil + ")":                               `[a\] (` + evil + ")",
		"[](" + evil + ")":                                 " (<" + evil + ">)",
	}
}

func TestMaskedLinksToForeignHostsShowTheirAddress(t *testing.T) {
	for text, want := range goldenLinks() {
		known := func() []string { return []string{"known.example"} }
		if got := strings.Join(Messages(text, Limit, known), ""); got != want {
			t.Errorf("\n    %q\n is %q\nwant %q", text, got, want)
		}
	}
}

// BenchmarkExpensiveLinks reads texts alone, and among links, without which nothing is read.
func BenchmarkExpensiveLinks(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		expensive.Text(b, func(text string) { unmask(text, nil) })
	})
	b.Run("among links", func(b *testing.B) {
		expensive.Text(b, func(text string) { unmask("[a](http://b) "+text+" [a](http://b)", nil) })
	})
	b.Run("within each other", func(b *testing.B) {
		expensive.Text(b, func(text string) {
			n := len(text) / 14
			unmask(strings.Repeat("[a](http://b ", n)+strings.Repeat(")", n), nil)
		})
	})
}

func BenchmarkExpensiveSplit(b *testing.B) {
	expensive.Text(b, func(text string) { Parts(text, Limit) })
}
