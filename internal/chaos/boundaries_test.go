package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/redistest"
	"heddle/internal/wait"
)

// boundary is a kind of step at which a process is killed: a step in sending or storing
// an answer, before or after it takes effect.
type boundary struct {
	what   string
	stores stores // sets up the store of the process that is killed
	arm    func(r *run, at int) (struck <-chan struct{}, disarm func())
}

// stores sets up the store of a process.
type stores func(r *run, p *process) error

// special is what is special about the answer in which a process is killed.
type special struct {
	what string
	set  func(*run) // before the process starts
}

// TestKilledAtEveryBoundary kills heddle at each step of an answer of two messages, in
// turn, and starts it again: at each request to Discord and to Redis, and at each write
// of the embedded store to its file. Each time the answer must be complete afterwards. Answers with a
// file, and those of a process whose store is slow, are killed as well. Below some of them
// somebody presses a button when the process is killed, and another one as soon as it is back.
//
// By default only every 16th step of a store is tried, and few of these variants. With CHAOS_MENTIONS
// set, every step is. The test logs what stood and what was stored when a process was killed.
func TestKilledAtEveryBoundary(t *testing.T) {
	t.Parallel()
	before := boundary{"before a request to Discord takes effect", inRedis, sending(func(f *discordtest.Fault) { f.Gate, f.Cut = make(chan struct{}), true })}
	after := boundary{"after a request to Discord took effect", inRedis, sending(func(f *discordtest.Fault) { f.GateAfter = make(chan struct{}) })}
	unstored := boundary{"before a request to Redis takes effect", inRedis, storing(false)}
	stored := boundary{"after a request to Redis took effect", inRedis, storing(true)}
	written := boundary{"when the embedded store has written", embedded(t), func(r *run, at int) (<-chan struct{}, func()) {
		r.disk.stopAt(at)
		return r.disk.stopped, r.disk.open
	}}
	plain := special{"", func(*run) {}}
	file := special{" of an answer with a file", func(r *run) { r.model.files = true }}
	slow := special{" of an answer whose store is slow", func(r *run) { r.relay.delay.Store(int64(60 * time.Millisecond)) }}
	pressed := special{" of an answer below which somebody presses", func(r *run) { r.plan.lives = true }}
	for _, test := range []struct {
		at     boundary
		of     special
		stride int // one step in stride is tried
	}{
		{before, plain, 1},
		{after, plain, 1},
		{unstored, plain, 16},
		{stored, plain, 16},
		{written, plain, 1},
		{before, file, 4},
		{after, file, 4},
		{stored, file, 16},
		{written, file, 4},
		{after, slow, 4},
		{unstored, slow, 16},
		{stored, slow, 16},
		{before, pressed, 4},
		{after, pressed, 2},
		{unstored, pressed, 16},
		{stored, pressed, 16},
		{written, pressed, 4},
	} {
		t.Run(test.at.what+test.of.what, func(t *testing.T) {
			t.Parallel()
			if os.Getenv("CHAOS_MENTIONS") != "" {
				test.stride = 1
			}
			k := killing{boundary: test.at, in: test.of, t: t, states: make(map[string]int)}
			n := eachStep(rand.IntN(test.stride), test.stride, k.killsAt)
			t.Logf("killed at %d boundaries; when it was killed, there was so often %v", n, k.states)
		})
	}
}

// eachStep breaks something at one step in stride, beginning with one, until there are no
// more: breaks reports whether there was such a step. It returns how many there were.
func eachStep(from, stride int, breaks func(step int) bool) (broken int) {
	const together = 6
	for last := false; !last; from += together * stride {
		var were [together]bool
		var running sync.WaitGroup
		for i := range together {
			running.Go(func() { were[i] = breaks(from + i*stride) })
		}
		running.Wait()
		for _, was := range were {
			if last = last || !was; was {
				broken++
			}
		}
	}
	return broken
}

// afterwards is how long after the end of an answer further boundaries may come.
const afterwards = 200 * time.Millisecond

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sending returns a function that stops the process at a request to Discord with a
// given number. stop sets the fault that does so.
func sending(stop func(*discordtest.Fault)) func(*run, int) (<-chan struct{}, func()) {
	return func(r *run, at int) (<-chan struct{}, func()) {
		fault := discordtest.Fault{
			Match: discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage, discordtest.RouteDeleteMessage), Skip: at,
		}
		stop(&fault)
		injected, struck := r.discord.Faults.Inject(fault), make(chan struct{})
		go func() {
			if injected.Await(r.ctx, 1) == nil {
				close(struck)
			}
		}()
		return struck, injected.Remove
	}
}

// storing returns a function that stops the process at a request to Redis with a given
// number, before or after Redis has handled it.
func storing(after bool) func(*run, int) (<-chan struct{}, func()) {
	return func(r *run, at int) (<-chan struct{}, func()) {
		r.relay.after = after
		r.relay.stopAt(at)
		return r.relay.stopped, r.relay.open
	}
}

// inRedis makes the process use Redis through a relay.
func inRedis(r *run, p *process) (err error) {
	if r.redis, err = redistest.StartDurable(r.ctx); err != nil {
		return fmt.Errorf("start Redis: %w", err)
	}
	r.t.Cleanup(func() { _ = r.redis.Close() })
	if r.relay, err = newRelay(r.ctx, r.t, r.redis.Socket()); err != nil {
		return err
	}
	p.environ = append(p.environ, "REDIS_URL="+r.relay.url(), storeKey)
	return nil
}

// makeStored makes a run of one process whose store is set up by a function. It returns
// nil if what the store needs is missing, or if it fails the test.
func makeStored(t *testing.T, mentions int, store stores) *run {
	t.Helper()
	r, err := makeRun(t, plan{mentions: mentions, channels: 1, processes: 1, settle: discordtest.Patience})
	if err == nil {
		err = store(r, r.all[0])
	}
	if redistest.IsMissing(err) {
		t.Logf("left out: %v", err)
		return nil
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	r.model.tokens, r.model.failing = 120, 0
	return r
}

// killing kills a process at one boundary after the other.
type killing struct {
	boundary

	in special
	t  *testing.T

	mu     sync.Mutex
	states map[string]int // what there was when a process was killed
}

// killsAt kills a process at the boundary number at. It reports false if the answer has
// fewer boundaries.
func (k *killing) killsAt(at int) bool {
	k.t.Helper()
	r := makeStored(k.t, 1, k.stores)
	if r == nil {
		return false
	}
	k.in.set(r)
	p := r.all[0]
	p.environ = append(p.environ, "CLAIM_LEASE=1s")
	r.must(p.start())
	defer func() { p.end(syscall.SIGKILL) }()
	if !r.hears() {
		return false
	}
	struck, disarm := k.arm(r, at)
	m, err := r.ask(mention{number: 1, channel: r.in[0], by: r.people[0]})
	if err != nil {
		k.t.Error(err)
		return false
	}
	select {
	case <-struck:
	case <-p.says(r.ctx, "a task is done"):
		if wait.Until(r.ctx, struck, afterwards) != nil || !isClosed(struck) {
			return false
		}
	}
	if at, button := why.below(answerTo(m, r.heddle.User, r.said(m.channel, m.id))); r.plan.lives && button != "" {
		r.makes(&press{of: m}, at, button, answerTime/2)
	}
	p.end(syscall.SIGKILL)
	k.notes(r, m)
	disarm()
	r.must(p.start())
	if r.plan.lives && r.hears() {
		r.plays(m, []planned{{why, 0}, {again, 0}, {step, 0}})
		r.reading.Wait()
	}
	k.judges(r, at)
	return true
}

// judges waits until the answer is complete after its process was killed and started again.
func (k *killing) judges(r *run, at int) {
	k.t.Helper()
	all, worst := r.settled(r.plan.settle)
	if r.plan.lives {
		_, worst = r.audited(all, worst)
	}
	for _, w := range worst {
		k.t.Errorf("killed at %d, this is wrong: %s; want all answers whole, and each once; logged was\n%s", at, w, r.all[0].log.String())
	}
}

// notes notes what stands and what is stored of the answer to a mention, now that its process is dead.
func (k *killing) notes(r *run, m *mention) {
	stands, answer := "nothing", answerTo(m, r.heddle.User, r.said(m.channel, m.id))
	switch shown := r.shows(m); {
	case len(answer) == 0:
	case !strings.Contains(shown, ".end>"):
		stands = "a half"
	case len(answer[len(answer)-1].Buttons()) == 0 || slices.ContainsFunc(answer, isGrowing):
		stands = "a whole text"
	default:
		stands = "an answer with buttons"
	}
	store, err := r.opens()
	if err != nil {
		k.t.Error(err)
		return
	}
	defer func() { r.must(store.Close()) }()
	kept := "nothing"
	if all := r.stored(store, m); len(all) > 0 {
		kept = "an answer that was sent"
		if len(all[0].Replies) == 0 {
			kept = "an answer"
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.states[stands+" on Discord and "+kept+" in the store"]++
}
