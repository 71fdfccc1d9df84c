package llm_test

import (
	"strings"
	"testing"

	"heddle/graph/path"
	"heddle/llm"
)

func TestTokensAreCountedAsTheModelDoes(t *testing.T) {
	tests := []struct {
		model, text string
		want        int
		exact       bool
	}{
		{"gpt-4o", "hello world", 2, true},
		{"openai/gpt-4.1-mini", "tiktoken is great!", 6, true},
		{"gpt-4", "antidisestablishmentarianism", 6, true},
		{"gpt-5-mini", "", 0, true},
		{"llama3", "hello world", 3, false},
		{"llama3", "日本語日本語", 6, false},
	}
	for _, test := range tests {
		counter := llm.NewCounter(test.model)
		if got := counter.Text(test.text); got != test.want || counter.Exact() != test.exact {
			t.Errorf("%s takes %d for %q, exact: %t", test.model, got, test.text, counter.Exact())
		}
	}
}

func TestTurnsCountWithLabelsAndPictures(t *testing.T) {
	counter := llm.NewCounter("gpt-4o")
	text := said("Ada", "hello world")
	if got, want := counter.Turn(text), counter.Text("[speaker: Ada]\nhello world")+4; got != want {
		t.Errorf("the turn takes %d, not %d", got, want)
	}
	shown := text
	shown.Parts = append(shown.Parts, path.Image{Detail: "low"}, path.Image{})
	if got, want := counter.Turn(shown), counter.Turn(text)+85+1445; got != want {
		t.Errorf("the pictures take %d", got-counter.Turn(text))
	}
	if llm.NewCounter("gpt-4o-mini").Turn(shown) < 48169 {
		t.Error("gpt-4o-mini's pictures are counted as gpt-4o's")
	}
}

func TestCountingStaysQuickOnOddText(t *testing.T) {
	if got := llm.NewCounter("gpt-4o").Text(strings.Repeat("a", 100_000)); got == 0 || got > 100_000 {
		t.Errorf("counted %d", got)
	}
}
