package bolt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
	"heddle/store/encrypted"
)

// BenchmarkGrowth measures the size of the file while answers are saved and expire, in
// simulated time. A hundred answers a day are saved, in conversations of ten. With each
// answer the path grows by 3 messages and an answer of 1,000 bytes. Each is made from
// 31 messages of 7 people.
func BenchmarkGrowth(b *testing.B) {
	const perDay, lifetime = 100, 30
	for name, over := range map[string]func(*DB, func() time.Time) store.Engine{
		"plain": func(d *DB, _ func() time.Time) store.Engine { return d },
		"encrypted": func(d *DB, now func() time.Time) store.Engine {
			return encrypted.New(d, encrypted.Options{Master: encrypted.NewMaster(), Now: now})
		},
	} {
		for _, days := range []int{lifetime, 3 * lifetime} {
			b.Run(fmt.Sprintf("%s/days=%d", name, days), func(b *testing.B) {
				for b.Loop() {
					size := fileAfter(b, days, perDay, over)
					b.ReportMetric(float64(size)/(perDay*lifetime), "B/answer-kept")
				}
			})
		}
	}
}

// fileAfter returns the size of the file after a number of days.
func fileAfter(b *testing.B, days, perDay int, over func(*DB, func() time.Time) store.Engine) (size int64) {
	b.Helper()
	now := time.Now()
	clock := func() time.Time { return now }
	d, err := Open(Options{Dir: b.TempDir(), Now: clock})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	d.database.opened.db.NoSync = true
	s := store.New(over(d, clock), store.Options{Now: clock})
	const sweeps = 20 // per day: enough to look at every entry twice
	var turns []path.Turn
	for i := range days * perDay {
		now = now.Add(24 * time.Hour / time.Duration(perDay))
		if i%10 == 0 {
			turns = nil
		}
		r := grown(i, graph.FirstMessageID(now), turns)
		turns = append(slices.Clone(r.Path), path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(r.Text)}})
		lease, err := s.Claims.Claim(b.Context(), store.TriggerClaim(r.Trigger), time.Minute)
		if err == nil {
			err = s.Responses.Save(b.Context(), r)
		}
		if err == nil {
			err = s.Claims.Done(b.Context(), lease, "answered")
		}
		for n := 0; err == nil && n < sweeps && i%perDay == 0; n++ {
			_, err = d.Sweep(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	_ = d.database.opened.db.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil }) // View fails only if the file is closed
	return size
}

// grown returns the i-th answer, to a path that continues turns.
func grown(i int, trigger graph.MessageID, turns []path.Turn) store.Response {
	text := strings.Repeat(fmt.Sprintf("answer %d and ", i), 70)
	r := store.Response{
		Standing: store.Standing{Scope: "g1", Channel: 5, Trigger: trigger, Self: 99, Created: trigger.Time(), Replies: []store.Reply{{ID: trigger + 1, Text: text}}},
		Input:    store.Input{Path: slices.Clone(turns), Model: "m", Tail: strings.Repeat("Today is Friday. ", 20)},
		Output:   store.Output{Text: text, FinishReason: "stop", ResponseHash: path.ResponseHash(text, "stop")},
	}
	for k := range 3 {
		said := path.Text(strings.Repeat(fmt.Sprintf("message %d.%d ", i, k), 6))
		r.Path = append(r.Path, path.Turn{Role: path.RoleUser, Speaker: "ann", Parts: []path.Part{said}})
	}
	for k := range graph.MessageID(31) {
		r.Sources = append(r.Sources, store.SourceRef{Message: trigger - k<<30, Channel: 5, Author: graph.UserID(k%7 + 1), Position: int(k) + 1})
	}
	r.PathHash = path.Path{Turns: r.Path}.Hash()
	return r
}
