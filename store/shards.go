package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Shards coordinates which process runs which shard of the gateway.
type Shards struct{ base *base }

// HeldShard is a shard that a process holds or wants to hold.
type HeldShard struct {
	ID    int
	Ready bool // its events flow
}

// ShardStanding is the state of a shard.
type ShardStanding struct {
	Owner string // the process that holds it; empty if none is known
	Ready bool   // events flow on the owner's session
}

// ShardsView is what is known about all processes that share shards.
type ShardsView struct {
	Count   int             // the agreed number of shards; 0 if there is no agreement
	Members []string        // the processes that take part
	Shards  []ShardStanding // by id
}

// ShardsReport is what a process publishes about itself.
type ShardsReport struct {
	Member string
	Count  int         // number of shards, of which it runs some
	Gone   bool        // it takes part no more
	Hold   []HeldShard // shards that it holds or wants to hold
}

// Exchange publishes a report for ttl and returns what was known about all processes
// before. kept says for each shard in report.Hold whether the process holds it now. Only
// one process holds a shard at a time, until it frees the shard or has not reported for
// ttl.
func (s *Shards) Exchange(ctx context.Context, report ShardsReport, ttl time.Duration) (view ShardsView, kept []bool, err error) {
	err = s.base.write(ctx, "report on shards", scopeShards, func(t *tx) {
		view = shardsView(t, report.Count)
		kept = report.hold(t, ttl)
		if report.Gone {
			t.take(setName, report.Member)
		} else {
			t.add(setName, report.Member, ttl)
		}
	})
	return view, kept, err
}

// hold takes or prolongs the leases on shards, unless others hold them.
func (r *ShardsReport) hold(t *tx, ttl time.Duration) []bool {
	leases := each(r.Hold, func(h HeldShard) string { return shardLease(r.Count, h.ID) })
	kept := make([]bool, len(r.Hold))
	for i, value := range t.get(leases...) {
		owner, _ := strings.CutSuffix(string(value), readySuffix)
		if kept[i] = owner == "" || owner == r.Member; !kept[i] {
			continue
		}
		text := r.Member
		if r.Hold[i].Ready {
			text += readySuffix
		}
		t.put(leases[i], text, ttl)
	}
	return kept
}

// readySuffix follows the name of an owner whose events flow.
const readySuffix = " ready"

// shardsView returns what is known about all processes.
func shardsView(t *tx, count int) (view ShardsView) {
	names := []string{shardCountName}
	for id := range count {
		names = append(names, shardLease(count, id))
	}
	values := t.get(names...)
	view.Count, _ = strconv.Atoi(string(values[0])) // an absent value counts as 0
	view.Members = slices.Sorted(slices.Values(t.members(setName)[0]))
	for _, value := range values[1:] {
		owner, ready := strings.CutSuffix(string(value), readySuffix)
		view.Shards = append(view.Shards, ShardStanding{Owner: owner, Ready: ready})
	}
	return view
}

// Free ends the leases of a process on shards.
func (s *Shards) Free(ctx context.Context, member string, count int, ids []int) error {
	if len(ids) == 0 {
		return nil
	}
	leases := each(ids, func(id int) string { return shardLease(count, id) })
	return s.base.write(ctx, "free shards", scopeShards, func(t *tx) {
		for i, value := range t.get(leases...) {
			if owner, _ := strings.CutSuffix(string(value), readySuffix); owner == member {
				t.remove(leases[i])
			}
		}
	})
}

// Grow sets the agreed number of shards for ttl, unless the agreed number is the same
// or higher. It returns the agreed number.
func (s *Shards) Grow(ctx context.Context, count int, ttl time.Duration) (int, error) {
	agreed := count
	err := s.base.write(ctx, "agree on the count of shards", scopeShards, func(t *tx) {
		before, _ := strconv.Atoi(string(t.value(shardCountName))) // an absent value counts as 0
		agreed = max(count, before)
		t.put(shardCountName, strconv.Itoa(agreed), ttl)
	})
	if err != nil {
		return 0, err
	}
	return agreed, nil
}

const shardCountName = "n"

// shardLease returns the name of the lease on a shard.
func shardLease(count, id int) string {
	return leasePrefix + "o" + strconv.Itoa(count) + "." + strconv.Itoa(id)
}
