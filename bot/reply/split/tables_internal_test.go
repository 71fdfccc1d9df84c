package split

import (
	"regexp"
	"strings"
	"testing"
	"testing/quick"

	"heddle/internal/expensive"
)

const (
	yarns  = "| Yarn | Metres |\n|:-----|-------:|\n| wool | 120 |\n| 木綿 | 8 |\n"
	listed = "- **wool** – Metres: 120\n- **木綿** – Metres: 8\n"
)

// goldenTables are texts as a model writes them and as people read them.
func goldenTables() map[string]string {
	return map[string]string{
		"":                                      "",
		yarns:                                   listed,
		"Here:\n\n" + yarns + "\nDone.":         "Here:\n\n" + listed + "\nDone.",
		"Here:\n" + yarns + "Done.":             "Here:\n" + listed + "Done.",
		"Here:\n" + yarns + "`x` it is.":        "Here:\n" + listed + "`x` it is.",
		strings.TrimSpace(yarns):                strings.TrimSpace(listed),
		strings.TrimSpace(yarns) + "\n# On":     listed + "# On",
		"  " + yarns:                            listed,
		strings.ReplaceAll(yarns, "\n", "\r\n"): listed,
		yarns + "\n" + yarns:                    listed + "\n" + listed,
		"| a | b | c |\n|-|-|-|\n| x | | z |\n|\n| y | |": "- **x** – c: z\n- \n- **y**",
		"| a |\n|---|\n| b |":                             "- b",
		"|a|b|\n|:-:|---|\n|`x`|\n|long|**y**|z|":         "- **`x`**\n- **long** – b: **y** | z",
		"|a|b|\n|-|-|\n|x\\|y|C:\\d \\*|":                 "- **x|y** – b: C:\\d \\*",
		"|a|b|\n|-|-|\n|x|[y](https://a.b)|":              "- **x** – b: [y](https://a.b)",
		"|a|b|\n|-|-|\n|**x**|<@1>|":                      "- **x** – b: <@1>",
		"|a|b|\n|-|-|\n||<@1>|":                           "- b: <@1>",
		"|a|b|\n|-|-|\n|x|y|\n```\n|x|y|\n```":            "- **x** – b: y\n```\n|x|y|\n```",
		// No tables.
		"```\n" + yarns + "```\n":       "```\n" + yarns + "```\n",
		"```md\n" + yarns:               "```md\n" + yarns,
		"| a | b |\n|---|---|":          "| a | b |\n|---|---|",
		"|a|b|\n|-|-|\n```\n|x|y|\n```": "|a|b|\n|-|-|\n```\n|x|y|\n```",
		"||spoiler||\n---":              "||spoiler||\n---",
		"||a||\n|---|":                  "||a||\n|---|",
		"| only a line |":               "| only a line |",
		"| a line |\n| and another |\n": "| a line |\n| and another |\n",
		"| a | b |\n|---|":              "| a | b |\n|---|",
		"| a | b |\n\n|---|---|":        "| a | b |\n\n|---|---|",
		"a | b\n--|--\nc | d":           "a | b\n--|--\nc | d",
		"| a |\n---\n":                  "| a |\n---\n",
		"| a ``` |\n|---|\n| b ``` |":   "| a ``` |\n|---|\n| b ``` |",
		"> | a |\n> |---|":              "> | a |\n> |---|",
		"|":                             "|",
		"|\n|":                          "|\n|",
		"  ":                            "  ",
	}
}

func inPieces(pieces ...string) string { return poured(new(tables), pieces...) }

// poured returns what becomes of a text that comes in pieces.
func poured(to interface {
	add(text string) string
	rest() string
}, pieces ...string,
) string {
	var out strings.Builder
	for _, piece := range pieces {
		out.WriteString(to.add(piece))
	}
	return out.String() + to.rest()
}

func TestTablesAreShownAsDiscordCan(t *testing.T) {
	for text, want := range goldenTables() {
		if got := inPieces(text); got != want {
			t.Errorf("\n    %q\n is %q\nwant %q", text, got, want)
		}
	}
}

// lines are of what random texts are made.
func lines() []string {
	return []string{
		"| a | b |", "|---|:-:|", "|-|", "| x |", "||", "|", "```", "text", "", "`", "a `b", "\\", "**", " ", "| 日本 | `c` | d |",
		"| [a](https://a.b) | <@1> |", "| " + strings.Repeat("wide ", 12) + "|", "| --- | --- |", "\r", "| \\| | ` |", "|\xff|",
	}
}

func randomText(picks []uint8) string {
	const most = 12
	picks = picks[:min(len(picks), most)]
	all := lines()
	var text strings.Builder
	for _, pick := range picks {
		text.WriteString(all[int(pick)%len(all)])
		if pick < 200 {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// TestTablesDoNotDependOnHowTheTextComes cuts texts at every place.
func TestTablesDoNotDependOnHowTheTextComes(t *testing.T) {
	check := func(text string) bool {
		want := inPieces(text)
		if !ruled.MatchString(text) && want != text {
			t.Errorf("%q has no table and becomes %q, want it unchanged", text, want)
		}
		for at := range len(text) {
			if got := inPieces(text[:at], text[at:]); got != want {
				t.Errorf("%q cut at %d is %q, want %q as in one piece", text, at, got, want)
				return false
			}
		}
		return inPieces(strings.Split(text, "")...) == want
	}
	for text := range goldenTables() {
		if !check(text) {
			t.Errorf("%q in single characters is another text than in one piece, want the same", text)
		}
	}
	random := func(picks []uint8) bool { return check(randomText(picks)) }
	for _, property := range []any{random, check} {
		if err := quick.Check(property, &quick.Config{MaxCount: 300}); err != nil {
			t.Error(err)
		}
	}
}

// ruled matches what has the second line of a table.
var ruled = regexp.MustCompile(`(?m)^[ \t]*\|[^\n]*\n[ \t\r|:-]*-[ \t\r|:-]*$`)

// TestNothingOfARowIsShownEarly grows a text by single bytes: what is shown is never taken back.
func TestNothingOfARowIsShownEarly(t *testing.T) {
	text, want := "Here:\n"+yarns+"\nand\n"+yarns+"Done.", "Here:\n"+listed+"\nand\n"+listed+"Done."
	var r tables
	var shown string
	for i := range len(text) {
		shown += r.add(text[i : i+1])
		if !strings.HasPrefix(want, shown) {
			t.Fatalf("after %d bytes people read %q, want a beginning of %q", i+1, shown, want)
		}
	}
	if shown += r.rest(); shown != want {
		t.Errorf("people read %q, want %q", shown, want)
	}
}

func FuzzTables(f *testing.F) {
	for text := range goldenTables() {
		f.Add(text, len(text)/2)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = min(max(at, 0), len(text))
		got := inPieces(text)
		if cut := inPieces(text[:at], text[at:]); cut != got {
			t.Errorf("%q cut at %d is %q, want %q as in one piece", text, at, cut, got)
		}
		if !ruled.MatchString(text) && got != text {
			t.Errorf("%q has no table and becomes %q, want it unchanged", text, got)
		}
	})
}

func BenchmarkExpensiveTables(b *testing.B) {
	b.Run("anything", func(b *testing.B) {
		expensive.Text(b, func(text string) { inPieces(text) })
	})
	b.Run("in a table", func(b *testing.B) {
		expensive.Text(b, func(text string) { inPieces("|a|b|\n|-|-|\n|", strings.ReplaceAll(text, "\n", "\n|")) })
	})
}
