package llm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"heddle/graph/path"
	"heddle/internal/errtest"
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
		{"gpt-4", "antidisestablishmentarianism", 6},
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

// TestCountingInPiecesStaysNearExact compares counts in pieces with those of the
// tokenizer itself. Prose is counted exactly, and text without spaces nearly so.
func TestCountingInPiecesStaysNearExact(t *testing.T) {
	counter := llm.NewCounter("gpt-4o")
	whole := codec.NewO200kBase()
	for _, test := range []struct {
		pattern string
		off     int // tokens for every KiB
	}{
		{"Words of any kind, and 12 numbers!\n", 0},
		{"日本語 と ", 0},
		{"a\u00a0b ", 0},
		{"it's ", 0},
		{"x != y;\n\n", 0},
		{"a\u00a0 b", 4},
		{"\n ", 4},
		{" \n", 4},
		{"a", 4},
		{"A", 4},
		{"aB", 4},
		{"1", 4},
		{"'s", 4},
		{"日本語", 4},
		{"=-", 4},
		{"\u0301", 4},
		{"👩‍👩‍👧", 4},
		{"antidisestablishmentarianism", 4},
		{"\xff", 4},
		{"  ", 4},
		{"\t", 4},
		{"ﷺ", 4},
		{"VGhpcyBpcyBhIHRlc3Qg", 4},
	} {
		text := strings.Repeat(test.pattern, 8<<10/len(test.pattern))
		want := errtest.Must(whole.Count(text))(t)
		if got := counter.Text(t.Context(), text); max(got-want, want-got) > test.off*8 {
			t.Errorf("8 KiB of %q take %d tokens counted in pieces, want %d with at most %d off", test.pattern, got, want, test.off*8)
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
