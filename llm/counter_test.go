package llm_test

import (
	"context"
	"strings"
	"testing"

	"heddle/graph/path"
	"heddle/internal/expensive"
	"heddle/llm"
)

func TestTokensAreCountedAsTheModelDoes(t *testing.T) {
	for _, test := range []struct {
		model, text string
		want        int
	}{
		{"gpt-4o", "hello world", 2},
		{"openai/gpt-4.1-mini", "tiktoken is great!", 6},
		{"gpt-4o", "antidisestablishmentarianism", 6},
		{"gpt-5-mini", "", 0},
		{"llama3", "hello world", 3},
		{"llama3", "日本語日本語", 6},
	} {
		counter := llm.NewCounter(test.model)
		if got := counter.Text(t.Context(), test.text); got != test.want {
			t.Errorf("%s takes %d for %q, want %d", test.model, got, test.text, test.want)
		}
	}
}

func TestTurnsCountWithLabelsAndPictures(t *testing.T) {
	counter := llm.NewCounter("gpt-4o")
	text := said("Ada", "hello world")
	if got, want := counter.Turn(t.Context(), text), counter.Text(t.Context(), "[speaker: Ada]\nhello world")+4; got != want {
		t.Errorf("the turn takes %d tokens, want %d", got, want)
	}
	shown := text
	shown.Parts = append(shown.Parts, path.Image{})
	if got, want := counter.Turn(t.Context(), shown), counter.Turn(t.Context(), text)+1445; got != want {
		t.Errorf("the picture takes %d tokens, want %d", got-counter.Turn(t.Context(), text), 1445)
	}
	if llm.NewCounter("gpt-4o-mini").Turn(t.Context(), shown) < 48167 {
		t.Error("gpt-4o-mini's pictures are counted as gpt-4o's, want at least 48167 tokens")
	}
}

// TestLongTextsAreCountedAsTiktokenDoes compares the counts of 8 KiB with those of
// tiktoken. Words of up to 256 bytes are counted exactly, and longer ones nearly so.
func TestLongTextsAreCountedAsTiktokenDoes(t *testing.T) {
	counter := llm.NewCounter("gpt-4o")
	for _, test := range []struct {
		pattern   string
		want, off int
	}{
		{"Words of any kind, and 12 numbers!\n", 2340, 0},
		{"日本語 と ", 1756, 0},
		{"a\u00a0b ", 4915, 0},
		{"a\u00a0 b", 3277, 0},
		{"it's DON'T ", 1489, 0},
		{"x != y;\n\n", 3640, 0},
		{"aB", 4097, 0},
		{"1", 2731, 0},
		{"'s", 4096, 0},
		{"VGhpcyBpcyBhIHRlc3Qg", 4499, 0},
		{"a", 1024, 32},
		{"A", 1024, 32},
		{"日本語", 1820, 32},
		{"=-", 512, 32},
		{"\u0301", 4096, 32},
		{"👩‍👩‍👧", 3640, 32},
		{"antidisestablishmentarianism", 1752, 32},
		{"  ", 64, 32},
		{"\t", 512, 32},
		{"ﷺ", 5460, 32},
	} {
		text := strings.Repeat(test.pattern, 8<<10/len(test.pattern))
		if got := counter.Text(t.Context(), text); max(got-test.want, test.want-got) > test.off {
			t.Errorf("8 KiB of %+q take %d tokens, want %d with at most %d off", test.pattern, got, test.want, test.off)
		}
	}
}

// TestCountingEndsWithItsContext counts a turn with a context that has ended, which is too
// much, and then twice with one that has not.
func TestCountingEndsWithItsContext(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	counter, turn := llm.NewCounter("gpt-4o"), said("Ada", strings.Repeat("word ", 1000))
	if got := counter.Turn(ended, turn); got < 5000 {
		t.Errorf("what was not counted takes %d tokens, want one a byte", got)
	}
	for range 2 {
		if got := counter.Turn(t.Context(), turn); got > 1100 {
			t.Errorf("the turn takes %d tokens, want one for each of its 1000 words", got)
		}
	}
}

// BenchmarkExpensiveCount counts text that tokenizers are slow with.
func BenchmarkExpensiveCount(b *testing.B) {
	counter := llm.NewCounter("gpt-4o")
	expensive.Text(b, func(text string) { counter.Text(b.Context(), text) })
}
