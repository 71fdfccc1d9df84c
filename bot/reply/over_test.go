package reply_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/reply"
	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/store"
)

// over says that an answer takes the place of what was sent before.
func (s *stage) over(sent []reply.Sent) reply.To {
	to := s.to
	to.Generation++
	for _, m := range sent {
		to.Over = append(to.Over, m.ID)
	}
	return to
}

func TestAnAnswerTakesThePlaceOfAnEarlierOne(t *testing.T) {
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
			s := newStage(t)
			old := errtest.Must(s.Replies.Reply(t.Context(), s.to, test.old))(t)
			a := s.Replies.Begin(t.Context(), s.over(old))
			a.Append(test.new)
			sent := errtest.Must(a.Finish(t.Context(), reply.Final{}))(t)
			want := split.Messages(test.new, split.Limit, nil)
			check(t, s, sent, want...)
			if sent[0].ID != old[0].ID {
				t.Error("the answer does not stand where the earlier one stood")
			}
			if got := s.Discord.Record.Count(discordtest.RouteCreateMessage); got != test.creates {
				t.Errorf("%d messages were made, want %d", got, test.creates)
			}
			for _, m := range s.Said() {
				if !m.Pings.None() {
					t.Errorf("somebody was pinged: %+v, want None() true", m.Pings)
				}
			}
		})
	}
}

func TestAnEarlierAnswerThatIsGoneStaysSo(t *testing.T) {
	s := newStage(t)
	old := errtest.Must(s.Replies.Reply(t.Context(), s.to, strings.Repeat("a word and another one\n", 150)))(t)
	s.Discord.Chat.Delete(s.to.Channel, old[1].ID)
	sent := errtest.Must(s.Replies.Reply(t.Context(), s.over(old), "New."))(t)
	check(t, s, sent, "New.")
}

func TestADiscardedAnswerIsTakenBack(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append(strings.Repeat("a word and another one\n", 150))
	s.await(t, func(m discordtest.Message) bool {
		return m.Reference != nil && m.Reference.Message != s.to.Trigger && m.Author == s.Self
	})
	errtest.None(t, a.Discard(t.Context()))
	if left := s.Said(); len(left) != 0 {
		t.Errorf("%d messages are left, want 0", len(left))
	}
	quiet := s.Replies.Begin(t.Context(), s.to)
	if err := quiet.Discard(t.Context()); err != nil {
		t.Errorf("an answer that was not begun: %v", err)
	}
}

// TestThatAnAnswerIsShorterIsStoredBeforeMessagesAreDeleted shortens an answer of three
// messages, of which one holds a file that stays. A store that is away keeps no message.
func TestThatAnAnswerIsShorterIsStoredBeforeMessagesAreDeleted(t *testing.T) {
	for name, away := range map[string]bool{"stored": false, "the store is away": true} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			old, err := s.Replies.Reply(t.Context(), s.to, strings.Repeat("a word and another one\n", 230))
			if err != nil || len(old) != 3 {
				t.Fatalf("%d messages were sent, %v, want 3", len(old), err)
			}
			to := s.over(old)
			to.Scope, to.HeldText = s.Place().Scope, "A file."
			to.Held = map[graph.MessageID][]graph.AttachmentID{old[1].ID: {7}}
			shown := store.ResponseID{1}
			errtest.None(t, s.Store.Responses.Save(t.Context(), store.Response{
				ID: shown, Standing: store.Standing{Scope: to.Scope, Channel: to.Channel, Trigger: to.Trigger, Created: time.Now()},
				Input: store.Input{PathHash: path.Path{}.Hash()}, Output: store.Output{Text: "Old."},
			}))
			errtest.None(t, s.Store.Responses.Show(t.Context(), to.Scope, to.Over, shown))
			if away {
				errtest.None(t, s.Store.Close())
			}
			deletions := 0
			s.Discord.Faults.Inject(discordtest.Fault{Match: func(r discordtest.Request) bool {
				if r.Route == discordtest.RouteDeleteMessage {
					deletions++
					parts, err := s.Store.Responses.Parts(t.Context(), to.Scope, old[0].ID)
					if !away && (err != nil || !slices.Equal(parts, to.Over[:2])) {
						t.Errorf("when a message is deleted, the answer is stored as %v, %v; want %v", parts, err, to.Over[:2])
					}
				}
				return false
			}})
			errtest.Must(s.Replies.Reply(t.Context(), to, "New."))(t)
			if got := len(s.Said()); deletions != 1 || got != 2 {
				t.Errorf("%d messages stand after %d deletions, want 2 and 1", got, deletions)
			}
		})
	}
}
