package inspect

import (
	"slices"
	"testing"
)

func TestCodeBlocksAreFoundWithTheirLanguages(t *testing.T) {
	for text, want := range map[string][]string{
		"no code, `inline` and ``inline`` only":         nil,
		"```go\nx := 1\n```":                            {"go", "x := 1\n"},
		"see:\n```\nplain```\n```Python\npass\n``` end": {"", "plain", "python", "pass\n"},
		"```sh\nls": nil, // Discord shows it as it is
		"":          nil,
	} {
		var got []string
		for _, block := range codeBlocks(text) {
			got = append(got, block.Language, text[block.From:block.From+block.Size])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q contains the code %q, want %q", text, got, want)
		}
	}
}

func FuzzCodeBlocksLieInTheText(f *testing.F) {
	f.Add("a\n```go\nx```b\n````\n```")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, block := range codeBlocks(text) {
			if block.From < at || block.Size < 0 || block.From+block.Size > len(text) {
				t.Fatalf("the block is %+v, want it from %d on within %d bytes", block, at, len(text))
			}
			at = block.From + block.Size
		}
	})
}
