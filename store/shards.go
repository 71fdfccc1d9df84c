package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostMembers bounds the processes that share the shards of one bot.
const mostMembers = 128

// Shards coordinates which process runs which shard of the gateway.
type Shards struct{ base *base }

// Shards returns the part of a store that coordinates shards.
func (s *Store) Shards() *Shards { return &Shards{s.base} }

// HeldShard is a shard that a process holds or wants to hold.
type HeldShard struct {
	ID    int
	Ready bool // its events flow
}

// ShardStanding is the state of a shard.
type ShardStanding struct {
	Owner string // the process that holds it; empty if none is known
	Ready bool   // events flow on the owner's session
	// Asked is a process that is ready to take the shard over: events flow on its own
	// session.
	Asked string
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
	Gone   bool        // it is about to end, and others may ask for its shards
	Hold   []HeldShard // shards that it holds or wants to hold
	Ask    []int       // shards that it is ready to take over
}

// Exchange publishes a report for ttl and returns what is known about all processes.
// kept says for each shard in report.Hold whether the process holds it now. Only one
// process holds a shard at a time, until it frees the shard or has not reported for
// ttl.
func (s *Shards) Exchange(ctx context.Context, report ShardsReport, ttl time.Duration) (view ShardsView, kept []bool, err error) {
	view, slots, err := s.view(ctx, report.Count)
	if err != nil {
		return ShardsView{}, nil, err
	}
	failed, err := s.base.change(ctx, report.changes(slots, ttl)...)
	if err != nil {
		return ShardsView{}, nil, fmt.Errorf("report on shards: %w", err)
	}
	for i := range report.Hold {
		kept = append(kept, failed[i] == Applied)
	}
	return view, kept, nil
}

// changes returns the changes that publish a report, beginning with one for each shard in
// Hold. slots are the members by slot.
func (r ShardsReport) changes(slots []string, ttl time.Duration) []Change {
	var changes []Change
	for _, h := range r.Hold {
		text := r.Member
		if h.Ready {
			text += readySuffix
		}
		changes = append(changes, Change{scopeShards, []Op{
			{Kind: OpHold, Name: shardName('o', r.Count, h.ID), Value: r.Member, TTL: ttl},
			{Kind: OpPut, Name: shardName('i', r.Count, h.ID), Value: text, TTL: ttl},
		}})
	}
	for _, id := range r.Ask {
		changes = append(changes, Change{scopeShards, []Op{{Kind: OpPut, Name: shardName('a', r.Count, id), Value: r.Member, TTL: ttl}}})
	}
	slot := slices.Index(slots, r.Member)
	if slot < 0 {
		slot = slices.Index(slots, "")
	}
	switch {
	case slot >= 0 && r.Gone:
		changes = append(changes, Change{scopeShards, []Op{
			{Kind: OpHeld, Name: memberName('l', slot), Value: r.Member},
			{Kind: OpFree, Name: memberName('l', slot), Value: r.Member},
			{Kind: OpDelete, Name: memberName('m', slot)},
		}})
	case slot >= 0:
		changes = append(changes, Change{scopeShards, []Op{
			{Kind: OpHold, Name: memberName('l', slot), Value: r.Member, TTL: ttl},
			{Kind: OpPut, Name: memberName('m', slot), Value: r.Member, TTL: ttl},
		}})
	}
	return changes
}

// readySuffix follows the name of an owner whose events flow.
const readySuffix = " ready"

// view returns what is known about all processes, and the members by slot.
func (s *Shards) view(ctx context.Context, count int) (view ShardsView, slots []string, err error) {
	keys := []Key{{scopeShards, shardCountName}}
	for i := range mostMembers {
		keys = append(keys, Key{scopeShards, memberName('m', i)})
	}
	for id := range count {
		keys = append(keys, Key{scopeShards, shardName('i', count, id)}, Key{scopeShards, shardName('a', count, id)})
	}
	values, err := s.base.get(ctx, keys...)
	if err != nil {
		return ShardsView{}, nil, fmt.Errorf("read who runs which shard: %w", err)
	}
	view.Count, _ = strconv.Atoi(string(values[0])) // an absent value counts as 0
	for _, value := range values[1 : 1+mostMembers] {
		slots = append(slots, string(value))
		if len(value) > 0 && !slices.Contains(view.Members, string(value)) {
			view.Members = append(view.Members, string(value))
		}
	}
	for at := 1 + mostMembers; at < len(values); at += 2 {
		owner, ready := strings.CutSuffix(string(values[at]), readySuffix)
		view.Shards = append(view.Shards, ShardStanding{Owner: owner, Ready: ready, Asked: string(values[at+1])})
	}
	return view, slots, nil
}

// Free ends the leases of a process on shards.
func (s *Shards) Free(ctx context.Context, member string, count int, ids []int) error {
	changes := make([]Change, len(ids))
	for i, id := range ids {
		changes[i] = Change{scopeShards, []Op{
			{Kind: OpHeld, Name: shardName('o', count, id), Value: member},
			{Kind: OpFree, Name: shardName('o', count, id), Value: member},
			{Kind: OpDelete, Name: shardName('i', count, id)},
		}}
	}
	if len(changes) == 0 {
		return nil
	}
	return s.base.apply(ctx, "free shards", changes...)
}

// Turn takes the turn to identify with a rate limit key, for ttl, and reports whether
// it succeeded. Until ttl has passed nobody else gets the turn of that key.
func (s *Shards) Turn(ctx context.Context, key int, ttl time.Duration) (bool, error) {
	failed, err := s.base.change(ctx, Change{scopeShards, []Op{
		{Kind: OpHold, Name: "t" + strconv.Itoa(key), Value: rand.Text(), TTL: ttl},
	}})
	if err != nil {
		return false, fmt.Errorf("take the turn to identify: %w", err)
	}
	return failed[0] == Applied, nil
}

// Grow sets the agreed number of shards for ttl, unless the agreed number is the same
// or higher. It returns the agreed number.
func (s *Shards) Grow(ctx context.Context, count int, ttl time.Duration) (int, error) {
	const digits = 9 // numbers are compared as strings
	padded := fmt.Sprintf("%0*d", digits, count)
	_, err := s.base.change(ctx, Change{scopeShards, []Op{{Kind: OpRaise, Name: shardCountName, Value: padded, TTL: ttl}}})
	if err != nil {
		return 0, fmt.Errorf("agree on the count of shards: %w", err)
	}
	values, err := s.base.get(ctx, Key{scopeShards, shardCountName})
	if err != nil {
		return 0, fmt.Errorf("read the count of shards: %w", err)
	}
	agreed, err := strconv.Atoi(string(values[0]))
	if err != nil {
		return 0, fmt.Errorf("%w: the count of shards", ErrCorrupt)
	}
	return agreed, nil
}

const shardCountName = "n"

// shardName returns the name of an entry about a shard.
func shardName(kind byte, count, id int) string {
	return string(kind) + strconv.Itoa(count) + "." + strconv.Itoa(id)
}

// memberName returns the name of an entry about a member's slot.
func memberName(kind byte, slot int) string { return string(kind) + strconv.Itoa(slot) }
