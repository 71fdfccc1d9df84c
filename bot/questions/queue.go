package questions

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/internal/wait"
)

// The errors of a queue that accepts no job.
var (
	// errFull means that too many jobs wait already.
	errFull = errors.New("the queue is full")
	// errClosed means that heddle is stopping.
	errClosed = errors.New("the queues are closed")
)

// asker is the person for whom a job is done. The zero asker is heddle itself.
type asker struct {
	guild  graph.GuildID // zero in a direct message
	person graph.UserID
}

// group returns the key under which the running jobs of an asker's guild are counted. In direct
// messages everybody counts alone.
func (a asker) group() asker {
	if a.guild == 0 {
		return a
	}
	return asker{guild: a.guild}
}

// job is one unit of work.
type job struct {
	by      asker
	run     func(context.Context) // must return soon after its context ends
	waiting telemetry.Waiting     // since the job was pushed
}

// queue runs the jobs of each key, such as a channel, one after the other, and those of different
// keys in parallel. A job that panics is logged and dropped.
//
// The askers of one key take turns: the next job is the oldest one of the asker whose last turn is
// the longest ago. A new asker therefore waits for at most one job of each other asker.
//
// Slots are shared between keys: a free one goes to the guild with the fewest running jobs; among
// those, to the person with the fewest; and among those, to the job that has waited longest. Some
// slots always stay free for others. A person may start another job only while fewer of their jobs
// run than slots are free, and a guild only while fewer than guildShare times as many do. One person
// therefore takes half of all slots at most, and one guild three quarters, so that jobs that hang
// cannot keep others waiting.
//
// The queue owns one goroutine for each running job. mu guards the fields below it; it is never held
// while a job runs.
type queue[K comparable] struct {
	ctx  context.Context //nolint:containedctx // of all jobs, including those that start after push has returned
	most int             // jobs that may wait for one key
	room wait.Signal     // set after a job of a key that was full for another before
	log  *slog.Logger

	mu      sync.Mutex
	lanes   map[K]*lane
	ready   []K           // lanes whose next job may run, the one that has waited longest first
	free    int           // slots
	guilds  map[asker]int // running jobs by group
	people  map[asker]int // running jobs by person, in all guilds
	closed  bool
	running sync.WaitGroup
}

// lane holds the jobs of one key.
type lane struct {
	waiting []job    // the oldest first
	busy    bool     // a job runs
	refused bool     // it was full when a job came, since it last had room
	after   []func() // called once the running job has ended

	turn  int           // counts the jobs that were taken
	turns map[asker]int // the last turn of each asker with a waiting job
}

const (
	// perAsker is the part of a lane, as 1/perAsker, that the jobs of one asker may fill.
	perAsker = 4
	// guildShare is the number of jobs that a guild may run for each free slot.
	guildShare = 3
)

// newQueue returns a queue whose jobs run under ctx, at most slots at a time. At most most jobs wait
// for one key, and at most a quarter of them for one asker. Keys that were full set room.
func newQueue[K comparable](ctx context.Context, log *slog.Logger, slots, most int, room wait.Signal) *queue[K] {
	return &queue[K]{
		ctx: ctx, most: most, room: room, log: log, lanes: make(map[K]*lane),
		free: slots, guilds: make(map[asker]int), people: make(map[asker]int),
	}
}

// push adds a job. It fails with errFull or errClosed.
func (q *queue[K]) push(key K, j job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	l := q.lanes[key]
	if l == nil {
		l = &lane{turns: make(map[asker]int)}
		q.lanes[key] = l
	}
	if l.isFull(j.by, q.most) {
		l.refused = true
		return errFull
	}
	idle, cause := !l.busy && len(l.waiting) == 0, telemetry.ForTurn
	if idle {
		q.ready, cause = append(q.ready, key), telemetry.ForSlot
	}
	j.waiting = telemetry.Wait(q.ctx, cause)
	l.add(j)
	q.startLocked()
	return nil
}

// isFull reports whether push would fail with errFull. If so, room is set once it may not.
func (q *queue[K]) isFull(key K, by asker) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil || !l.isFull(by, q.most) {
		return false
	}
	l.refused = true
	return true
}

// isFull reports whether the lane is full, or full of an asker's jobs.
func (l *lane) isFull(by asker, most int) bool {
	own, theirs := 0, max(1, most/perAsker)
	for i := range l.waiting {
		if l.waiting[i].by == by {
			own++
		}
	}
	if by == (asker{}) {
		theirs = most
	}
	return len(l.waiting) >= most || own >= theirs
}

// add adds a job.
func (l *lane) add(j job) {
	if _, known := l.turns[j.by]; !known {
		l.turns[j.by] = l.turn - 1 // before the asker who had the last turn, after all others
	}
	l.waiting = append(l.waiting, j)
}

// next returns the index of the next job. The lane must not be empty.
func (l *lane) next() int {
	next := 0
	for i := range l.waiting {
		if l.turns[l.waiting[i].by] < l.turns[l.waiting[next].by] {
			next = i
		}
	}
	return next
}

// take removes and returns the next job.
func (l *lane) take() job {
	at := l.next()
	j := l.waiting[at]
	l.waiting = slices.Delete(l.waiting, at, at+1)
	l.turn++
	if slices.ContainsFunc(l.waiting, func(w job) bool { return w.by == j.by }) {
		l.turns[j.by] = l.turn
	} else {
		delete(l.turns, j.by)
	}
	return j
}

// startLocked starts jobs while the bounds allow it.
func (q *queue[K]) startLocked() {
	for !q.closed {
		at := q.chooseLocked()
		if at < 0 {
			return
		}
		key := q.ready[at]
		q.ready = slices.Delete(q.ready, at, at+1)
		l := q.lanes[key]
		j := l.take()
		l.busy = true
		j.waiting.Over()
		q.countLocked(j.by, 1)
		q.running.Go(func() { q.work(key, j) })
	}
}

// chooseLocked returns the index in ready of the lane whose next job gets a slot, or -1 for none.
func (q *queue[K]) chooseLocked() int {
	best, bestGuild, bestPerson := -1, 0, 0
	for i, key := range q.ready {
		l := q.lanes[key]
		by := l.waiting[l.next()].by
		guild, person := q.guilds[by.group()], q.people[asker{person: by.person}]
		if by.person == 0 {
			person = 0 // heddle's own jobs count towards their guild only
		}
		if person >= q.free || guild >= guildShare*q.free {
			continue
		}
		if best < 0 || guild < bestGuild || guild == bestGuild && person < bestPerson {
			best, bestGuild, bestPerson = i, guild, person
		}
	}
	return best
}

// countLocked counts a job that starts, or has ended with -1.
func (q *queue[K]) countLocked(by asker, jobs int) {
	q.free -= jobs
	group, person := by.group(), asker{person: by.person}
	if q.guilds[group] += jobs; q.guilds[group] == 0 {
		delete(q.guilds, group)
	}
	if q.people[person] += jobs; q.people[person] == 0 {
		delete(q.people, person)
	}
}

// work runs a job, and then starts others.
func (q *queue[K]) work(key K, j job) {
	q.run(key, j)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.countLocked(j.by, -1)
	l := q.lanes[key]
	l.busy = false
	for _, do := range l.after {
		do()
	}
	l.after = nil
	if l.refused {
		l.refused = false
		q.room.Set()
	}
	if len(l.waiting) == 0 {
		delete(q.lanes, key)
	} else {
		q.ready = append(q.ready, key)
	}
	q.startLocked()
}

// run runs a job and recovers from a panic.
func (q *queue[K]) run(key K, j job) {
	defer func() {
		if cause := recover(); cause != nil {
			q.log.ErrorContext(q.ctx, "a job panicked and is given up", "queue", key, "stack", string(debug.Stack()))
		}
	}()
	j.run(q.ctx)
}

// after calls do once the job that runs for a key has ended, or at once if none runs. do must not
// wait.
func (q *queue[K]) after(key K, do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lanes[key]; l != nil && l.busy {
		l.after = append(l.after, do)
		return
	}
	do()
}

// close starts no further jobs, drops those that wait, and returns when those that run have ended.
func (q *queue[K]) close() {
	q.mu.Lock()
	q.closed = true
	for _, l := range q.lanes {
		for _, j := range l.waiting {
			j.waiting.Left()
		}
		l.waiting = nil
	}
	q.mu.Unlock()
	q.running.Wait()
}
