package outbox_test

import (
	"strings"
	"testing"

	"heddle/bot/outbox"
	"heddle/internal/discordtest"
)

// over says that an answer takes the place of what was sent before.
func (s *stage) over(sent []outbox.Sent) outbox.To {
	to := s.to
	to.Generation++
	for _, m := range sent {
		to.Over = append(to.Over, m.ID)
	}
	return to
}

func TestAnAnswerTakesThePlaceOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a word and another one\n", 150) // two messages
	for name, test := range map[string]struct {
		old, new string
		creates  int
	}{
		"of the same length": {"Old.", "New.", 1},
		"a shorter one":      {long, "New.", 2},
		"a longer one":       {"Old.", long, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, discordtest.NoLimits(), quick())
			old, err := s.out.Reply(t.Context(), s.to, test.old)
			if err != nil {
				t.Fatal(err)
			}
			a := s.out.Answer(t.Context(), s.over(old))
			a.Append(test.new)
			sent, err := a.Finish(t.Context(), outbox.Final{})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, p := range outbox.Split(test.new, outbox.Limit) {
				want = append(want, p.Text)
			}
			check(t, s, sent, want...)
			if sent[0].ID != old[0].ID {
				t.Error("the answer does not stand where the earlier one stood")
			}
			if got := s.server.Record.Count(discordtest.RouteCreateMessage); got != test.creates {
				t.Errorf("%d messages were made, want %d", got, test.creates)
			}
			for _, m := range s.answers() {
				if !m.Pings().None() {
					t.Errorf("somebody was pinged: %+v", m.Pings())
				}
			}
		})
	}
}

func TestAnEarlierAnswerThatIsGoneStaysSo(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.NoLimits(), quick())
	old, err := s.out.Reply(t.Context(), s.to, strings.Repeat("a word and another one\n", 150))
	if err != nil {
		t.Fatal(err)
	}
	s.server.Chat.Delete(s.to.Channel, old[1].ID)
	sent, err := s.out.Reply(t.Context(), s.over(old), "New.")
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, sent, "New.")
}

func TestADiscardedAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, discordtest.NoLimits(), quick())
	a := s.out.Answer(t.Context(), s.to)
	a.Append(strings.Repeat("a word and another one\n", 150))
	s.await(t, func(m discordtest.Message) bool {
		return m.Reference != nil && m.Reference.Message != s.to.Trigger && m.Author == s.bot.User
	})
	if err := a.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := s.answers(); len(left) != 0 {
		t.Errorf("%d messages are left", len(left))
	}
	quiet := s.out.Answer(t.Context(), s.to)
	if err := quiet.Discard(t.Context()); err != nil {
		t.Errorf("an answer that was not begun: %v", err)
	}
}
