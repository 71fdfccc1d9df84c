package bolt

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// BenchmarkSharedWrites compares the queue with bbolt's own Batch. Each change is about
// as large as that of storing an answer.
func BenchmarkSharedWrites(b *testing.B) {
	ways := map[string]func(*testing.B, *DB) func(store.Change) error{
		"queue": func(b *testing.B, d *DB) func(store.Change) error {
			b.Helper()
			return func(change store.Change) error {
				_, err := d.Apply(context.Background(), change)
				return err
			}
		},
	}
	for _, delay := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
		ways["batch, "+delay.String()] = func(b *testing.B, d *DB) func(store.Change) error {
			b.Helper()
			d.database.opened.db.MaxBatchDelay = delay
			return func(change store.Change) error {
				return d.database.opened.db.Batch(func(tx *bbolt.Tx) error { return d.carryOut(newTable(tx, d.now()), change) })
			}
		}
	}
	for name, way := range ways {
		for _, callers := range []int{1, 2, 32} {
			b.Run(fmt.Sprintf("%s/callers=%d", name, callers), func(b *testing.B) {
				d, err := Open(Options{Dir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { _ = d.Close() })
				benchCallers(b, callers, way(b, d))
			})
		}
	}
}

// benchCallers applies changes from several goroutines at the same time.
func benchCallers(b *testing.B, callers int, apply func(store.Change) error) {
	b.Helper()
	var next atomic.Int64
	done := make(chan error)
	b.ResetTimer()
	for range callers {
		go func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := apply(answer(n)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range callers {
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
}

// answer returns a change that stores 8 kB under 40 names.
func answer(n int64) store.Change {
	change := store.Change{Scope: "g1"}
	for i := range 40 {
		change.Ops = append(change.Ops, store.Op{
			Kind: store.OpPut, Name: fmt.Sprintf("%d entry %d", n, i), Value: strings.Repeat("x", 200), TTL: time.Hour,
		})
	}
	return change
}
