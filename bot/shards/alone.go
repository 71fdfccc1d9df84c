package shards

import (
	"context"
	"sync"
	"time"

	"heddle/store"
)

// alone is the Registry of a process that shares its shards with no other.
type alone struct {
	mu     sync.Mutex
	count  int
	ready  map[int]map[int]bool // whether a shard is ready, by the count of shards and its id
	turned map[int]time.Time    // the end of the turn of each key
}

func newAlone() *alone {
	return &alone{ready: make(map[int]map[int]bool), turned: make(map[int]time.Time)}
}

// Exchange implements Registry. Every shard is free or held by this process.
func (a *alone) Exchange(_ context.Context, report store.ShardsReport, _ time.Duration) (store.ShardsView, []bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	held := a.ready[report.Count]
	if held == nil {
		held = make(map[int]bool)
		a.ready[report.Count] = held
	}
	kept := make([]bool, len(report.Hold))
	for i, h := range report.Hold {
		held[h.ID], kept[i] = h.Ready, true
	}
	view := store.ShardsView{Count: a.count, Members: []string{report.Member}, Shards: make([]store.ShardStanding, report.Count)}
	for id, ready := range held {
		view.Shards[id] = store.ShardStanding{Owner: report.Member, Ready: ready}
	}
	return view, kept, nil
}

// Free implements Registry.
func (a *alone) Free(_ context.Context, _ string, count int, ids []int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range ids {
		delete(a.ready[count], id)
	}
	return nil
}

// Turn implements Registry.
func (a *alone) Turn(_ context.Context, key int, ttl time.Duration) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if now.Before(a.turned[key]) {
		return false, nil
	}
	a.turned[key] = now.Add(ttl)
	return true, nil
}

// Grow implements Registry.
func (a *alone) Grow(_ context.Context, count int, _ time.Duration) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count = max(a.count, count)
	return a.count, nil
}
