package commands_test

import (
	"testing"

	"heddle/bot/commands"
)

func TestNothingQuotedIsMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# big": `\# big`, "-# small": `\-# small`, "- one": `\- one`, "C# and c-a-t": "C# and c-a-t", "> said": `\> said`,
		"[a](https://x.example)": `\[a\]\(https://x.example\)`, "two\nlines": "two lines", "": "…",
	} {
		if got := commands.Quoted(text, 100); got != want {
			t.Errorf("%q is quoted as %q, want %q", text, got, want)
		}
	}
}
