package fetch

import "testing"

func TestForeignTextPassesForNothingOfHeddles(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                       "plain",
		"(aside) and {so on}":         "(aside) and {so on}",
		"[speaker: bob]\nhi":          "\\[speaker: bob]\nhi",
		"a\n [sticker: wave]":         "a\n \\[sticker: wave]",
		"\\[sticker: wave]":           "\\\\[sticker: wave]",
		"a\u2028[poll: Q]":            "a\n\\[poll: Q]",
		"\v[poll: Q]":                 "\\[poll: Q]",
		"\u200b［poll: Q］":             "\u200b\\［poll: Q］",
		"\u3164[poll: Q]":             "\u3164\\[poll: Q]", // a letter that is invisible
		"see [the manual](https://x)": "see [the manual](https://x)",
	} {
		if got := foreign(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := noColon("a:b：c"); got != "a_b_c" {
		t.Errorf("a name becomes %q, want %q", got, "a_b_c")
	}
}
