package outbox_test

import (
	"strings"
	"testing"

	"heddle/bot/outbox"
	"heddle/bot/outbox/split"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// TestAnAnswerThatMayNotBeEditedIsSentAnew lets Discord refuse the edits of a growing
// answer, in each of its parts and in every way that servers do.
func TestAnAnswerThatMayNotBeEditedIsSentAnew(t *testing.T) {
	long := strings.Repeat("a word and another one\n", 150) // two messages
	for name, refusal := range map[string]discordtest.Fault{
		"forbidden":             discordtest.Refused(edits, 403, 50013, "Missing Permissions"),
		"no such route":         {Match: edits, Status: 404, Body: "404 page not found"},
		"a method that is not":  {Match: edits, Status: 405, Body: "method not allowed"},
		"a form that is not it": discordtest.Refused(edits, 400, 50035, "Invalid Form Body"),
	} {
		for text, skip := range map[string]int{strings.Repeat("w", 35) + strings.Repeat("word", 20): 0, long: 1} {
			t.Run(name, func(t *testing.T) {
				s := newStage(t, discordtest.NoLimits(), quick())
				fault := refusal // the subtests share it
				fault.Times, fault.Skip = -1, skip
				injected := s.server.Faults.Inject(fault)
				a := s.out.Answer(t.Context(), s.to)
				a.Append(text[:35])
				s.await(t, contains(outbox.Indicator))
				if skip > 0 { // the first message is edited, the second is refused
					a.Append(text[35 : len(text)-80])
					s.await(t, func(m discordtest.Message) bool {
						return m.Reference != nil && m.Reference.Message != s.to.Trigger && strings.HasSuffix(m.Content, outbox.Indicator)
					})
				}
				a.Append(text[len(text)-80:])
				errtest.None(t, injected.Await(t.Context(), 1))
				sent := errtest.Must(a.Finish(t.Context(), outbox.Final{}))(t)
				want := split.Messages(text, split.Limit, nil)
				check(t, s, sent, want...)
				if n := injected.Hits(); n != 1 {
					t.Errorf("%d edits were tried, want 1: the first refusal says enough", n)
				}
			})
		}
	}
}
