package split

import (
	"strings"
	"testing"
	"testing/quick"

	"heddle/internal/expensive"
)

// goldenMarkup are texts as a model writes them and as Discord can show them.
func goldenMarkup() map[string]string {
	return map[string]string{
		"":                                  "",
		"#### Wool":                         "**Wool**",
		"a\n##### The **warp** ##\nb":       "a\n**The warp**\nb",
		"### Wool\n#no #### heading":        "### Wool\n#no #### heading",
		"####### seven":                     "####### seven",
		"#### ":                             "#### ",
		"a\n\n---\n\nb":                     "a\n\nb",
		"a\n***\nb\n_ _ _\n\n\nc":           "a\n\nb\n\nc",
		"---":                               "",
		"a --- b\n--- c":                    "a --- b\n--- c",
		"- [ ] a\n  * [x] b\n1. [X] c":      "- ☐ a\n  * ☑ b\n1. ☑ c",
		"- [a](u) [ ] b\n- [] c":            "- [a](u) [ ] b\n- [] c",
		"a<br>b<BR/>c<br />d":               "a\nb\nc\nd",
		"- a<br>b\n  1. c<br>d":             "- a\n  b\n  1. c\n     d",
		"a <b> `<br>` <br":                  "a <b> `<br>` <br",
		"| a<br>b |":                        "| a<br>b |",
		"````md\n```go\nx\n```\n````\nb":    "```md\n``\u200b`go\nx\n``\u200b`\n```\nb",
		"~~~\n~~\n#### a\n~~~\n#### b":      "```\n~~\n#### a\n```\n**b**",
		"  ~~~~ python extra\nx\n~~~\n":     "  ```python\nx\n~~~\n",
		"~~struck~~ ~~~":                    "~~struck~~ ~~~",
		"```\n#### a\n$x^2$ <br>\n```\n$a$": "```\n#### a\n$x^2$ <br>\n```\n`a`",
		"`a ![b](u)` ``$x`$`` ![b](u)":      "`a ![b](u)` ``$x`$`` [b](u)",
		"![](https://a.b) !\n![c] ![":       "https://a.b !\n![c] ![",
		"$$E=mc^2$$":                        "```tex\nE=mc^2\n```",
		"So\n$$\n\\sum_i i\n$$\nis":         "So\n```tex\n\\sum_i i\n```\nis",
		"\\[ a^2\n+ b \\] so":               "\\[ a^2\n+ b \\] so",
		"\\[ \\alpha\n+ b \\] so":           "```tex\n\\alpha\n+ b\n```\n so",
		"so $$x$$ and \\[y\\]":              "so `x` and `y`",
		"it is \\(x + y\\), \\*not\\* \\(":  "it is `x + y`, \\*not\\* \\(",
		"$5 and $10, US$5 or 5$":            "$5 and $10, US$5 or 5$",
		"$x$ costs $3, $a_1$ and $f(x)$":    "`x` costs $3, `a_1` and `f(x)`",
		"$HOME/$USER is $A_B:$PATH":         "$HOME/$USER is $A_B:$PATH",
		"cheap $, dear $$, \\$x^2$":         "cheap $, dear $$, \\$x^2$",
		"$$$ shop\n$$ shop\nb":              "$$$ shop\n$$ shop\nb",
	}
}

func rewritten(pieces ...string) string { return poured(new(markup), pieces...) }

func TestMarkdownIsShownAsDiscordCan(t *testing.T) {
	for text, want := range goldenMarkup() {
		if got := rewritten(text); got != want {
			t.Errorf("\n    %q\n is %q\nwant %q", text, got, want)
		}
	}
}

// randomMarkup returns a text of what is rewritten, and of halves of it.
func randomMarkup(picks []uint8) string {
	pieces := []string{
		"\n", "\n", "\n", " ", "a", "####", "# ", "---", "*", "- ", "[ ] ", "[x]", "1. ", "<br>", "<br", "/>", "````", "```", "`", "~~~", "~",
		"$", "$$", "x^2", "5", "\\[", "\\]", "\\(", "\\)", "\\", "![", "](", ")", "|", "\r", "\t", strings.Repeat(" ", mostIndent), strings.Repeat("y", mostLabel),
	}
	var text strings.Builder
	for _, pick := range picks[:min(len(picks), 24)] {
		text.WriteString(pieces[int(pick)%len(pieces)])
	}
	return text.String()
}

// checkRewritten sees that a text is rewritten alike however it comes.
func checkRewritten(t *testing.T, text string) bool {
	t.Helper()
	want := rewritten(text)
	for at := range len(text) {
		if got := rewritten(text[:at], text[at:]); got != want {
			t.Errorf("%q cut at %d is %q, want %q as in one piece", text, at, got, want)
			return false
		}
	}
	if got := rewritten(strings.Split(text, "")...); got != want {
		t.Errorf("%q in single characters is %q, want %q as in one piece", text, got, want)
		return false
	}
	return true
}

// TestMarkupDoesNotDependOnHowTheTextComes cuts texts at every place.
func TestMarkupDoesNotDependOnHowTheTextComes(t *testing.T) {
	for text := range goldenMarkup() {
		checkRewritten(t, text)
	}
	random := func(picks []uint8) bool { return checkRewritten(t, randomMarkup(picks)) }
	if err := quick.Check(random, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}

func FuzzMarkup(f *testing.F) {
	for text := range goldenMarkup() {
		f.Add(text, len(text)/2)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = min(max(at, 0), len(text))
		if want, got := rewritten(text), rewritten(text[:at], text[at:]); got != want {
			t.Errorf("%q cut at %d is %q, want %q as in one piece", text, at, got, want)
		}
	})
}

func BenchmarkExpensiveMarkup(b *testing.B) {
	expensive.Text(b, func(text string) { rewritten(text) })
}
