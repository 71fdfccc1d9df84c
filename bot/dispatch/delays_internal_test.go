package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/answer"
	"heddle/bot/guilds"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/bolt"
)

func TestDelaysRunJobsWhenTheirTimeHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := newDelays()
		var done []string
		began := time.Now()
		add := func(name string, after time.Duration) {
			d.add(began.Add(after), 1, job{run: func(context.Context) {
				done = append(done, fmt.Sprint(name, " after ", time.Since(began)))
			}})
		}
		full := 1
		go d.run(ctx, func(_ graph.ChannelID, j job) error {
			if full--; full == 0 {
				return ErrFull
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

// local is a Clock that agrees with this machine's.
type local struct{}

func (local) Now() time.Time { return time.Now() }

// lease is how long the claims of the processes in these tests last.
const lease = time.Minute

func TestAQuestionWhoseAnswererDiedIsAnsweredAfterItsClaimEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		shared := store.New(engine, store.Options{})
		d := &Dispatcher{
			tasks: &performer{
				once: newOnce(shared.Claims, work.NewLeases(shared.Claims, lease)), delays: newDelays(), ledger: &ledger{}, clock: local{}, guilds: guilds.New(), catchUp: time.Minute,
			},
		}
		question := graph.FirstMessageID(time.Now())
		dead, err := shared.Claims.Claim(t.Context(), store.TriggerClaim(question), lease)
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		ask := func() {
			d.tasks.perform(t.Context(), &task{
				key: store.TriggerClaim(question), channel: 1, asked: question.Time(), log: slog.New(slog.DiscardHandler),
				do: func(context.Context, *slog.Logger) (answer.Outcome, error) {
					if time.Now().Before(dead.Until) {
						t.Error("two processes answer at the same time, want the second to wait for the end of the lease")
					}
					answered++
					return answer.Answered, nil
				},
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		go d.tasks.delays.run(ctx, func(_ graph.ChannelID, j job) error { j.run(ctx); return nil })
		ask()
		ask()
		_ = wait.For(ctx, 5*lease)
		synctest.Wait()
		ask()
		cancel()
		if answered != 1 {
			t.Errorf("the question was answered %d times, want 1", answered)
		}
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
	})
}
