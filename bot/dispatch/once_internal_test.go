package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/answer"
	"heddle/bot/deferred"
	"heddle/bot/guilds"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/bolt"
)

var errTask = errors.New("the task fails")

// outage is the engine of a store that can be away.
type outage struct {
	store.Engine

	away atomic.Bool
}

func (o *outage) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if o.away.Load() {
		return nil, store.ErrUnavailable
	}
	return o.Engine.Apply(ctx, changes...)
}

func (o *outage) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	if o.away.Load() {
		return nil, store.ErrUnavailable
	}
	return o.Engine.Follow(ctx, scope, queries...)
}

// process is a process that does tasks, one of several that share a store.
type process struct {
	*Dispatcher

	shared *store.Store
	engine *outage
	logged *strings.Builder
}

func newProcess(t *testing.T) *process {
	t.Helper()
	engine, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	out := &outage{Engine: engine}
	shared := store.New(out, store.Options{})
	t.Cleanup(func() { _ = shared.Close() })
	return (&process{shared: shared, engine: out}).sibling()
}

// sibling returns another process with the same store.
func (p *process) sibling() *process {
	logged := &strings.Builder{}
	log := slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	taken := newLedger(log, p.shared.Backlog)
	tasks := &performer{
		once: newOnce(p.shared.Claims, work.NewLeases(p.shared.Claims, lease)), delays: newDelays(), ledger: taken, clock: local{}, rest: unhindered{}, guilds: guilds.New(), catchUp: time.Minute,
	}
	writes, asks := deferred.New(log), &asking{ledger: taken, clock: local{}}
	return &process{&Dispatcher{
		tasks: tasks, after: newAfter(writes), asking: asks, log: log,
		stored:   &stored{backlog: p.shared.Backlog, writes: writes, tasks: tasks, asking: asks, log: log},
		takeover: &takeover{ledger: taken, tasks: tasks, asking: asks, log: log},
	}, p.shared, p.engine, logged}
}

// task returns a task that counts how often it is done, and ends as end does.
func (p *process) task(key store.ClaimKey, done *int, end func() error) *task {
	return &task{
		key: key, channel: 1, asked: time.Now(), log: p.log,
		do: func(context.Context, *slog.Logger) (answer.Outcome, error) {
			*done++
			return answer.Answered, end()
		},
	}
}

func well() error { return nil }

// delayed returns how many jobs are delayed.
func (p *process) delayed() int {
	p.tasks.delays.mu.Lock()
	defer p.tasks.delays.mu.Unlock()
	return len(p.tasks.delays.waiting)
}

// runDelayed runs what is delayed for a time.
func (p *process) runDelayed(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	p.tasks.delays.run(ctx, func(_ graph.ChannelID, j job) error { j.run(t.Context()); return nil })
}

var someKey = store.TriggerClaim(5) //nolint:gochecknoglobals // a constant of a struct type

func TestATaskIsDoneByOneProcessAndMarkedWithItsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		other := p.sibling()
		for _, who := range []*process{p, p, other, p} {
			who.tasks.perform(t.Context(), who.task(someKey, &done, well))
		}
		outcome, marked, err := p.shared.Claims.IsDone(t.Context(), someKey)
		if done != 1 || outcome != string(answer.Answered) || !marked || err != nil {
			t.Errorf("the task was done %d times and is marked %q, %t, %v, want 1, %q, true and no error", done, outcome, marked, err, string(answer.Answered))
		}
		if p.delayed()+other.delayed() != 0 {
			t.Errorf("%d tasks are to be tried again after the task is done, want none", p.delayed()+other.delayed())
		}
		if !strings.Contains(p.logged.String(), "a task is done") || !strings.Contains(other.logged.String(), "a task was done by another process") {
			t.Errorf("the processes log %q and %q, want %q in it and %q in it", p.logged, other.logged, "a task is done", "a task was done by another process")
		}
	})
}

func TestATaskThatFailsIsFreeForAnotherTry(t *testing.T) {
	for name, away := range map[string]bool{"with the store": false, "without the store": true} {
		synctest.Test(t, func(t *testing.T) {
			p, done := newProcess(t), 0
			p.engine.away.Store(away)
			p.tasks.perform(t.Context(), p.task(someKey, &done, func() error { return errTask }))
			if !strings.Contains(p.logged.String(), errTask.Error()) {
				t.Errorf("%s: the log is %q, want %q in it", name, p.logged, errTask.Error())
			}
			p.engine.away.Store(false)
			p.tasks.perform(t.Context(), p.task(someKey, &done, well))
			if done != 2 {
				t.Errorf("%s: the task was tried %d times, want 2", name, done)
			}
		})
	}
}

// TestATaskThatPanicsIsGivenUpLikeOneThatFails shows that a panic leaves no claim that
// is renewed for as long as the process lives.
func TestATaskThatPanicsIsGivenUpLikeOneThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		p.tasks.perform(t.Context(), p.task(someKey, &done, func() error { panic("what a person wrote") }))
		if text := p.logged.String(); !strings.Contains(text, "a task panicked and is given up") ||
			!strings.Contains(text, "once_internal_test.go") || strings.Contains(text, "what a person wrote") {
			t.Errorf("the log is %q, want %q in it, %q in it and no %q in it", text, "a task panicked and is given up", "once_internal_test.go", "what a person wrote")
		}
		other := p.sibling()
		other.tasks.perform(t.Context(), other.task(someKey, &done, well))
		if done != 2 {
			t.Errorf("the task was tried %d times, want once more by another process", done)
		}
		synctest.Wait() // a renewal that went on would fail the bubble
	})
}

// TestWithoutItsStoreAProcessStillDoesEachTaskOnce shows what happens while the store
// is away.
func TestWithoutItsStoreAProcessStillDoesEachTaskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		p.engine.away.Store(true)
		p.tasks.perform(t.Context(), p.task(someKey, &done, well))
		p.tasks.perform(t.Context(), p.task(someKey, &done, well))
		p.engine.away.Store(false)
		p.tasks.perform(t.Context(), p.task(someKey, &done, well))
		if done != 1 {
			t.Errorf("the task was done %d times, want 1", done)
		}
	})
}

// TestATaskSeenElsewhereWaitsForTheStore shows that a process does nothing of which it
// cannot know whether another process does it.
func TestATaskSeenElsewhereWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		held, err := p.shared.Claims.Claim(t.Context(), someKey, lease)
		if err != nil {
			t.Fatal(err)
		}
		p.tasks.perform(t.Context(), p.task(someKey, &done, well))
		p.engine.away.Store(true)
		p.runDelayed(t, lease) // tried four times, in vain
		if done != 0 || p.delayed() != 1 {
			t.Fatalf("the task was done %d times, and %d are delayed, want 0 and 1", done, p.delayed())
		}
		p.engine.away.Store(false)
		if err := p.shared.Claims.Release(t.Context(), held); err != nil {
			t.Fatal(err)
		}
		p.runDelayed(t, lease)
		if done != 1 || p.delayed() != 0 {
			t.Errorf("the task was done %d times, and %d are delayed, want 1 and 0", done, p.delayed())
		}
	})
}

// TestATaskOfAnotherProcessIsLookedAtForAsLongAsItMayBeCaughtUp shows the end of
// waiting, and that another try waits for a quarter of a lease.
func TestATaskOfAnotherProcessIsLookedAtForAsLongAsItMayBeCaughtUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		if _, err := p.shared.Claims.Claim(t.Context(), someKey, time.Hour); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		p.tasks.perform(t.Context(), p.task(someKey, &done, well))
		if _, pause, ok := p.tasks.delays.next(began); ok || pause != lease/4 {
			t.Errorf("the task is looked at again after %s, %t, want %s and false", pause, ok, lease/4)
		}
		p.runDelayed(t, p.tasks.catchUp+longestAnswer+lease)
		if text := p.logged.String(); done != 0 || p.delayed() != 0 || strings.Count(text, "was never done and is dropped") != 1 ||
			strings.Count(text, "another process does a task") != 1 {
			t.Errorf("the task was done %d times, %d are delayed, and the log is %q; want neither, and that another process had it and never did it", done, p.delayed(), text)
		}
	})
}

func TestATaskWhoseClaimIsLostIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		p.tasks.perform(t.Context(), p.task(someKey, &done, func() error { return work.ErrLost }))
		p.runDelayed(t, lease)
		if p.delayed() != 1 || done < 2 {
			t.Errorf("the task was tried %d times, and %d are delayed, want at least 2 and 1", done, p.delayed())
		}
	})
}

// TestAClaimIsRenewedWhileItsTaskIsDone shows that a long answer keeps its claim.
func TestAClaimIsRenewedWhileItsTaskIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		p.tasks.perform(t.Context(), p.task(someKey, &done, func() error {
			_ = wait.For(t.Context(), 10*lease)
			if _, err := p.shared.Claims.Claim(t.Context(), someKey, lease); !errors.Is(err, store.ErrHeld) {
				t.Errorf("after ten leases claiming ends with %v, want %v", err, store.ErrHeld)
			}
			return nil
		}))
		if done != 1 {
			t.Errorf("the task was done %d times, want 1", done)
		}
	})
}

// TestADoneMarkThatCannotBeWrittenFailsTheTaskButDoesNotRepeatIt loses the store in the
// middle of an answer.
func TestADoneMarkThatCannotBeWrittenFailsTheTaskButDoesNotRepeatIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		lost := func() error { p.engine.away.Store(true); return nil }
		mine, err := p.tasks.once.do(t.Context(), p.task(someKey, &done, lost))
		if !mine || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("the task ends with %t, %v, want true and %v", mine, err, store.ErrUnavailable)
		}
		p.tasks.perform(t.Context(), p.task(someKey, &done, well))
		if done != 1 || p.delayed() != 0 {
			t.Errorf("the task was done %d times, and %d are delayed, want 1 and 0", done, p.delayed())
		}
	})
}

// TestTheOutcomeIsWrittenAlthoughTheWorkHasEnded shows that a shutdown leaves no answer
// unmarked.
func TestTheOutcomeIsWrittenAlthoughTheWorkHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		ctx, cancel := context.WithCancel(t.Context())
		p.tasks.perform(ctx, p.task(someKey, &done, func() error { cancel(); return nil }))
		if _, marked, err := p.shared.Claims.IsDone(t.Context(), someKey); !marked || err != nil {
			t.Errorf("the task is marked as done: %t, %v, want true and no error", marked, err)
		}
	})
}

func TestRecentClaimsAreBoundedAndForgottenByAge(t *testing.T) {
	t.Parallel()
	r := newRecent(3)
	key := func(n int) store.ClaimKey { return store.TriggerClaim(graph.MessageID(n)) }
	for n := range 3 {
		if !r.add(key(n)) || r.add(key(n)) {
			t.Errorf("%d is not new once", n)
		}
	}
	r.remove(key(0))
	if !r.add(key(0)) { // now the youngest
		t.Error("what was removed is not new")
	}
	r.add(key(3)) // in place of 1, the oldest
	for n, want := range map[int]bool{0: false, 2: false, 3: false} {
		if got := r.add(key(n)); got != want {
			t.Errorf("%d is new: %t, want %t", n, got, want)
		}
	}
	if !r.add(key(1)) {
		t.Error("the oldest is not forgotten")
	}
	if len(r.order) != 3 || len(r.seen) != 3 {
		t.Errorf("%d and %d are remembered, want 3", len(r.order), len(r.seen))
	}
}

// TestStoredQuestionsWaitForTheStore shows that what waits in the store is read again
// until that succeeds.
func TestStoredQuestionsWaitForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t)
		p.engine.away.Store(true)
		p.stored.answer(1).run(t.Context())
		if _, pause, ok := p.tasks.delays.next(time.Now()); ok || pause != deferred.Retry {
			t.Errorf("the questions are read again after %s, %t, want %s", pause, ok, deferred.Retry)
		}
		p.runDelayed(t, 3*deferred.Retry+time.Second)
		if p.delayed() != 1 || strings.Contains(p.logged.String(), "level=WARN") {
			t.Errorf("%d are delayed, and the log is %q, want 1 and no %q in it", p.delayed(), p.logged, "level=WARN")
		}
		p.engine.away.Store(false)
		p.runDelayed(t, deferred.Retry)
		if p.delayed() != 0 {
			t.Errorf("%d are delayed once the store is back, want 0", p.delayed())
		}
	})
}

func TestDelayedJobsAreBoundedAndThoseDueLastGiveWay(t *testing.T) {
	t.Parallel()
	d := newDelays()
	began := time.Now()
	for n := range mostDelayed + 2 {
		d.add(began.Add(time.Duration(mostDelayed+2-n)*time.Second), graph.ChannelID(n), job{})
	}
	if len(d.waiting) != mostDelayed {
		t.Errorf("%d are delayed, want %d", len(d.waiting), mostDelayed)
	}
	if next, _, ok := d.next(began.Add(time.Second)); !ok || next.channel != mostDelayed+1 {
		t.Errorf("the next is %s, %t, want the one due first", next.channel, ok)
	}
	if _, pause, ok := newDelays().next(began); ok || pause <= 0 {
		t.Errorf("without a job the pause is %s, %t, want more than 0 and false", pause, ok)
	}
}

func TestTheChannelsOfStoredQuestionsAreListedOnce(t *testing.T) {
	t.Parallel()
	got := channelsOf([]store.Pending{{Channel: 3}, {Channel: 1}, {Channel: 3}})
	if len(got) != 2 || got[0] != 1 || got[1] != 3 {
		t.Errorf("the channels are %v, want 2 of them, 1 first and 3 second", got)
	}
}

func TestAJobThatPanicsIsGivenUpAndTheNextRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged strings.Builder
		q := newQueues[graph.ChannelID](t.Context(), slog.New(slog.NewTextHandler(&logged, nil)), 1, 2)
		ran := false
		push(t, q, 1, func(context.Context) { panic("what a person wrote") })
		push(t, q, 1, func(context.Context) { ran = true })
		synctest.Wait()
		if text := logged.String(); !ran || !strings.Contains(text, "a job panicked and is given up") ||
			!strings.Contains(text, "queue=1") || strings.Contains(text, "what a person wrote") {
			t.Errorf("the next job ran: %t, and the log is %q, want true, %q in it, %q in it and no %q in it", ran, text, "a job panicked and is given up", "queue=1", "what a person wrote")
		}
		q.close()
	})
}

// TestAClaimThatIsSeenAgainIsAsYoungAsIfItWereNew removes a claim before others are
// forgotten.
func TestAClaimThatIsSeenAgainIsAsYoungAsIfItWereNew(t *testing.T) {
	t.Parallel()
	r := newRecent(3)
	key := func(n int) store.ClaimKey { return store.TriggerClaim(graph.MessageID(n)) }
	for _, n := range []int{0, 1} {
		r.add(key(n))
	}
	r.remove(key(0))
	for _, n := range []int{0, 2} {
		r.add(key(n))
	}
	for n := range 3 {
		if !r.has(key(n)) {
			t.Errorf("%d is forgotten, want all of the last three remembered", n)
		}
	}
}

// TestADoubtedTaskIsLookedAtOnceMoreAndNoMore does tasks that look once more at an answer,
// as another process may have written to it: to verify the answer, or to take it back.
// After a look during which nobody else wrote they end.
func TestADoubtedTaskIsLookedAtOnceMoreAndNoMore(t *testing.T) {
	for name, contested := range map[string]int{"undisturbed": 0, "disturbed once": 1, "disturbed often": 5} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, looks := newProcess(t), 0
				done := p.task(someKey, new(int), well)
				done.pending = store.Pending{Guild: 1, Channel: 1, Trigger: 5}
				done.progress = progress{stage: doubted, claim: claimed, contested: true}
				done.do = func(context.Context, *slog.Logger) (answer.Outcome, error) {
					if looks++; looks <= contested {
						return answer.Torn, nil
					}
					return answer.Found, nil
				}
				p.tasks.perform(t.Context(), done)
				p.runDelayed(t, time.Hour)
				if looks != contested+1 || p.delayed() != 0 {
					t.Errorf("it is looked at %d times, and %d more are due, want %d and 0", looks, p.delayed(), contested+1)
				}
			})
		})
	}
}
