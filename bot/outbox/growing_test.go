package outbox_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/outbox/split"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/wait"
)

func TestWhatIsBeingDoneIsShownUntilTheAnswerEnds(t *testing.T) {
	file := []discord.File{{Name: "a.txt", Data: []byte("data")}}
	for name, test := range map[string]struct {
		before, after string
		final         outbox.Final
		want          string // "" where nothing is left but files
	}{
		"above nothing, then text":       {"", "Found it.", outbox.Final{}, "Found it."},
		"below text, then more":          {"Let me see.", "\nFound it.", outbox.Final{}, "Let me see.\nFound it."},
		"above nothing, then a notice":   {"", "", outbox.Final{Notice: "It failed."}, "It failed."},
		"above nothing, then only files": {"", "", outbox.Final{Files: file}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			a := s.Outbox.Answer(t.Context(), s.to)
			a.Append(test.before)
			a.Doing("-# looking")
			s.await(t, contains("-# looking"))
			a.Doing("-# asking")
			s.await(t, contains("-# asking"))
			a.Append(test.after)
			sent := errtest.Must(a.Finish(t.Context(), test.final))(t)
			check(t, s, sent, test.want)
			if got := len(s.Said()[0].Attachments); got != len(test.final.Files) {
				t.Errorf("%d files are there, want %d", got, len(test.final.Files))
			}
			if got := s.Discord.Record.Count(discordtest.RouteCreateMessage); got != 1 {
				t.Errorf("%d messages were made, want 1", got)
			}
		})
	}
}

// TestNothingToSayInPlaceOfAnAnswerLeavesItsMessage shows what is being done in the message
// of an answer that is to be replaced. That message is not heddle's to delete here, as it
// shows the answer again next.
func TestNothingToSayInPlaceOfAnAnswerLeavesItsMessage(t *testing.T) {
	s := newStage(t)
	stood := errtest.Must(s.Outbox.Reply(t.Context(), s.to, "What stood."))(t)
	a := s.Outbox.Answer(t.Context(), s.over(stood))
	a.Doing("-# looking")
	s.await(t, contains("-# looking"))
	if _, err := a.Finish(t.Context(), outbox.Final{}); !errors.Is(err, outbox.ErrEmpty) || len(s.Said()) != 1 {
		t.Errorf("%d messages are left, with %v, want 1 and %v", len(s.Said()), err, outbox.ErrEmpty)
	}
}

func TestNothingToSayAfterSomethingWasDoneLeavesNothing(t *testing.T) {
	s := newStage(t)
	a := s.Outbox.Answer(t.Context(), s.to)
	a.Doing("-# looking")
	s.await(t, contains("-# looking"))
	sent, err := a.Finish(t.Context(), outbox.Final{})
	if !errors.Is(err, outbox.ErrEmpty) || len(sent) != 0 || len(s.Said()) != 0 {
		t.Errorf("%d messages are left, %d were reported, with %v, want 0, 0 and %v", len(s.Said()), len(sent), err, outbox.ErrEmpty)
	}
}

// Edits of a channel wait for its pace, however fast text comes; what comes
// while waiting is sent together.
func TestEditsKeepTheChannelsPace(t *testing.T) {
	now := time.Now()
	var waited atomic.Int64
	turn, waiting := make(chan struct{}), make(chan time.Duration)
	s := newPaced(t, outbox.Config{
		Now: func() time.Time { return now.Add(time.Duration(waited.Load())) },
		Wait: func(ctx context.Context, d time.Duration) error {
			if d < 10*time.Millisecond { // before the first text
				return ctx.Err()
			}
			select {
			case waiting <- d:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case <-turn:
			case <-ctx.Done():
				return ctx.Err()
			}
			waited.Add(int64(d))
			return nil
		},
	})
	a := s.Outbox.Answer(t.Context(), s.to)
	a.Append("A first sentence that is long enough.")
	s.await(t, contains("enough"))
	for i, word := range []string{"one", "two", "three"} {
		a.Append(" First")
		want := outbox.DefaultPace
		if i == 0 {
			want /= 4 // so far people see little
		}
		if d := <-waiting; d != want {
			t.Errorf("edit %d waits %v, want %v", i, d, want)
		}
		a.Append(" " + word)
		turn <- struct{}{}
		s.await(t, contains(" First "+word))
	}
	if n := len(s.Discord.Record.Requests(edits)); n != 3 {
		t.Errorf("three turns made %d edits, want 3", n)
	}
	a.Append(" The end.")
	<-waiting
	done := make(chan error, 1)
	go func() {
		_, err := a.Finish(t.Context(), outbox.Final{})
		done <- err
	}()
	errtest.None(t, <-done) // the last edit waits for nothing
	s.await(t, contains(" The end."))
}

func TestTypingIsRenewedUntilStopped(t *testing.T) {
	var rounds atomic.Int32
	s := newPaced(t, outbox.Config{
		Later: func(ctx context.Context, d time.Duration, do func(context.Context)) func() {
			if d != 700*time.Millisecond {
				t.Errorf("the first notice comes after %v, want 700ms", d)
			}
			return wait.Later(ctx, 0, do)
		},
		Wait: func(ctx context.Context, d time.Duration) error {
			n := rounds.Add(1)
			if d != 8*time.Second {
				t.Errorf("notice %d comes after %v, want 8s", n+1, d)
			}
			if n < 3 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		},
	})
	stop := s.Outbox.Typing(t.Context(), s.to.Channel)
	errtest.Must(s.Discord.Record.AwaitRequests(t.Context(), 3, discordtest.On(discordtest.RouteTyping)))(t)
	stop()
	stop()
}

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
				s := newStage(t)
				fault := refusal // the subtests share it
				fault.Times, fault.Skip = -1, skip
				injected := s.Discord.Faults.Inject(fault)
				a := s.Outbox.Answer(t.Context(), s.to)
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
