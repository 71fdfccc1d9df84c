package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAnAnswerKilledWhereItsMessageIsJustFullIsCompleted kills heddle when the text of a
// growing answer fills its message, or lacks a character of it, or has one too many. In some
// of the answers a block of code is open there.
func TestAnAnswerKilledWhereItsMessageIsJustFullIsCompleted(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1998, 1999, 2000, 2001} {
		for _, fence := range []string{"", "```go\n"} {
			t.Run(fmt.Sprintf("%d characters after %q", size, fence), func(t *testing.T) {
				t.Parallel()
				s := newScene(t, discordtest.Options{})
				first := fence + lines(60)
				first += strings.Repeat("x", size-len(first)-1) + "."
				rest := "\n" + lines(5) + strings.TrimSuffix(fence, "go\n") + "\nAnd the end."
				broken := openaitest.Answer(first, rest)
				broken.Chunks[1].Wait = make(chan struct{})
				s.model.Queue(broken, openaitest.Answer(first, rest))
				c := s.spawn()
				trigger := s.ask(s.ann, "tell me everything")
				s.answerThat(s.channel, trigger, "a line of an answer", func(m discordtest.Message) bool { return len(m.Content) > 1900 })
				c.kill()
				c = s.spawn()
				s.ends(trigger, "And the end.")
				if err := c.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
					t.Fatal(err)
				}
				parts := s.partsOf(s.channel, trigger)
				if got, want := bare(strings.Join(parts, "")), bare(first+rest); got != want {
					t.Errorf("the answer reads %q, want %q", got, want)
				}
				for _, part := range parts {
					if strings.Count(part, "```")%2 != 0 {
						t.Errorf("a block of code is open at the end of %q, want it closed", part)
					}
				}
			})
		}
	}
}

// bare returns a text without spaces and without the marks of blocks of code, which are
// closed and opened again where a message ends.
func bare(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("```go", "", "```", "").Replace(text)), "")
}
