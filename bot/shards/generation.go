package shards

import (
	"context"
	"slices"
	"time"

	"heddle/bot/gateway"
	"heddle/store"
)

// mostAsking bounds the time for which a process tries to take over a shard.
const mostAsking = 2 * time.Minute

// generation is the shards that this process runs while the bot has count shards. Its
// methods are called by one goroutine.
type generation struct {
	shards   *Shards
	count    int
	runs     []*run
	complete bool // every shard is ready, in some process
	away     bool // the registry was away at the last exchange
}

// step reports what this process runs, takes its share of the shards and releases the
// others. It returns how many shards there should be.
func (g *generation) step(ctx context.Context) int {
	more := g.sweep()
	wanted := g.shards.wanted(g.count)
	view, ok := g.exchange(ctx, g.report())
	if ok {
		p := planned(view, g.shards.member, wanted, g.ids())
		g.take(ctx, p.take)
		for _, id := range p.over {
			g.start(ctx, id, view.Shards[id].Owner)
		}
		g.handOver(ctx, view)
		g.giveUp(view)
	}
	g.complete = ok && isComplete(view, wanted)
	g.shards.mu.Lock()
	g.shards.want = len(g.runs)
	if !g.shards.standby {
		g.shards.want = len(wanted)
	}
	g.shards.mu.Unlock()
	if more {
		return g.shards.grow(ctx, g.count)
	}
	return max(g.count, view.Count)
}

// renew reports what this process runs, to keep its shards, and takes no others.
func (g *generation) renew(ctx context.Context) {
	_ = g.sweep() // the number of shards is growing already
	g.exchange(ctx, g.report())
}

// leave announces that this process is about to end, and releases the shards that other
// processes take over. It reports whether shards are left that other processes could
// take over.
func (g *generation) leave(ctx context.Context) bool {
	g.sweep()
	report := g.report()
	report.Gone, report.Ask = true, nil
	view, ok := g.exchange(ctx, report)
	if !ok {
		return false
	}
	g.handOver(ctx, view)
	others := slices.DeleteFunc(slices.Clone(view.Members), func(m string) bool { return m == g.shards.member })
	return len(g.runs) > 0 && len(others) > 0
}

// end ends all runs of this process and releases their shards.
func (g *generation) end(ctx context.Context) {
	for _, r := range g.runs {
		r.stop()
	}
	if err := g.shards.cfg.Registry.Free(ctx, g.shards.member, g.count, g.ids()); err != nil {
		g.shards.log.DebugContext(ctx, "shards could not be released, other processes get them when their leases expire", "error", err)
	}
	g.runs = nil
}

// sweep forgets runs that have ended, and reports whether one ended because Discord
// wants more shards.
func (g *generation) sweep() (more bool) {
	g.runs = slices.DeleteFunc(g.runs, func(r *run) bool {
		more = more || r.more.Load()
		return !g.shards.isRunning(r) && !r.more.Load() // a run that failed keeps its shard, because another process could not run it either
	})
	return more
}

func (s *Shards) isRunning(r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[r.shard] == r
}

// report returns the report of this process.
func (g *generation) report() store.ShardsReport {
	report := store.ShardsReport{Member: g.shards.member, Count: g.count}
	for _, r := range g.runs {
		switch {
		case r.held:
			report.Hold = append(report.Hold, store.HeldShard{ID: r.shard.ID, Ready: r.isReady()})
		case r.isReady():
			report.Ask = append(report.Ask, r.shard.ID)
		}
	}
	return report
}

func (g *generation) ids() []int {
	ids := make([]int, len(g.runs))
	for i, r := range g.runs {
		ids[i] = r.shard.ID
	}
	return ids
}

// exchange publishes a report, and ends the shards that this process no longer holds.
// While the registry is away all shards continue, because no other process can take
// them.
func (g *generation) exchange(ctx context.Context, report store.ShardsReport) (store.ShardsView, bool) {
	view, kept, err := g.shards.cfg.Registry.Exchange(ctx, report, g.shards.cfg.Lease)
	if err != nil {
		if !g.away && ctx.Err() == nil {
			g.shards.log.WarnContext(ctx, "the registry of shards cannot be reached, this process keeps its shards", "error", err)
		}
		g.away = true
		return store.ShardsView{}, false
	}
	g.away = false
	for i, held := range report.Hold {
		if !kept[i] {
			g.shards.log.WarnContext(ctx, "another process has taken a shard, this process stops running it", "shard", held.ID)
			g.drop(held.ID)
		}
	}
	return view, true
}

// take tries to acquire free shards, and runs those that it gets.
func (g *generation) take(ctx context.Context, ids []int) {
	report := store.ShardsReport{Member: g.shards.member, Count: g.count}
	for _, id := range ids {
		report.Hold = append(report.Hold, store.HeldShard{ID: id})
	}
	for _, r := range g.runs { // some shards that this process asked for may be free now
		if !r.held && r.isReady() {
			report.Hold = append(report.Hold, store.HeldShard{ID: r.shard.ID, Ready: true})
		}
	}
	if len(report.Hold) == 0 {
		return
	}
	_, kept, err := g.shards.cfg.Registry.Exchange(ctx, report, g.shards.cfg.Lease)
	if err != nil {
		return // the next step reports the error
	}
	for i, held := range report.Hold {
		if !kept[i] {
			continue
		}
		if r := g.find(held.ID); r != nil {
			r.held = true
			g.shards.log.InfoContext(ctx, "a shard was taken over", "shard", held.ID, "shards", g.count)
			continue
		}
		g.start(ctx, held.ID, "")
	}
}

// start runs a shard that is held, or that is to be taken over from another process.
func (g *generation) start(ctx context.Context, id int, from string) {
	r, err := g.shards.begin(ctx, gateway.Shard{ID: id, Count: g.count})
	if err != nil {
		g.shards.log.ErrorContext(ctx, "a shard could not be started", "shard", id, "error", err)
		return
	}
	r.held, r.from = from == "", from
	g.runs = append(g.runs, r)
	g.shards.log.DebugContext(ctx, "a shard starts", "shard", id, "shards", g.count, "taken_over", !r.held)
}

// handOver releases shards that another process is ready to run.
func (g *generation) handOver(ctx context.Context, view store.ShardsView) {
	var freed []int
	for id, standing := range view.Shards {
		r := g.find(id)
		if r != nil && r.held && standing.Asked != "" && standing.Asked != g.shards.member {
			freed = append(freed, id)
		}
	}
	if len(freed) == 0 {
		return
	}
	if err := g.shards.cfg.Registry.Free(ctx, g.shards.member, g.count, freed); err != nil {
		return // the next step tries again
	}
	for _, id := range freed {
		g.shards.log.InfoContext(ctx, "a shard was handed over", "shard", id, "shards", g.count)
		g.drop(id)
	}
}

// giveUp ends attempts to take over a shard that another process got, or that take too
// long.
func (g *generation) giveUp(view store.ShardsView) {
	for _, r := range slices.Clone(g.runs) {
		if r.held {
			continue
		}
		owner := view.Shards[r.shard.ID].Owner
		if owner != "" && owner != r.from && owner != g.shards.member || time.Since(r.since) > mostAsking {
			g.drop(r.shard.ID)
		}
	}
}

func (g *generation) find(id int) *run {
	for _, r := range g.runs {
		if r.shard.ID == id {
			return r
		}
	}
	return nil
}

// drop ends a shard.
func (g *generation) drop(id int) {
	g.runs = slices.DeleteFunc(g.runs, func(r *run) bool {
		if r.shard.ID == id {
			r.stop()
		}
		return r.shard.ID == id
	})
}

// isComplete reports whether all wanted shards are ready.
func isComplete(view store.ShardsView, wanted []int) bool {
	for _, id := range wanted {
		if id >= len(view.Shards) || !view.Shards[id].Ready {
			return false
		}
	}
	return true
}
