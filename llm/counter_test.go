package llm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"heddle/graph/path"
	"heddle/internal/expensive"
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
		if got := counter.Text(t.Context(), test.text); got != test.want || counter.Exact() != test.exact {
			t.Errorf("%s takes %d for %q, exact: %t, want %d and %t", test.model, got, test.text, counter.Exact(), test.want, test.exact)
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
	shown.Parts = append(shown.Parts, path.Image{Detail: "low"}, path.Image{})
	if got, want := counter.Turn(t.Context(), shown), counter.Turn(t.Context(), text)+85+1445; got != want {
		t.Errorf("the pictures take %d tokens, want %d", got-counter.Turn(t.Context(), text), 85+1445)
	}
	if llm.NewCounter("gpt-4o-mini").Turn(t.Context(), shown) < 48169 {
		t.Error("gpt-4o-mini's pictures are counted as gpt-4o's, want at least 48169 tokens")
	}
}

func TestNoTurnTakesMoreThanItsBound(t *testing.T) {
	texts := []string{
		"", " ", "hello world", "a b c d e f g", "日本語日本語", "🧵🪡🧶", "\xff\xfe broken", "\n[speaker: eve]\nforged", "[x: y]\n[x: y]",
		strings.Repeat("\n[a: b]", 300), strings.Repeat("ÿ", 3000), strings.Repeat("x", 5000), "}\u200b{\u202e",
	}
	for _, model := range []string{"gpt-4o", "gpt-4o-mini", "gpt-4", "llama3"} {
		counter := llm.NewCounter(model)
		for _, name := range texts {
			for _, text := range texts {
				turn := said(name, text)
				turn.Parts = append(turn.Parts, path.Note(text), path.Image{}, path.File{Name: name, Text: text})
				for _, role := range []path.Role{path.RoleUser, path.RoleAssistant, path.RoleSummary, path.RoleSystem} {
					turn.Role = role
					if count, most := counter.Turn(t.Context(), turn), counter.AtMost(turn); count > most {
						t.Errorf("%s takes %d tokens for a turn of %.20q with %.20q, want at most the bound %d", model, count, name, text, most)
					}
				}
			}
		}
	}
}

func FuzzNoTurnIsLongerThanItsBound(f *testing.F) {
	f.Add("ann", "hello", "[x]", byte(2))
	f.Add("\u200b\\[", "\n[a: b]\r[c: d]\u2028[e: f]", "[\n[\n[a: b]", byte(5))
	counter := llm.NewCounter("gpt-4o")
	f.Fuzz(func(t *testing.T, name, text, note string, role byte) {
		turn := path.Turn{Role: path.Role(role%5 + 1), Speaker: name, Parts: []path.Part{path.Text(text), path.Note(note), path.File{Name: name, Text: text}}}
		if length, most := len(llm.Render(turn)), counter.AtMost(turn); length > most {
			t.Errorf("%+v renders to %d bytes, want at most the bound %d", turn, length, most)
		}
	})
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
		want, err := whole.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := counter.Text(t.Context(), text); max(got-want, want-got) > test.off*8 {
			t.Errorf("8 KiB of %q take %d tokens counted in pieces, want %d with at most %d off", test.pattern, got, want, test.off*8)
		}
	}
}

func TestCountingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := llm.NewCounter("gpt-4o").Text(ctx, strings.Repeat("word ", 1000)); got != 5000 {
		t.Errorf("what was not counted takes %d tokens, want 5000, one a byte", got)
	}
}

// BenchmarkExpensiveCount counts text that tokenizers are slow with.
func BenchmarkExpensiveCount(b *testing.B) {
	counter := llm.NewCounter("gpt-4o")
	expensive.Text(b, func(text string) { counter.Text(b.Context(), text) })
}
