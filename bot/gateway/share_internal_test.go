package gateway

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/store"
)

// fleet simulates processes that share shards. Nothing takes time in it.
type fleet struct {
	count   int
	members []string
	owner   []string // by shard
}

func (f *fleet) held(by string) []int {
	var ids []int
	for id, owner := range f.owner {
		if owner == by {
			ids = append(ids, id)
		}
	}
	return ids
}

// round lets every process carry out its plan once, and returns how many shards moved.
func (f *fleet) round() (moved int) {
	for _, me := range f.members {
		view := store.ShardsView{Members: f.members}
		for _, owner := range f.owner {
			view.Shards = append(view.Shards, store.ShardStanding{Owner: owner, Ready: owner != ""})
		}
		take, release := planned(view, me, f.held(me))
		for _, id := range take {
			f.owner[id] = me
			moved++
		}
		if release != none {
			f.owner[release] = ""
		}
	}
	return moved
}

// change adds or removes a process, whose shards are free at once.
func (f *fleet) change(r *rand.Rand, n int) {
	if len(f.members) < 2 || r.IntN(2) == 0 {
		f.members = append(f.members, fmt.Sprintf("p%d", n))
		return
	}
	at := r.IntN(len(f.members))
	gone := f.members[at]
	f.members = slices.Delete(slices.Clone(f.members), at, at+1)
	for _, id := range f.held(gone) {
		f.owner[id] = ""
	}
}

// settle repeats rounds until nothing moves, and returns how many shards moved.
func (f *fleet) settle(t *testing.T) (moved int) {
	t.Helper()
	for range 2*f.count + 4 {
		n := f.round()
		if moved += n; n == 0 && !slices.Contains(f.owner, "") {
			return moved
		}
	}
	t.Fatalf("shards keep moving: %v, want them to stay with their owners", f.owner)
	return moved
}

// TestShardsAreDividedEvenlyAndThenStay adds and removes processes at random.
func TestShardsAreDividedEvenlyAndThenStay(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		f := &fleet{count: 1 + r.IntN(64)}
		f.owner = make([]string, f.count)
		for n := range 8 {
			f.change(r, n)
			f.settle(t)
			least, most := f.count/len(f.members), (f.count+len(f.members)-1)/len(f.members)
			for _, m := range f.members {
				if has := len(f.held(m)); has < least || has > most {
					t.Fatalf("seed %d: of %d shards and %d processes one holds %d: %v, want at least %d and at most %d", seed, f.count, len(f.members), has, f.owner, least, most)
				}
			}
		}
	}
}

func TestANewProcessMovesNoMoreThanItsShare(t *testing.T) {
	f := &fleet{count: 60, members: []string{"a", "b"}, owner: make([]string, 60)}
	f.settle(t)
	f.members = append(f.members, "c")
	if moved := f.settle(t); moved != 20 {
		t.Errorf("%d of 60 shards moved when a third process came, want 20", moved)
	}
}
