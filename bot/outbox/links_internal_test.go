package outbox

import (
	"strings"
	"testing"
	"testing/quick"

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
		"[a [b] c](" + evil + ")":                          "[a [b] c] (<" + evil + ">)",
		"[a\nb](" + evil + ")":                             "[a\nb] (<" + evil + ">)",
		"[https://known.example](" + evil + ")":            "https://known.example (<" + evil + ">)",
		"[a](https://known.example@evil.example)":          "a (<https://known.example@evil.example>)",
		`[a](https://evil.example\@known.example)`:         `a (<https://evil.example\@known.example>)`,
		"[a](https://known.example.evil.example)":          "a (<https://known.example.evil.example>)",
		"[a](discord://known.example)":                     "a (<discord://known.example>)",
		"[a](" + evil + ")[b](" + evil + ")":               "a (<" + evil + ">)b (<" + evil + ">)",
		`\[a](` + evil + ")":                               `\a (<` + evil + ">)",
		"bare " + evil + " and <" + evil + ">":             "bare " + evil + " and <" + evil + ">",
		"f[0](x), [1] and [ ]":                             "f[0](x), [1] and [ ]",
		"an [open bracket":                                 "an [open bracket",
		"an open [link](" + evil:                           "an open [link](" + evil,
		"`[a](" + evil + ")` [b](" + evil + ")":            "`[a](" + evil + ")` b (<" + evil + ">)",
		"``a ` [a](" + evil + ")``":                        "``a ` [a](" + evil + ")``",
		"```md\n[a](" + evil + ")\n```\n[b](" + evil + ")": "```md\n[a](" + evil + ")\n```\nb (<" + evil + ">)",
		"```\n`[a](" + evil + ")":                          "```\n`[a](" + evil + ")",
		"a lone ` and [a](" + evil + ")":                   "a lone ` and a (<" + evil + ">)",
		"a lone ` and\n[a](" + evil + ") `":                "a lone ` and\na (<" + evil + ">) `",
		"\\` [a](" + evil + ") `":                          "\\` a (<" + evil + ">) `",
		"[`a`](" + evil + ")":                              "[`a`] (<" + evil + ">)",
		"[" + strings.Repeat("x", 500) + "](" + evil + ")": "[" + strings.Repeat("x", 500) + "] (<" + evil + ">)",
		"[日本](" + evil + "語)":                              "日本 (<" + evil + "語>)",
		"[a](" + evil + " b) c":                            "[a] (" + evil + " b) c",
		"[a](" + evil + "(b) c":                            "a (<" + evil + "(b>) c",
		"[](" + evil + ")":                                 " (<" + evil + ">)",
	}
}

func TestMaskedLinksToForeignHostsShowTheirAddress(t *testing.T) {
	t.Parallel()
	for text, want := range goldenLinks() {
		l := links{hosts: func() []string { return []string{"known.example"} }}
		if got := l.add(text) + l.rest(); got != want {
			t.Errorf("\n    %q\n is %q\nwant %q", text, got, want)
		}
	}
}

// TestLinksDoNotDependOnHowTheTextComes cuts texts at every place.
func TestLinksDoNotDependOnHowTheTextComes(t *testing.T) {
	t.Parallel()
	all := func(pieces ...string) string {
		l := links{hosts: func() []string { return []string{"known.example"} }}
		var out strings.Builder
		for _, piece := range pieces {
			out.WriteString(l.add(piece))
		}
		return out.String() + l.rest()
	}
	check := func(text string) bool {
		want := all(text)
		for at := range text {
			if got := all(text[:at], text[at:]); got != want {
				t.Errorf("%q cut at %d is %q, want %q as in one piece", text, at, got, want)
				return false
			}
		}
		return all(strings.Split(text, "")...) == want
	}
	for text := range goldenLinks() {
		if !check(text) {
			t.Errorf("%q in single characters is another text than in one piece, want the same", text)
		}
	}
	pieces := []string{"[", "](", ")", "`", "``", "```", "\n", "a", " ", "http://evil.example", "(", "\\", "<", "]", "https://known.example/"}
	random := func(picks []uint8) bool {
		var text strings.Builder
		for _, pick := range picks {
			text.WriteString(pieces[int(pick)%len(pieces)])
		}
		return check(text.String())
	}
	if err := quick.Check(random, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// TestNothingOfAForeignLinkIsShownEarly grows a text by single bytes.
func TestNothingOfAForeignLinkIsShownEarly(t *testing.T) {
	t.Parallel()
	const text = "See [the docs](https://evil.example/a) and `[x](https://evil.example/b)`."
	const want = "See the docs (<https://evil.example/a>) and `[x](https://evil.example/b)`."
	l := links{}
	var shown string
	for i := range len(text) {
		shown += l.add(text[i : i+1])
		if !strings.HasPrefix(want, shown) {
			t.Fatalf("after %d bytes people read %q, want a beginning of %q", i+1, shown, want)
		}
	}
}

func BenchmarkExpensiveLinks(b *testing.B) {
	expensive.Text(b, func(text string) {
		l := links{}
		l.add(text)
		l.rest()
	})
}

func BenchmarkExpensiveSplit(b *testing.B) {
	expensive.Text(b, func(text string) { Split(text, Limit) })
}
