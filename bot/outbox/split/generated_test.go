package split_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"heddle/bot/outbox/split"
)

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
