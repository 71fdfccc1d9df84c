package shards

import (
	"hash/fnv"
	"slices"

	"heddle/store"
)

// plan is the shards that a process tries to get next.
type plan struct {
	take []int // shards that nobody holds
	over []int // shards to take over from processes that have more, or that are about to end
}

// planned returns the plan of the process me. wanted is the shards to be divided. mine
// is the shards that me runs already, including those that it is taking over.
//
// Of s shards each of n processes gets s/n, rounded down, or one more.
func planned(view store.ShardsView, me string, wanted, mine []int) plan {
	members := slices.Clone(view.Members)
	if !slices.Contains(members, me) {
		members = append(members, me)
	}
	least := len(wanted) / len(members)
	most := (len(wanted) + len(members) - 1) / len(members)
	holds := make(map[string]int)
	for _, standing := range view.Shards {
		holds[standing.Owner]++
	}
	order := slices.DeleteFunc(fromOwnPlace(wanted, me), func(id int) bool {
		return slices.Contains(mine, id) || id >= len(view.Shards) || isTaken(view.Shards[id], me)
	})
	var p plan
	free := 0
	for _, id := range order {
		if view.Shards[id].Owner != "" {
			continue
		}
		if free++; len(mine)+len(p.take) < most {
			p.take = append(p.take, id)
		}
	}
	if free > len(p.take) {
		return p // once others have taken the free shards, it shows which processes have more
	}
	for _, id := range order {
		owner, has := view.Shards[id].Owner, len(mine)+len(p.take)+len(p.over)
		switch leaving := !slices.Contains(members, owner); {
		case owner == "", leaving && has >= most:
		case leaving:
			p.over = append(p.over, id)
		case has < least && holds[owner] > least, has < most && holds[owner] > most:
			holds[owner]--
			p.over = append(p.over, id)
		}
	}
	return p
}

// isTaken reports whether a shard is this process's own, or is being handed over to
// another.
func isTaken(s store.ShardStanding, me string) bool {
	return s.Owner == me || s.Asked != "" && s.Asked != me
}

// fromOwnPlace rotates ids by an amount that differs between processes, so that two
// processes rarely try the same shard first.
func fromOwnPlace(ids []int, me string) []int {
	if len(ids) == 0 {
		return nil
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(me))
	at := int(h.Sum32() % uint32(len(ids))) //nolint:gosec // it fits
	return slices.Concat(ids[at:], ids[:at])
}
