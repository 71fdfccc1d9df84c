package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"os"
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
	stride int    // one step in stride is tried
	stores stores // sets up the store of the process that is killed
	arm    func(r *run, at int) (struck <-chan struct{}, disarm func())
}

// stores sets up the store of a process.
type stores func(r *run, p *process) error

// TestKilledAtEveryBoundary kills heddle at each step of an answer of two messages, in
// turn, and starts it again: at each request to Discord and to Redis, and at each write
// of the embedded store to its file. Each time the answer must be complete afterwards.
// By default only every 16th step of a store is tried. With CHAOS_MENTIONS set, every
// step is.
func TestKilledAtEveryBoundary(t *testing.T) {
	t.Parallel()
	stride := 16
	if os.Getenv("CHAOS_MENTIONS") != "" {
		stride = 1
	}
	for _, b := range []boundary{
		{"before a request to Discord takes effect", 1, inRedis, sending(func(f *discordtest.Fault) { f.Gate, f.Cut = make(chan struct{}), true })},
		{"after a request to Discord took effect", 1, inRedis, sending(func(f *discordtest.Fault) { f.GateAfter = make(chan struct{}) })},
		{"before a request to Redis takes effect", stride, inRedis, storing(false)},
		{"after a request to Redis took effect", stride, inRedis, storing(true)},
		{"when the embedded store has written", 1, embedded(t), func(r *run, at int) (<-chan struct{}, func()) {
			r.disk.stopAt(at)
			return r.disk.stopped, r.disk.open
		}},
	} {
		t.Run(b.what, func(t *testing.T) {
			t.Parallel()
			t.Logf("killed at %d boundaries", eachStep(rand.IntN(b.stride), b.stride, func(at int) bool { return b.killsAt(t, at) }))
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
	r, err := makeRun(t, plan{mentions: mentions, channels: 1, processes: 1})
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

// killsAt kills a process at the boundary number at. It reports false if the answer has
// fewer boundaries.
func (b *boundary) killsAt(t *testing.T, at int) bool {
	t.Helper()
	r := makeStored(t, 1, b.stores)
	if r == nil {
		return false
	}
	p := r.all[0]
	p.environ = append(p.environ, "CLAIM_LEASE=1s")
	r.must(p.start())
	defer p.end(syscall.SIGKILL)
	r.must(r.discord.Gateway.Await(r.ctx, func(g discordtest.GatewayState) bool { return g.Ready == 1 }))
	struck, disarm := b.arm(r, at)
	if _, err := r.ask(mention{number: 1, channel: r.in[0], by: r.people[0]}); err != nil {
		t.Error(err)
		return false
	}
	select {
	case <-struck:
	case <-p.says(r.ctx, "a task is done"):
		if wait.Until(r.ctx, struck, afterwards) != nil || !isClosed(struck) {
			return false
		}
	}
	p.end(syscall.SIGKILL)
	disarm()
	r.must(p.start())
	_, worst := r.settled(discordtest.Patience)
	for _, w := range worst {
		t.Errorf("killed at %d, this is wrong: %s; want all answers whole, and each once; logged was\n%s", at, w, p.log.String())
	}
	return true
}
