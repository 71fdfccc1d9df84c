package split_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"heddle/bot/reply/split"
)

func texts(parts []split.Part) []string {
	got := make([]string, len(parts))
	for i, p := range parts {
		got[i] = p.Text
	}
	return got
}

func TestSplitCutsWhereItHurtsLeast(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing":                                        {"", nil},
		"only space":                                     {" \n\t ", nil},
		"exactly full":                                   {x(100), []string{x(100)}},
		"one too many":                                   {x(101), []string{x(100), "x"}},
		"at a newline":                                   {x(60) + "\n" + x(20) + " " + x(30), []string{x(60), x(20) + " " + x(30)}},
		"a newline too early":                            {"a\n" + x(60) + " " + x(60), []string{"a\n" + x(60), x(60)}},
		"an early space":                                 {"a " + x(100), []string{"a", x(100)}},
		"space beyond the limit":                         {x(100) + "   " + x(5), []string{x(100), x(5)}},
		"much space":                                     {"a" + strings.Repeat("\n", 500) + "b", []string{"a", "b"}},
		"a fence is reopened":                            {"```go\n" + x(60) + "\n" + x(60) + "\n```", []string{"```go\n" + x(60) + "\n```", "```go\n" + x(60) + "\n```"}},
		"a fence's end alone":                            {"```go\n" + x(90) + "\n```\n", []string{"```go\n" + x(90) + "\n```"}},
		"text behind a fence's end":                      {"```\n" + x(91) + "\n```\nand so", []string{"```\n" + x(91) + "\n```", "and so"}},
		"a fence at a part's end":                        {x(90) + "\n```go\nxy\n```", []string{x(90), "```go\nxy\n```"}},
		"an unclosed fence is closed":                    {"```go\nx", []string{"```go\nx\n```"}},
		"a language is not cut":                          {x(88) + " ```python\nprint()\n```", []string{x(88), "```python\nprint()\n```"}},
		"indentation in a fence":                         {"```\n" + x(60) + "\n    " + x(60), []string{"```\n" + x(60) + "\n```", "```\n    " + x(60) + "\n```"}},
		"a link is not torn":                             {x(60) + " [" + x(20) + " " + x(20) + "](https://example.com)", []string{x(60), "[" + x(20) + " " + x(20) + "](https://example.com)"}},
		"a spoiler is not torn":                          {x(60) + " ||" + x(20) + " " + x(20) + "||", []string{x(60), "||" + x(20) + " " + x(20) + "||"}},
		"a spoiler is reopened":                          {"||" + x(60) + " " + x(60) + "|| b", []string{"||" + x(60) + "||", "||" + x(60) + "|| b"}},
		"a spoiler of one word":                          {"||" + x(120) + "||", []string{"||" + x(96) + "||", "||" + x(24) + "||"}},
		"a spoiler's end alone":                          {"||" + x(96) + " || b", []string{"||" + x(96) + "||", "b"}},
		"a fence in a spoiler":                           {"||a\n```go\n" + x(60) + "\n" + x(60) + "\n```||", []string{"||a\n```go\n" + x(60) + "\n```||", "||```go\n" + x(60) + "\n```||"}},
		"what nothing ends hides nothing":                {"a || " + x(60) + " " + x(60) + " " + x(90), []string{"a || " + x(60), x(60), x(90)}},
		"nothing ends the second":                        {"||a|| || " + x(60) + " " + x(60), []string{"||a|| || " + x(60), x(60)}},
		"bold text is not torn":                          {x(60) + " **" + x(20) + " " + x(20) + "** " + x(20), []string{x(60), "**" + x(20) + " " + x(20) + "** " + x(20)}},
		"code is not torn":                               {x(60) + " `" + x(20) + " " + x(20) + "` " + x(20), []string{x(60), "`" + x(20) + " " + x(20) + "` " + x(20)}},
		"a marker that nothing ends tears no other line": {"2 **" + x(30) + "\n" + x(30) + " " + x(40), []string{"2 **" + x(30) + "\n" + x(30), x(40)}},
		"a marker among numbers":                         {"2*3 and 4*5 " + x(50) + " " + x(50), []string{"2*3 and 4*5 " + x(50), x(50)}},
		"no spoiler in code":                             {"`a || b` " + x(60) + " " + x(60), []string{"`a || b` " + x(60), x(60)}},
		"half of a spoiler's end":                        {"||" + x(60) + " " + x(34) + " |", []string{"||" + x(60) + " " + x(34) + " |"}},
		"half of a fence's end":                          {"```\n" + x(92) + "``", []string{"```\n" + x(92) + "```"}},
		"no empty block before a long word":              {"```\n" + x(120), []string{"```\n" + x(92) + "\n```", "```\n" + x(28) + "\n```"}},
		"no spoiler is closed late":                      {"a || b", []string{"a || b"}},
		"an escaped spoiler":                             {`a \|| b ` + x(60) + " " + x(60), []string{`a \|| b ` + x(60), x(60)}},
		"a heading stays with text":                      {x(60) + "\n## " + x(20) + "\n" + x(60), []string{x(60), "## " + x(20) + "\n" + x(60)}},
		"an emoji of many runes":                         {x(95) + "👩‍👩‍👧‍👦", []string{x(95), "👩‍👩‍👧‍👦"}},
		"Chinese is cut behind a mark":                   {strings.Repeat("织", 70) + "。" + strings.Repeat("布", 50), []string{strings.Repeat("织", 70) + "。", strings.Repeat("布", 50)}},
		"a mark stays with its quote":                    {strings.Repeat("织", 70) + "。」" + strings.Repeat("布", 50), []string{strings.Repeat("织", 70) + "。」", strings.Repeat("布", 50)}},
		"a comma in Chinese":                             {strings.Repeat("织", 60) + "、" + strings.Repeat("布", 20) + "a" + strings.Repeat("布", 50), []string{strings.Repeat("织", 60) + "、", strings.Repeat("布", 20) + "a" + strings.Repeat("布", 50)}},
		"Japanese is cut between phrases":                {strings.Repeat("機織", 35) + "を" + strings.Repeat("機織", 20), []string{strings.Repeat("機織", 35) + "を", strings.Repeat("機織", 20)}},
		"no mark in code":                                {"```\n" + strings.Repeat("织", 70) + "。" + strings.Repeat("布", 50) + "\n```", []string{"```\n" + strings.Repeat("织", 70) + "。" + strings.Repeat("布", 21) + "\n```", "```\n" + strings.Repeat("布", 29) + "\n```"}},
		"a nested list keeps its indentation":            {"* a\n  1. " + x(60) + "\n     - b\n  2. " + x(30), []string{"* a\n  1. " + x(60) + "\n     - b", "- …\n  2. " + x(30)}},
		"a list that goes on in three parts":             {"- a\n  - " + x(70) + "\n    - " + x(70) + "\n    - " + x(40), []string{"- a\n  - " + x(70), "- …\n  - …\n    - " + x(70), "- …\n  - …\n    - " + x(40)}},
		"a list that ends":                               {"- a\n  - " + x(70) + "\n\n- " + x(70), []string{"- a\n  - " + x(70), "- " + x(70)}},
		"text of an item":                                {"- a\n\n  " + x(70) + "\n\n  " + x(70), []string{"- a\n\n  " + x(70), "- …\n  " + x(70)}},
		"no list in code":                                {"```\n- a\n" + x(70) + "\n  " + x(70) + "\n```", []string{"```\n- a\n" + x(70) + "\n```", "```\n  " + x(70) + "\n```"}},
		"two units each":                                 {strings.Repeat("𝕏", 51), []string{strings.Repeat("𝕏", 50), "𝕏"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := texts(split.Parts(test.text, 100))
			if strings.Join(got, "|") != strings.Join(test.want, "|") {
				t.Errorf("\n got %q\nwant %q", got, test.want)
			}
		})
	}
}

// checkParts holds parts of text to what Split promises.
func checkParts(t *testing.T, text string, parts []split.Part, limit int) {
	t.Helper()
	var sources strings.Builder
	for i, p := range parts {
		sources.WriteString(p.Source)
		if strings.TrimSpace(p.Text) == "" {
			t.Errorf("part %d is empty, want text in every part", i)
		}
		if n := len(utf16.Encode([]rune(p.Text))); n > limit {
			t.Errorf("part %d has %d characters, want at most %d", i, n, limit)
		}
		if strings.Count(p.Text, "```")%2 != 0 && !strings.Contains(p.Text, "````") {
			t.Errorf("part %d leaves a fence open: %q, want it closed", i, p.Text)
		}
		if utf8.ValidString(text) && !utf8.ValidString(p.Text) {
			t.Errorf("part %d breaks a character: %q, want valid UTF-8", i, p.Text)
		}
	}
	if got := sources.String(); got != text && strings.TrimSpace(text) != "" {
		t.Errorf("the parts are not the text:\n got %q\nwant %q", got, text)
	}
	checkGraphemes(t, text, parts, limit)
	checkUnended(t, text, parts)
}

// checkUnended sees that a part shows no markers of its own. Only those of a code block and
// of a spoiler are repeated.
func checkUnended(t *testing.T, text string, parts []split.Part) {
	t.Helper()
	markers := []string{"`", "*", "_", "~"}
	if strings.Contains(text, "```") {
		markers = markers[1:2] // the language of a block may have the others
	}
	for i, p := range parts {
		for _, marker := range markers {
			if strings.Count(p.Text, marker) != strings.Count(p.Source, marker) {
				t.Errorf("part %d has other markers than its source: %q, want those of %q", i, p.Text, p.Source)
			}
		}
	}
}

// checkGraphemes sees that every cut is between graphemes, unless one is too long.
func checkGraphemes(t *testing.T, text string, parts []split.Part, limit int) {
	t.Helper()
	between := map[int]bool{}
	pos, rest, state := 0, text, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if pos += len(cluster); len(cluster) > limit/2 {
			return
		}
		between[pos] = true
	}
	for i, p := range parts {
		if pos = sum(parts[:i+1]); i < len(parts)-1 && !between[pos] {
			t.Errorf("the cut behind part %d, %q, goes through a grapheme, want it between two", i, p.Source)
		}
	}
}

// keptSource reports whether a part has the source that it had when the text was shorter.
// The end of a code block or of a spoiler may have joined it.
func keptSource(earlier, now string) bool {
	joined, ok := strings.CutPrefix(now, earlier)
	return ok && strings.Trim(joined, "`| \t\r\n") == ""
}

func sum(parts []split.Part) (n int) {
	for _, p := range parts {
		n += len(p.Source)
	}
	return n
}

func FuzzSplit(f *testing.F) {
	f.Add("```go\nfunc main() {}\n```\nand `more` text\n\n``` unclosed", 3)
	f.Add(strings.Repeat("word ", 60)+"👩‍👩‍👧‍👦e\u0301\r\n", 40)
	f.Add(strings.Repeat("`", 250), 120)
	f.Add("a || b ||c|| "+strings.Repeat("so || it goes ", 30), 90)
	f.Add("a || b ||c|| "+strings.Repeat("so || it goes ", 13)+"|| it", 192)
	f.Add("```\n"+strings.Repeat("x", 92)+"```and so on", 98)
	f.Add("||"+strings.Repeat("x", 96)+"||and so on", 99)
	f.Add("**a *b _c ~~d `e || "+strings.Repeat("and on\n", 40), 70)
	f.Add("\u0301\xff\xfe```\n\n\n```", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		const limit = 100
		if len(text) < 60 {
			text = strings.Repeat(text, 9)
		}
		parts := split.Parts(text, limit)
		checkParts(t, text, parts, limit)
		if at < 0 || at >= len(text) || !utf8.ValidString(text) {
			return
		}
		for !utf8.RuneStart(text[at]) {
			at--
		}
		earlier := split.Parts(text[:at], limit)
		for i := range len(earlier) - 1 {
			if i >= len(parts) || !keptSource(earlier[i].Source, parts[i].Source) || parts[i].Text != earlier[i].Text && !strings.Contains(text, "||") {
				t.Fatalf("part %d changed when the text grew, want it as it was:\n was %q\n is  %q", i, texts(earlier), texts(parts))
			}
		}
	})
}

// TestGeneratedAnswersAreSplitWell splits answers made of all the Markdown that models
// write. HEDDLE_GENERATED=100000 in the environment splits so many.
func TestGeneratedAnswersAreSplitWell(t *testing.T) {
	n := 500
	if wanted, err := strconv.Atoi(os.Getenv("HEDDLE_GENERATED")); err == nil {
		n = wanted
	}
	torn := 0
	for seed := range uint64(n) {
		random := rand.New(rand.NewPCG(seed, 7))
		text := generated(random)
		parts := split.Parts(text, split.Limit)
		checkParts(t, text, parts, split.Limit)
		for _, p := range parts {
			if strings.Count(p.Text, "](") != strings.Count(p.Text, ".example/)") || strings.Count(p.Text, "⟦") != strings.Count(p.Text, "⟧") {
				torn++
			}
		}
		if t.Failed() {
			t.Fatalf("the text of seed %d fails, see above", seed)
		}
	}
	if torn > 0 {
		t.Errorf("%d parts tear a link or what is emphasised, want 0", torn)
	}
}

// generated returns an answer of up to 20,000 characters.
func generated(random *rand.Rand) string {
	words := func(most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString([]string{"warp ", "weft ", "heddle ", "Kettfäden ", "👩‍👩‍👧 ", "経糸 ", "shuttle, "}[random.IntN(7)])
		}
		return strings.TrimSpace(b.String())
	}
	var b strings.Builder
	for range 1 + random.IntN(30) {
		switch random.IntN(11) {
		case 0:
			fmt.Fprintf(&b, "%s %s\n", strings.Repeat("#", 1+random.IntN(3)), words(6))
		case 1:
			for i := range 1 + random.IntN(12) {
				fmt.Fprintf(&b, "%s %s\n", []string{"-", strconv.Itoa(i+1) + "."}[random.IntN(2)], words(20))
			}
		case 2:
			fmt.Fprintf(&b, "```%s\n%s\n```\n", []string{"", "go", "python"}[random.IntN(3)], strings.Repeat(words(8)+"\n", 1+random.IntN(40)))
		case 3:
			fmt.Fprintf(&b, "%s ||%s|| %s\n", words(30), words([]int{20, 900}[random.IntN(2)]), words(30))
		case 4:
			fmt.Fprintf(&b, "%s [%s](https://%s.example/) %s\n", words(60), words(8), "loom", words(40))
		case 6, 7:
			marker := []string{"**", "*", "_", "__", "~~", "`", "***"}[random.IntN(7)]
			fmt.Fprintf(&b, "%s %s⟦%s⟧%s %s\n", words(60), marker, words(20), marker, words(40))
		case 8: // nothing ends it
			marker := []string{"**", "*", "_", "__", "~~", "`", "||", "2 * 3", "snake_case", "a || b"}[random.IntN(10)]
			fmt.Fprintf(&b, "%s %s%s\n", words(30), marker, words(30))
		case 5:
			fmt.Fprintf(&b, "> %s\n", words(60))
		default:
			fmt.Fprintf(&b, "%s\n\n", words(150))
		}
	}
	return b.String()
}
