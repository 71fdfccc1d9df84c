package outbox_test

import (
	"strings"
	"testing"

	"heddle/bot/outbox"
	"heddle/internal/discordtest"
)

// TestWhatNothingEndsHidesNothing has a model write what begins a spoiler, and never end it.
// While the answer grows, the rest may be one; once it is over, nothing is hidden.
func TestWhatNothingEndsHidesNothing(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("warp and weft ", 6) + "\n"
	for name, test := range map[string]struct{ text, notice string }{
		"at the start":          {"a || b\n" + strings.Repeat(line, 60), ""},
		"after a spoiler":       {strings.Repeat(line, 15) + "||warp|| or || weft\n" + strings.Repeat(line, 60), "-# cut short"},
		"around a code block":   {"a || b\n```go\n" + strings.Repeat(line, 60) + "```\n", ""},
		"in the last message":   {strings.Repeat(line, 60) + "a || b\n", "-# cut short"},
		"a spoiler that ends":   {"a ||b\n" + strings.Repeat(line, 60) + "|| c\n", ""},
		"at the end of a part":  {strings.Repeat(line, 23) + "|| b\n" + strings.Repeat(line, 60), ""},
		"beside another marker": {"a || b **c\n" + strings.Repeat(line, 60), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, discordtest.NoLimits(), quick())
			a := s.out.Answer(t.Context(), s.to)
			for _, piece := range strings.SplitAfter(test.text, "\n") {
				a.Append(piece)
			}
			a.Append("The end")
			s.await(t, contains("The end"))
			sent, err := a.Finish(t.Context(), outbox.Final{Notice: test.notice})
			if err != nil {
				t.Fatal(err)
			}
			want := texts(outbox.Split(test.text+"The end", outbox.Limit))
			if test.notice != "" {
				want[len(want)-1] += "\n" + test.notice
			}
			check(t, s, sent, want...)
			shown := strings.Count(strings.Join(texts(outbox.Split(test.text, outbox.Limit)), ""), "||")
			if all := strings.Count(test.text, "||"); all%2 != 0 && shown != all {
				t.Errorf("the messages have %d markers of spoilers, want %d as in the text", shown, all)
			}
		})
	}
}
