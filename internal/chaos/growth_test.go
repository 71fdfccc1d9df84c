package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/wait"
)

// sample is the resources of an idle process.
type sample struct {
	mentions    int
	goroutines  int
	descriptors int
	heap        int // bytes in use after a garbage collection
	resident    int // bytes of memory
	threads     int
}

func (s sample) String() string {
	const mega = 1 << 20
	return fmt.Sprintf("mentions=%d goroutines=%d descriptors=%d threads=%d heap=%.1fMiB resident=%.1fMiB",
		s.mentions, s.goroutines, s.descriptors, s.threads, float64(s.heap)/mega, float64(s.resident)/mega)
}

// TestNothingGrows lets a process answer while Discord, the model, the store and the
// network fail. From time to time, when everything is answered, it measures the
// resources of the process.
//
// CHAOS_LASTS sets the duration of a longer test, which measures once a minute. It
// fills each channel with as many messages as a process holds before it begins, and
// stores answers for ten minutes only. Otherwise the channel logs and the store would
// grow for longer than the test. CHAOS_PROFILES names a directory for a heap profile
// every ten minutes.
//
//	CHAOS_LASTS=1h CHAOS_PROFILES=/tmp go test -timeout 2h -run NothingGrows -v ./internal/chaos
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	for name, redis := range map[string]bool{"embedded store": false, "Redis": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const round = 20 // mentions
			p := plan{mentions: round, channels: 12, processes: 1, redis: redis, every: 100 * time.Millisecond, open: round, settle: 2 * time.Minute}
			rounds, said := 4, 0
			if text := os.Getenv("CHAOS_LASTS"); text != "" {
				lasts := errtest.Must(time.ParseDuration(text))(t)
				rounds = max(rounds, int(lasts/time.Minute))
				p.mentions, p.every, said = 100, 450*time.Millisecond, 11_000
			}
			newRun(t, p).grows(rounds, said)
		})
	}
}

// grows posts messages, runs rounds, and fails the test if resources grow in the last
// third of them.
func (r *run) grows(rounds, said int) {
	r.t.Helper()
	p := r.all[0]
	p.environ = append(p.environ, "HEALTH_ADDR=127.0.0.1:0", "LOG_LEVEL=info")
	if said > 0 {
		p.environ = append(p.environ, "CACHE_TTL=10m")
	}
	if os.Getenv("CHAOS_PROFILES") != "" {
		p.environ = append(p.environ, "GODEBUG=memprofilerate=4096")
	}
	r.begins()
	address := r.serves("serving health and metrics")
	r.talks(said)
	began, samples, asked := time.Now(), []sample(nil), []*mention(nil)
	for n := range rounds {
		r.round(n)
		asked = append(asked, r.mentions...)
		if r.t.Failed() {
			return
		}
		_ = wait.For(r.ctx, time.Until(began.Add(time.Duration(n+1)*r.plan.every*time.Duration(r.plan.mentions)*4/3)))
		s := r.samples(address)
		s.mentions = len(asked)
		r.t.Logf("seed=%d round=%d after=%s %s", r.seed, n+1, time.Since(began).Round(time.Second), s)
		samples = append(samples, s)
		r.profiles(address, n+1)
		r.from, r.mentions = asked[len(asked)-1].id, nil
	}
	r.from, r.mentions = 0, asked
	r.settles()
	r.flat(samples[1:])
}

// talks posts the given number of messages in each channel.
func (r *run) talks(messages int) {
	r.t.Helper()
	words := rand.New(rand.NewPCG(r.seed, 6))
	for n := range messages {
		for _, channel := range r.in {
			var text strings.Builder
			for range 4 + words.IntN(20) {
				fmt.Fprintf(&text, "w%d ", int(words.ExpFloat64()*300))
			}
			_, err := r.discord.Chat.Post(channel, r.people[words.IntN(len(r.people))], discordtest.Draft{Content: text.String()})
			r.must(err)
		}
		if n%5 == 0 && wait.For(r.ctx, 10*time.Millisecond) != nil {
			return
		}
	}
}

// profiles stores a heap profile after every tenth round, if CHAOS_PROFILES is set.
func (r *run) profiles(address string, round int) {
	r.t.Helper()
	if folder := os.Getenv("CHAOS_PROFILES"); folder != "" && round%10 == 0 {
		name := fmt.Sprintf("%s/heap-%d-%d.pb.gz", folder, r.seed, round)
		r.must(os.WriteFile(name, []byte(r.reads(address, "/debug/pprof/heap?gc=1")), 0o600))
	}
}

// round posts the mentions of one round while things fail, and waits until all are
// answered.
func (r *run) round(n int) {
	breaking, stop := context.WithCancel(r.ctx)
	var broken sync.WaitGroup
	broken.Go(func() { r.disturbs(breaking, n) })
	broken.Go(func() { r.breaksStores(breaking, n) })
	r.asks(n)
	stop()
	broken.Wait()
	r.settles()
}

// disturbs breaks everything that can break without ending the process.
func (r *run) disturbs(ctx context.Context, n int) {
	d := dice{rand.New(rand.NewPCG(r.seed, uint64(n)<<8|5))}
	for ctx.Err() == nil {
		r.breaksDiscord(ctx, d)
		r.faults.Add(1)
		d.pause(ctx, 5*time.Second)
	}
}

// serves waits until the process logs at which address it serves something, and returns
// the address.
func (r *run) serves(what string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	<-r.all[0].says(ctx, `"`+what+`" address=`)
	found := regexp.MustCompile(`"` + what + `" address=(\S+)`).FindStringSubmatch(r.all[0].log.String())
	if found == nil {
		r.t.Fatalf("the process does not log within a minute that it is %s", what)
	}
	return found[1]
}

// samples makes the process collect garbage, and reads its resources. The heap is the
// smallest of three readings: what a sync.Pool holds outlives one collection, and a process
// that works while it is read has garbage. One reading was 5 MB too high, once in CI.
func (r *run) samples(address string) sample {
	r.t.Helper()
	of := func(text, name string) int {
		for line := range strings.Lines(text) {
			if value, ok := strings.CutPrefix(line, name+" "); ok {
				number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				r.must(err)
				return int(number)
			}
		}
		r.t.Errorf("the metrics have no %s, want a number for it", name)
		return 0
	}
	heap := math.MaxInt
	for range 3 {
		heap = min(heap, of(r.reads(address, "/debug/pprof/heap?debug=1&gc=1"), "# HeapAlloc ="))
	}
	metrics := r.reads(address, "/metrics")
	return sample{
		goroutines: of(metrics, "go_goroutines"), descriptors: of(metrics, "process_open_fds"), threads: of(metrics, "go_threads"),
		heap: heap, resident: of(metrics, "process_resident_memory_bytes"),
	}
}

func (r *run) reads(address, page string) string {
	r.t.Helper()
	request := errtest.Must(http.NewRequestWithContext(r.ctx, http.MethodGet, "http://"+address+page, http.NoBody))(r.t)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}).Do(request)
	errtest.None(r.t, err)
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// flat fails the test if the last third of the samples is higher than the second. In
// the first third the channel logs may still grow to their bounds. Idle connections
// come and go, and each has two goroutines, so some variation is allowed.
func (r *run) flat(samples []sample) {
	r.t.Helper()
	third := max(1, len(samples)/3)
	for what, test := range map[string]struct {
		of    func(sample) int
		slack int
	}{
		"goroutines":    {func(s sample) int { return s.goroutines }, 20},
		"descriptors":   {func(s sample) int { return s.descriptors }, 15},
		"bytes of heap": {func(s sample) int { return s.heap }, 4 << 20},
	} {
		early, late := median(samples[len(samples)-2*third:len(samples)-third], test.of), median(samples[len(samples)-third:], test.of)
		if late > early+max(test.slack, early/10) {
			r.t.Errorf("in the second third of the time there were %d %s, in the last %d, want at most %d", early, what, late, early+max(test.slack, early/10))
		}
	}
}

func median(samples []sample, of func(sample) int) int {
	var all []int
	for _, s := range samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
