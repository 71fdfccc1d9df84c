package split

import (
	"regexp"
	"strings"
	"testing"
	"testing/quick"

	"github.com/rivo/uniseg"

	"heddle/internal/expensive"
	"heddle/internal/markdown"
)

const (
	narrow = "| Yarn | Metres |\n|:-----|-------:|\n| wool | 120 |\n| 木綿 | 8 |\n"
	block  = "```\nYarn  Metres\n----  ------\nwool     120\n木綿       8\n```\n"
)

// wide returns a table that does not fit into a block, and what becomes of it.
func wide() (written, shown string) {
	words := strings.TrimSpace(strings.Repeat("over under ", 5))
	return "| Weave | How | Use |\n|---|---|---|\n| plain | " + words + " | shirts |\n| twill | diagonal | |\n",
		"- **plain** – How: " + words + "; Use: shirts\n- **twill** – How: diagonal\n"
}

// goldenTables are texts as a model writes them and as people read them.
func goldenTables() map[string]string {
	written, listed := wide()
	long := "| a | b |\n|---|---|\n" + strings.Repeat("| "+strings.Repeat("x", 40)+" | y |\n", 50)
	return map[string]string{
		"":                                       "",
		narrow:                                   block,
		"Here:\n\n" + narrow + "\nDone.":         "Here:\n\n" + block + "\nDone.",
		"Here:\n" + narrow + "Done.":             "Here:\n" + block + "Done.",
		"Here:\n" + narrow + "`x` it is.":        "Here:\n" + block + "`x` it is.",
		strings.TrimSpace(narrow):                strings.TrimSpace(block),
		"  " + narrow:                            block,
		strings.ReplaceAll(narrow, "\n", "\r\n"): block,
		narrow + "\n" + narrow:                   block + "\n" + block,
		written:                                  listed,
		"So:\n" + written + "Done.":              "So:\n" + listed + "Done.",
		strings.TrimSpace(written) + "\n# On":    listed + "# On",
		long:                                     strings.Repeat("- **"+strings.Repeat("x", 40)+"** – b: y\n", 50),
		"| a |\n|---|\n| b |":                    "```\na\n-\nb\n```",
		"| a | b |\n|---|---|":                   "```\na  b\n-  -\n```",
		"|a|b|\n|:-:|---|\n|`x`|\n|long|**y**|z|": "```\n a    b\n----  -----\n x\nlong  y | z\n```",
		"|a|b|\n|-|-|\n|x\\|y|C:\\d \\*|":         "```\na    b\n---  ------\nx|y  C:\\d *\n```",
		"|a|b|\n|-|-|\n|x|[y](https://a.b)|":      "- **x** – b: [y](https://a.b)",
		"|a|b|\n|-|-|\n|**x**|<@1>|":              "- **x** – b: <@1>",
		"|a|b|\n|-|-|\n||<@1>|":                   "- b: <@1>",
		"|a|<@1>|\n|-|-|":                         "- **a** – <@1>",
		"|a|b|\n|-|-|\n```\n|x|y|\n```":           "```\na  b\n-  -\n```\n```\n|x|y|\n```",
		// No tables.
		"```\n" + narrow + "```\n":      "```\n" + narrow + "```\n",
		"```md\n" + narrow:              "```md\n" + narrow,
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

func inPieces(pieces ...string) string {
	var t tables
	var out strings.Builder
	for _, piece := range pieces {
		out.WriteString(t.add(piece))
	}
	return out.String() + t.rest()
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

// TestNothingOfATableIsShownEarly grows a text by single bytes: what is shown is never
// taken back, and nothing of a block is shown before all of it.
func TestNothingOfATableIsShownEarly(t *testing.T) {
	written, listed := wide()
	text, want := "Here:\n"+narrow+"\nand\n"+written+"Done.", "Here:\n"+block+"\nand\n"+listed+"Done."
	var r tables
	var shown string
	for i := range len(text) {
		shown += r.add(text[i : i+1])
		if !strings.HasPrefix(want, shown) {
			t.Fatalf("after %d bytes people read %q, want a beginning of %q", i+1, shown, want)
		}
		if strings.Count(shown, markdown.Fence) == 1 {
			t.Fatalf("after %d bytes half a block stands: %q, want a whole one or none", i+1, shown)
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
		if strings.Contains(text, markdown.Fence) {
			return
		}
		for line := range strings.SplitSeq(blocksOf(got), "\n") {
			if uniseg.StringWidth(line) > mostColumns {
				t.Errorf("%q has a block with the line %q, want at most %d columns", text, line, mostColumns)
			}
		}
	})
}

// blocksOf returns what stands in the code blocks of a text.
func blocksOf(text string) string {
	var in strings.Builder
	for i, piece := range strings.Split(text, markdown.Fence) {
		if i%2 == 1 {
			in.WriteString(piece)
		}
	}
	return in.String()
}

func BenchmarkExpensiveTables(b *testing.B) {
	b.Run("anything", func(b *testing.B) {
		expensive.Text(b, func(text string) { inPieces(text) })
	})
	b.Run("in a table", func(b *testing.B) {
		expensive.Text(b, func(text string) { inPieces("|a|b|\n|-|-|\n|", strings.ReplaceAll(text, "\n", "\n|")) })
	})
}
