package outbox_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/outbox"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/wait"
)

// Edits of a channel wait for its pace, however fast text comes; what comes
// while waiting is sent together.
func TestEditsKeepTheChannelsPace(t *testing.T) {
	now := time.Now()
	var waited atomic.Int64
	turn, waiting := make(chan struct{}), make(chan time.Duration)
	s := newStage(t, discordtest.NoLimits(), outbox.Config{
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
	a := s.out.Answer(t.Context(), s.to)
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
	if n := len(s.server.Record.Requests(edits)); n != 3 {
		t.Errorf("three turns made %d edits, want 3", n)
	}
	a.Append(" The end.")
	<-waiting
	done := make(chan error, 1)
	go func() {
		_, err := a.Finish(t.Context(), outbox.Final{})
		done <- err
	}()
	if err := <-done; err != nil { // the last edit waits for nothing
		t.Fatal(err)
	}
	s.await(t, contains(" The end."))
}

func TestTypingIsRenewedUntilStopped(t *testing.T) {
	var rounds atomic.Int32
	s := newStage(t, discordtest.NoLimits(), outbox.Config{
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
	stop := s.out.Typing(t.Context(), s.to.Channel)
	errtest.Must(s.server.Record.AwaitRequests(t.Context(), 3, discordtest.On(discordtest.RouteTyping)))(t)
	stop()
	stop()
}
