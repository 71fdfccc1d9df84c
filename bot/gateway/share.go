package gateway

import (
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"heddle/store"
)

// step reports what this process runs, takes free shards up to its share and frees one
// that is more than that. It returns how many shards the bot should have.
func (s *Shards) step(ctx context.Context) (count int) {
	count, want := s.count, s.count
	if s.cfg.Registry == nil {
		for id := range s.count {
			if !slices.Contains(s.ids(), id) {
				s.begin(ctx, id)
			}
		}
	} else {
		count = max(count, s.divide(ctx))
		want = len(s.ids())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.want = want
	return count
}

// divide takes free shards up to the share of this process, and frees one that is more than
// that. It returns the agreed number of shards, or 0 if that is not known.
func (s *Shards) divide(ctx context.Context) (agreed int) {
	view, ok := s.exchange(ctx, s.report())
	if !ok {
		return 0
	}
	take, release := planned(view, s.member, s.ids())
	s.take(ctx, take)
	if release != none {
		s.log.InfoContext(ctx, "a shard is freed for another process", "shard", release, "shards", s.count)
		s.free(ctx, s.stop(release))
	}
	return view.Count
}

// ids returns the shards that this process runs, in order.
func (s *Shards) ids() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.runs))
}

// report returns the report of this process.
func (s *Shards) report() store.ShardsReport {
	report := store.ShardsReport{Member: s.member, Count: s.count}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, r := range s.runs {
		report.Hold = append(report.Hold, store.HeldShard{ID: id, Ready: r.gateway.Status().Connected == 1})
	}
	return report
}

// exchange publishes a report, and ends the shards that this process no longer holds.
// While the registry is away all shards continue, because no other process can take
// them.
func (s *Shards) exchange(ctx context.Context, report store.ShardsReport) (store.ShardsView, bool) {
	view, kept, err := s.cfg.Registry.Exchange(ctx, report, s.cfg.Lease)
	if err != nil {
		if !s.away {
			s.log.WarnContext(ctx, "the registry of shards cannot be reached, this process keeps its shards", "error", err)
		}
		s.away = true
		return store.ShardsView{}, false
	}
	s.away = false
	for i, held := range report.Hold {
		if !kept[i] {
			s.log.WarnContext(ctx, "another process has taken a shard, this process stops running it", "shard", held.ID)
			s.stop(held.ID)
		}
	}
	return view, true
}

// take tries to acquire free shards, and runs those that it gets.
func (s *Shards) take(ctx context.Context, ids []int) {
	if len(ids) == 0 {
		return
	}
	report := store.ShardsReport{Member: s.member, Count: s.count}
	for _, id := range ids {
		report.Hold = append(report.Hold, store.HeldShard{ID: id})
	}
	_, kept, err := s.cfg.Registry.Exchange(ctx, report, s.cfg.Lease)
	if err != nil {
		return // the next step reports the error
	}
	for i, id := range ids {
		if !kept[i] {
			continue
		}
		s.log.InfoContext(ctx, "a shard was taken", "shard", id, "shards", s.count)
		s.begin(ctx, id)
	}
}

// stop ends shards, waits until their connections are closed, and returns their ids.
func (s *Shards) stop(ids ...int) []int {
	var ended []*run
	s.mu.Lock()
	for _, id := range ids {
		if r := s.runs[id]; r != nil {
			r.stop()
			ended = append(ended, r)
		}
	}
	s.mu.Unlock()
	for _, r := range ended {
		<-r.done
	}
	return ids
}

// free lets other processes take shards that this one has stopped.
func (s *Shards) free(ctx context.Context, ids []int) {
	if s.cfg.Registry == nil {
		return
	}
	if err := s.cfg.Registry.Free(ctx, s.member, s.count, ids); err != nil {
		s.log.DebugContext(ctx, "shards could not be freed, other processes get them when their leases expire", "error", err)
	}
}

// leave ends all shards, and tells the other processes that this one takes part no more.
func (s *Shards) leave(ctx context.Context) {
	ids := s.stop(s.ids()...)
	s.running.Wait()
	if s.cfg.Registry == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s.free(ctx, ids)
	_, _, _ = s.cfg.Registry.Exchange(ctx, store.ShardsReport{Member: s.member, Count: s.count, Gone: true}, s.cfg.Lease) // otherwise its lease expires
}

// none is no shard.
const none = -1

// planned returns the shards that the process me should take next, and one that it should
// free, or none. mine is the shards that me runs.
//
// Of s shards each of n processes gets s/n, rounded down, or one more. Nobody takes one
// more while another process has too few, or frees a shard before all shards run.
func planned(view store.ShardsView, me string, mine []int) (take []int, release int) {
	members, count := slices.Clone(view.Members), len(view.Shards)
	if !slices.Contains(members, me) {
		members = append(members, me)
	}
	least := count / len(members)
	most := (count + len(members) - 1) / len(members)
	holds := make(map[string]int)
	for _, standing := range view.Shards {
		holds[standing.Owner]++
	}
	isShort := func(member string) bool { return member != me && holds[member] < least }
	othersShort := slices.ContainsFunc(members, isShort)
	share := most
	if othersShort {
		share = least
	}
	whole := true
	for i, begin := 0, ownPlace(me); i < count; i++ {
		id := (begin + i) % count
		standing := view.Shards[id]
		whole = whole && standing.Ready
		if standing.Owner == "" && !slices.Contains(mine, id) && len(mine)+len(take) < share {
			take = append(take, id)
		}
	}
	if whole && len(mine) > share {
		return take, mine[len(mine)-1]
	}
	return take, none
}

// ownPlace returns where a process begins to look for free shards. It differs between processes,
// so that two rarely try the same shard first.
func ownPlace(me string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(me))
	return int(h.Sum32())
}
