package questions

import (
	"context"
	"time"

	"heddle/bot/conversation"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// recover looks in the store for questions that are nobody's, until ctx ends: periodically, as
// a process may have died, and when a queue that was full has room.
func (r *runner) recover(ctx context.Context) {
	var lingering map[store.Pending]bool
	for wait.Until(ctx, r.room, r.Leases.TTL()) == nil {
		r.records.Flush(ctx)
		taken, err := r.Store.Backlog.Taken(ctx)
		if ctx.Err() != nil {
			return // heddle is stopped, and the store is not to blame
		}
		if err != nil {
			r.Log.Log(ctx, store.LogLevel(err), "the questions that wait in the store could not be read, this is tried again", "error", err)
			time.AfterFunc(store.Retry, r.room.Set)
			continue
		}
		lingering = r.resumeAll(taken, lingering)
	}
}

// resumeAll resumes the questions among those that the store holds that are not open here. One
// that this process has settled may be about to be settled by the process that took it. It is
// resumed if it lingers: if the look before found it, too. resumeAll returns those.
func (r *runner) resumeAll(taken []store.Pending, lingering map[store.Pending]bool) map[store.Pending]bool {
	settled := make(map[store.Pending]bool)
	for _, p := range taken {
		edited := time.Time{}
		if p.Edited != 0 {
			edited = time.UnixMicro(p.Edited)
		}
		open, over := r.tasks.state(p.Trigger, edited)
		settled[p] = over
		by := asker{guild: p.Guild}
		if open || over && !lingering[p] || p.Guild != 0 && !r.Guilds.KnowsGuild(p.Guild) || r.queues.isFull(p.Channel, by) {
			continue
		}
		q := conversation.Question{Guild: p.Guild, Channel: p.Channel, ID: p.Trigger}
		t := r.newTask(q, by, edited)
		t.news.asked = p.Edited == 0 || r.Gate.AnswersEdit(q.ID, edited)
		t.record, t.looks, t.missed = p, p.By != r.self, true
		r.start(t)
	}
	return settled
}

// meet finds out where a question was asked that another process took. It reports false if
// it is to be looked up later.
func (r *runner) meet(ctx context.Context, t *task) bool {
	known, err := r.Guilds.Find(ctx, t.q.Guild, t.q.Channel)
	switch {
	case discord.IsNotFound(err): // the question is gone together with its channel
		r.settle(t.record)
		fallthrough
	case err != nil, !known:
		t.log.DebugContext(ctx, "a question that was taken is resumed later", "error", err)
		return false
	}
	t.q.Place = r.Guilds.Place(t.q.Channel, t.q.Guild)
	return true
}
