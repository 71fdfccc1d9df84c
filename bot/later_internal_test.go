package bot

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/work"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/bolt"
)

func TestLaterRunsJobsWhenTheirTimeHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := newLater()
		var done []string
		began := time.Now()
		add := func(name string, after time.Duration) {
			l.add(began.Add(after), 1, job{run: func(context.Context) {
				done = append(done, fmt.Sprint(name, " after ", time.Since(began)))
			}})
		}
		full := 1
		go l.run(ctx, func(_ graph.ChannelID, j job) error {
			if full--; full == 0 {
				return errQueueFull
			}
			j.run(ctx)
			return nil
		})
		add("second", time.Minute)
		add("third", time.Minute)
		synctest.Wait()
		add("first", time.Second)
		_ = wait.For(ctx, 2*time.Minute)
		synctest.Wait()
		if want := []string{"first after 6s", "second after 1m0s", "third after 1m0s"}; !slices.Equal(done, want) {
			t.Errorf("%q, want %q", done, want)
		}
	})
}

// TestAQuestionWhoseAnswererDiedIsAnsweredAfterItsClaimEnds is about processes that
// share a store.
func TestAQuestionWhoseAnswererDiedIsAnsweredAfterItsClaimEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		shared := store.New(engine, store.Options{})
		b := &Bot{
			claims: shared.Claims, leases: work.NewLeases(shared.Claims, time.Minute, time.Now), recent: newRecent(8), later: newLater(), inflight: work.NewInflight(),
			log: slog.New(slog.DiscardHandler), now: time.Now, settings: Settings{CatchUp: time.Minute, Lease: time.Minute},
		}
		question := mention{channel: 1, id: graph.FirstMessageID(time.Now())}
		dead, err := shared.Claims.Claim(t.Context(), store.TriggerClaim(question.id), b.settings.Lease)
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		ask := func() {
			b.settle(t.Context(), question, store.TriggerClaim(question.id), func(context.Context, *slog.Logger) (string, error) {
				if time.Now().Before(dead.Until) {
					t.Error("two answer at the same time")
				}
				answered++
				return outcomeAnswered, nil
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		go b.later.run(ctx, func(_ graph.ChannelID, j job) error { j.run(ctx); return nil })
		ask()
		ask()
		_ = wait.For(ctx, 5*b.settings.Lease)
		synctest.Wait()
		ask()
		cancel()
		if answered != 1 {
			t.Errorf("the question was answered %d times", answered)
		}
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
	})
}
