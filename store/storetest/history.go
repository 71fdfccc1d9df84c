package storetest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// Contested is an engine that several processes use while it is being broken.
type Contested struct {
	// Open opens the engine for one more process. Open must also arrange for it to be
	// closed.
	Open func(t *testing.T) store.Engine
	// Breaks breaks and repairs the engine or the connections to it until its context
	// ends.
	Breaks func(ctx context.Context)
	// Restart ends all processes together with their leases, and opens the engine for
	// the same number of new ones. It is nil if leases outlive their processes.
	Restart func(t *testing.T, processes int) []store.Engine
	// Repeats is the least duration of a call that the engine may have made twice,
	// because the first attempt got no answer. 0 means that it repeats no calls.
	Repeats time.Duration
}

const (
	contenders = 4
	contested  = 60 // claims, one after the other
	attempts   = 14 // attempts of each process at each claim
	// openEnds bounds the operations on a claim that get no answer. Each multiplies the
	// number of orders that have to be tried.
	openEnds = 6
	// contestedFor is the length of the leases. It is short enough that leases expire
	// while other processes wait.
	contestedFor = 60 * time.Millisecond
)

// LeasesAreLinearizable lets processes claim, renew, release and finish the same keys
// while the engine is being broken. It then checks that the results are linearizable:
// that they can be explained by a model in which each operation takes effect at one
// moment between its call and its return. In the model nobody gets a claim while
// another process may rely on it, and nothing can be done with a lost lease or after
// the key is done.
func LeasesAreLinearizable(t *testing.T, c Contested) {
	t.Helper()
	seed := rand.Uint64() //nolint:gosec // choices of a test
	var replies [outUntried + 1]int
	for i, history := range histories(t, c, seed) {
		for _, o := range history {
			if out, ok := o.Output.(reply); ok {
				replies[out]++
			}
		}
		switch porcupine.CheckOperationsTimeout(leaseModel(), history, time.Minute) {
		case porcupine.Illegal:
			t.Errorf("the results for claim %d (seed %d) follow from no order of the operations, want one: %s", i+1, seed, told(history))
		case porcupine.Unknown:
			t.Logf("claim %d has too many orders to try in a minute", i+1)
		case porcupine.Ok:
		}
	}
	t.Logf("seed=%d claims=%d yes=%d held=%d done=%d lost=%d unknown=%d", seed, contested,
		replies[outYes], replies[outHeld], replies[outDone], replies[outLost], replies[outUnknown])
}

// LeasesAreBroken fails the test unless LeasesAreLinearizable would fail.
func LeasesAreBroken(t *testing.T, c Contested) {
	t.Helper()
	for range 20 {
		for _, history := range histories(t, c, rand.Uint64()) { //nolint:gosec // choices of a test
			if !porcupine.CheckOperations(leaseModel(), history) {
				return
			}
		}
	}
	t.Error("the histories of an engine with broken leases are linearizable")
}

// histories returns the operations on each claim with their results.
func histories(t *testing.T, c Contested, seed uint64) [][]porcupine.Operation {
	t.Helper()
	r := &recorder{began: time.Now(), repeats: c.Repeats}
	var processes []*contender
	for i := range contenders {
		processes = append(processes, &contender{
			recorder: r, number: i, random: rand.New(rand.NewPCG(seed, uint64(i))), //nolint:gosec // choices of a test
			claims: store.New(c.Open(t), store.Options{}).Claims,
		})
	}
	breaking, mend := context.WithCancel(t.Context())
	var broken sync.WaitGroup
	if c.Breaks != nil {
		broken.Go(func() { c.Breaks(breaking) })
	}
	var all [][]porcupine.Operation
	for claim := range contested {
		key := store.TriggerClaim(graph.MessageID(seed>>2 + uint64(claim)))
		r.history, r.open = nil, 0
		compete(t.Context(), processes, key)
		if c.Restart != nil {
			for i, engine := range c.Restart(t, contenders) {
				processes[i].claims = store.New(engine, store.Options{}).Claims
			}
			r.restarted()
			compete(t.Context(), processes, key)
		}
		all = append(all, r.history)
	}
	mend()
	broken.Wait()
	return all
}

func compete(ctx context.Context, processes []*contender, key store.ClaimKey) {
	var group sync.WaitGroup
	for _, p := range processes {
		group.Go(func() { p.competes(ctx, key) })
	}
	group.Wait()
}

// recorder records operations. mu guards history.
type recorder struct {
	began   time.Time
	repeats time.Duration

	mu      sync.Mutex
	history []porcupine.Operation
	open    int // number of operations without an answer
	lease   int // the number of the last lease
}

// forever is the return time of an operation without an answer.
const forever = math.MaxInt64

func (r *recorder) now() int64 { return int64(time.Since(r.began)) }

// record records an operation that was called and has returned at the given times. An operation without an answer may
// still take effect later. An operation that may have been sent twice is recorded
// twice: with its answer, and without one. The first attempt may have taken or renewed
// the lease, whatever the answer to the second: until then the lease may have expired,
// or the claim may be done.
func (r *recorder) record(process int, call, returned int64, in asked, out reply) {
	twice := r.repeats > 0 && time.Duration(returned-call) >= r.repeats
	r.mu.Lock()
	defer r.mu.Unlock()
	if out != outUnknown && out != outUntried {
		r.history = append(r.history, porcupine.Operation{ClientId: process, Input: in, Call: call, Output: out, Return: returned})
	}
	changes := in.kind != askIsDone && out != outUntried
	takes := in.kind == askClaim || in.kind == askRenew
	if changes && (out == outUnknown || twice && takes) {
		r.open++
		r.history = append(r.history, porcupine.Operation{ClientId: process, Input: in, Call: call, Output: outUnknown, Return: forever})
	}
}

// exhausted reports whether too many operations have no answer.
func (r *recorder) exhausted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open >= openEnds
}

// restarted records that all leases ended. No operation may be in progress.
func (r *recorder) restarted() {
	call := r.now()
	r.record(contenders, call, r.now(), asked{kind: askRestart}, outYes)
}

func (r *recorder) newLease() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lease++
	return r.lease
}

// contender is a process that competes for a claim.
type contender struct {
	*recorder

	number int
	random *rand.Rand
	claims *store.Claims
}

// held is a lease that a contender got, with its number in the history.
type heldLease struct {
	number int
	lease  store.Lease
}

// competes tries to get a claim, and then uses it in all ways, even after it is lost.
func (p *contender) competes(ctx context.Context, key store.ClaimKey) {
	var mine []heldLease
	for tried := 0; tried < attempts && !p.exhausted(); tried++ {
		working, cancel := context.WithCancel(ctx)
		if p.random.IntN(8) == 0 { // the call is cancelled
			time.AfterFunc(time.Duration(p.random.IntN(500))*time.Microsecond, cancel)
		}
		var out reply
		if len(mine) == 0 || p.random.IntN(3) == 0 {
			var got heldLease
			if got, out = p.claim(working, key); out == outYes {
				mine = append(mine, got)
			}
		} else {
			out = p.uses(working, &mine[p.random.IntN(len(mine))], key)
		}
		cancel()
		if out == outUntried { // the engine is away and fails calls without trying
			tried--
			if wait.For(ctx, time.Millisecond) != nil {
				return
			}
		}
		runtime.Gosched()
	}
}

func (p *contender) claim(ctx context.Context, key store.ClaimKey) (heldLease, reply) {
	in := asked{kind: askClaim, lease: p.newLease()}
	call := p.now()
	lease, err := p.claims.Claim(ctx, key, contestedFor)
	in.until = int64(lease.Until.Sub(p.began))
	p.record(p.number, call, p.now(), in, outcome(err))
	return heldLease{in.lease, lease}, outcome(err)
}

// uses makes a random call with a lease.
func (p *contender) uses(ctx context.Context, l *heldLease, key store.ClaimKey) reply {
	in := asked{lease: l.number}
	call := p.now()
	var err error
	switch p.random.IntN(8) {
	case 0:
		in.kind = askDone
		err = p.claims.Done(ctx, l.lease, "answered")
	case 1, 2:
		in.kind = askRelease
		err = p.claims.Release(ctx, l.lease)
	case 3:
		in.kind = askIsDone
		var done bool
		if _, done, err = p.claims.IsDone(ctx, key); err == nil && !done {
			err = errNotDone
		}
	default:
		in.kind = askRenew
		l.lease, err = p.claims.Renew(ctx, l.lease, contestedFor)
		in.until = int64(l.lease.Until.Sub(p.began))
	}
	p.record(p.number, call, p.now(), in, outcome(err))
	return outcome(err)
}

var errNotDone = errors.New("it is not done")

func outcome(err error) reply {
	switch {
	case err == nil:
		return outYes
	case errors.Is(err, store.ErrHeld):
		return outHeld
	case errors.Is(err, store.ErrDone):
		return outDone
	case errors.Is(err, store.ErrLost):
		return outLost
	case errors.Is(err, store.ErrUntried):
		return outUntried
	case errors.Is(err, errNotDone):
		return outNotDone
	default:
		return outUnknown
	}
}

// told returns a history as text, in the order of the calls.
func told(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var text strings.Builder
	for _, o := range history {
		text.WriteString("\n" + describe(o))
	}
	return text.String()
}
