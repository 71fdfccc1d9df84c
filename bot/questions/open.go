package questions

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// task is to make the answer to a question agree with the question as it reads now.
type task struct {
	q      conversation.Question
	by     asker
	asked  time.Time
	record store.Pending // what the store keeps until the task is settled
	log    *slog.Logger

	// The open tasks guard these fields.
	news    news
	timer   *time.Timer // waits for the next attempt; nil while the task is queued or runs
	hurried bool        // the next attempt was to be made now while one was made

	// One goroutine at a time uses these fields.
	missed   bool              // it waits for the check of its guild: an answer there may be to what was deleted in a gap
	looks    bool              // it was found, or another process took it: an answer may have been begun
	checks   bool              // the attempt looks once more at what stands
	refusals int               // attempts in a row that Discord did not accept
	before   answer.Outcome    // of the attempt before
	owned    telemetry.Waiting // for another process that holds it
}

// news is what was heard of a question.
type news struct {
	asked  bool              // it is to be answered; otherwise only an answer that it has is to follow its edits
	edited time.Time         // of the newest version that was heard of; zero for the first
	gone   bool              // it was deleted
	parts  []graph.MessageID // of its answer, if it was deleted and they are known
}

// isNewer reports whether n tells something that before does not.
func (n *news) isNewer(before *news) bool {
	return n.asked && !before.asked || n.edited.After(before.edited) || n.gone && !before.gone || len(n.parts) > len(before.parts)
}

// and returns what is known from both.
func (n *news) and(more *news) news {
	latest := slices.MaxFunc([]time.Time{n.edited, more.edited}, time.Time.Compare)
	return news{n.asked || more.asked, latest, n.gone || more.gone, slices.Concat(n.parts, more.parts)}
}

// mostOver bounds the settled questions that a process remembers by itself.
const mostOver = 4096

// tasks holds the open task of each question: one that waits, runs, or is to be tried again.
// It remembers the questions that were settled, so that an event that is delivered twice
// costs no request and needs no store.
//
// mu guards the fields below it, and those of tasks that say so.
type tasks struct {
	mu   sync.Mutex
	open map[graph.MessageID]*task
	over *lru.Cache[graph.MessageID, time.Time] // by question: the version that was answered
}

func newTasks() *tasks {
	over, _ := lru.New[graph.MessageID, time.Time](mostOver) // the size is positive
	return &tasks{open: make(map[graph.MessageID]*task), over: over}
}

// add opens a task. If the question has an open task, that one learns what the other has to
// tell instead; if it waits for another attempt, that is made now. add reports whether t told
// anything new, and returns the task that is to be queued, or nil for none.
func (o *tasks) add(t *task) (queued *task, isNew bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	open := o.open[t.q.ID]
	if open == nil {
		answered, over := o.over.Get(t.q.ID)
		if over && !t.looks && !t.news.gone && !t.news.edited.After(answered) {
			return nil, false
		}
		o.open[t.q.ID] = t
		return t, true
	}
	if isNew = t.news.isNewer(&open.news); isNew {
		open.news = open.news.and(&t.news)
	}
	if (t.looks || isNew) && open.timer != nil && open.timer.Stop() {
		open.timer, open.checks = nil, false
		return open, isNew
	}
	return nil, isNew
}

// hears notes what was heard of the question of a task.
func (o *tasks) hears(t *task, more news) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.news = t.news.and(&more)
}

// begin returns what was heard of a task's question until now.
func (o *tasks) begin(t *task) news {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.timer, t.hurried = nil, false
	return t.news
}

// settle closes a task that is done, or was given up after err, as the question read then. It reports
// false, and leaves the task open, if something newer was heard of the question meanwhile.
func (o *tasks) settle(t *task, then news, err error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.news.isNewer(&then) {
		return false
	}
	delete(o.open, t.q.ID)
	if err == nil {
		o.over.Add(t.q.ID, then.edited)
	}
	return true
}

// drop closes a task that is left to whoever looks up its record.
func (o *tasks) drop(t *task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, t.q.ID)
}

// later calls again after a pause, unless add hurries the task. If something newer than then
// was heard of the question meanwhile, or its channel came back, there is no pause.
func (o *tasks) later(t *task, then news, pause time.Duration, again func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.news.isNewer(&then) {
		pause, t.checks = 0, false
	}
	if t.hurried && !t.checks {
		pause = 0
	}
	t.timer = time.AfterFunc(pause, again)
}

// isGone reports whether the question of a task was deleted.
func (o *tasks) isGone(t *task) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return t.news.gone
}

// hurry returns the tasks of some channels that wait for another attempt, which is to be made
// now. One that is being attempted has no pause before the next attempt.
func (o *tasks) hurry(channels []discord.Channel) (due []*task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.open {
		in := func(c discord.Channel) bool { return c.ID == t.q.Channel }
		switch {
		case !slices.ContainsFunc(channels, in):
		case t.timer == nil:
			t.hurried = true
		case t.timer.Stop():
			t.timer = nil
			due = append(due, t)
		}
	}
	return due
}

// state reports whether a question has an open task, and whether this process has settled it
// as it reads since an edit.
func (o *tasks) state(question graph.MessageID, edited time.Time) (open, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	answered, over := o.over.Get(question)
	return o.open[question] != nil, over && !edited.After(answered)
}

// close makes the waiting tasks wait for ever.
func (o *tasks) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.open {
		if t.timer != nil {
			t.timer.Stop()
		}
	}
}

// take writes the record of a question, in the background.
func (r *runner) take(p store.Pending) {
	r.records.Add(func(ctx context.Context) error { return r.Store.Backlog.Take(ctx, p) })
}

// settle removes the record of a question, in the background.
func (r *runner) settle(p store.Pending) {
	r.records.Add(func(ctx context.Context) error { return r.Store.Backlog.Settle(ctx, p) })
}
