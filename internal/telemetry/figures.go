package telemetry

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of a histogram's buckets, in seconds.
func bounds() []float64 {
	return []float64{0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}
}

// mostBuckets is the number of buckets of a histogram, besides the one for all
// durations.
const mostBuckets = 15

// histogram counts durations by their length.
type histogram struct {
	buckets [mostBuckets]atomic.Uint64 // numbers of durations up to the bound and above the one before it
	count   atomic.Uint64
	nanos   atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	if i, _ := slices.BinarySearch(bounds(), d.Seconds()); i < mostBuckets {
		h.buckets[i].Add(1)
	}
	h.count.Add(1)
	h.nanos.Add(int64(d))
}

// Histogram is a distribution of durations.
type Histogram struct {
	Label   string             // what is measured
	Count   uint64             // number of durations
	Seconds float64            // their sum
	Within  map[float64]uint64 // number of durations up to a number of seconds
}

func (h *histogram) read(label string) Histogram {
	r := Histogram{Label: label, Count: h.count.Load(), Seconds: time.Duration(h.nanos.Load()).Seconds(), Within: make(map[float64]uint64, mostBuckets)}
	sum := uint64(0)
	for i, bound := range bounds() {
		sum += h.buckets[i].Load()
		r.Within[bound] = sum
	}
	r.Count = max(r.Count, sum) // a duration may be added during the call
	return r
}

// byLabels holds sums by the values of labels.
type byLabels struct {
	mu   sync.Mutex
	sums map[string]float64 // by the values, joined
}

const labelSeparator = "\x00"

func (b *byLabels) add(n float64, values ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sums == nil {
		b.sums = make(map[string]float64)
	}
	b.sums[strings.Join(values, labelSeparator)] += n
}

// Sum is a sum with the values of its labels.
type Sum struct {
	Labels []string
	Value  float64
}

func (b *byLabels) read() []Sum {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Sum, 0, len(b.sums))
	for values, sum := range b.sums {
		all = append(all, Sum{strings.Split(values, labelSeparator), sum})
	}
	return all
}

// Figures is the values of a Meter at a moment.
type Figures struct {
	Events  []Sum       // by event
	Ratings []Sum       // by rating
	Queued  []Sum       // what waits now, by cause
	Waits   []Histogram // by cause
	Stages  []Histogram // by stage
	REST    []Sum       // requests by method, route, class of the status, and scope
	Tokens  []Sum       // by model, and kind: prompt, which leaves out cached, and completion
}

// Figures returns the current values. Everything that can be counted is included, with
// 0 if it has not happened. Requests and tokens are included once there were any.
func (m *Meter) Figures() Figures {
	f := Figures{REST: m.rest.read(), Tokens: m.tokens.read()}
	for e := range events {
		f.Events = append(f.Events, Sum{[]string{e.String()}, float64(m.events[e].Load())})
	}
	for r := range ratings {
		f.Ratings = append(f.Ratings, Sum{[]string{r.String()}, float64(m.ratings[r].Load())})
	}
	for c := range causes {
		f.Queued = append(f.Queued, Sum{[]string{c.String()}, float64(m.queued[c].Load())})
		f.Waits = append(f.Waits, m.waits[c].read(c.String()))
	}
	for s := range stages {
		f.Stages = append(f.Stages, m.stages[s].read(s.String()))
	}
	return f
}
