package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAFollowUpExtendsTheRequestBeforeIt proves that a provider's prompt cache applies:
// the next request begins with the bytes of the one before.
func TestAFollowUpExtendsTheRequestBeforeIt(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.said(time.Minute, "ann: the loom is stuck", "bob: which one?", "ann: the big one", "bob: oh dear")
	s.start("MAX_TOTAL=4", "MIN_LINEAR=2")
	var before []string
	reply := s.post(s.ann, discordtest.Draft{Content: s.mention("what now?")})
	for n := 1; n <= 6; n++ {
		said := fmt.Sprintf("Try the %d. treadle.", n)
		s.model.Queue(openaitest.Answer(said))
		answer := s.answer(s.channel, reply, said)
		asked := s.asked(n)
		if n > 1 && (len(asked) < len(before) || !slices.Equal(asked[:len(before)], before)) {
			t.Fatalf("request %d extends\n%q\nonly in part, want the whole of it in\n%q", n, before, asked)
		}
		before = asked
		reply = s.post(s.ann, discordtest.Draft{Content: fmt.Sprintf("did %d, still stuck", n), ReplyTo: answer.ID})
	}
}
