package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/guilds"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Settings are the operator's choice of how work starts.
type Settings struct {
	CatchUp  time.Duration // questions older than this are not caught up
	Parallel int           // jobs at a time; 0: 64
	Waiting  int           // questions that may wait in one channel; 0: 32
}

// Deps is what Start works with. All fields but Gate and Members must be set.
type Deps struct {
	Store        *store.Store
	Leases       *work.Leases
	Writes       *deferred.Writes
	Guilds       *guilds.Cache
	Gate         Gate    // nil: everybody is answered
	Members      Members // nil: roles are known only from events
	History      Pages
	REST         REST
	Alternatives *alternatives.Alternatives
	Log          *slog.Logger
}

// Dispatcher starts work. Its methods may be called from any goroutine. None of them
// waits, except Stop.
type Dispatcher struct {
	queues   *queues[graph.ChannelID]
	presses  *queues[press]
	tasks    *performer
	stored   *stored
	takeover *takeover
	after    *after
	absence  *absence
	intake   intake
	asking   *asking
	edits    *alternatives.Edits
	pressed  *alternatives.Presses
	log      *slog.Logger

	repeated newest[wish] // the tasks that wait in queues to fulfil wishes

	stop    context.CancelFunc // ends all running work
	running sync.WaitGroup
}

// press is the key of a queue of its own for one press of a button, or for one message
// whose buttons are removed. Discord does not wait for an answer that is being
// streamed.
type press struct {
	interaction discord.InteractionID
	message     graph.MessageID
}

// Start returns a Dispatcher whose work runs under ctx. The caller must Stop it.
func Start(ctx context.Context, deps Deps, settings Settings) *Dispatcher {
	if settings.Parallel == 0 {
		settings.Parallel = 64
	}
	if settings.Waiting == 0 {
		settings.Waiting = 32
	}
	delays, taken := newDelays(), newLedger(deps.Log, deps.Store.Backlog)
	in := intake{deps.Guilds, deps.Gate, deps.Members, deps.REST}
	d := &Dispatcher{
		after: newAfter(deps.Writes), intake: in, edits: deps.Alternatives.Edits, pressed: deps.Alternatives.Presses, log: deps.Log,
		tasks: &performer{
			once: newOnce(deps.Store.Claims, deps.Leases), delays: delays, ledger: taken,
			clock: deps.REST, rest: deps.REST, guilds: deps.Guilds, catchUp: settings.CatchUp,
		},
		asking: &asking{
			intake: &in, questions: deps.Alternatives.Questions, edits: deps.Alternatives.Edits, ledger: taken, clock: deps.REST, log: deps.Log,
			reader: &reader{deps.History, deps.REST, deps.Alternatives.Questions.AllHaveButtons()},
		},
	}
	d.asking.forget = func(q conversation.Question) { d.forget(deps.Store.Deletions, q) }
	d.queues = newQueues[graph.ChannelID](ctx, deps.Log, settings.Parallel, settings.Waiting)
	d.presses = newQueues[press](ctx, deps.Log, settings.Parallel, 1)
	d.stored = &stored{
		backlog: deps.Store.Backlog, writes: deps.Writes, queues: d.queues, tasks: d.tasks, asking: d.asking, log: deps.Log,
	}
	d.takeover = &takeover{
		ledger: taken, queues: d.queues, tasks: d.tasks, asking: d.asking, edits: d.edits, log: deps.Log,
	}
	d.absence = newAbsence(d, deps, settings)
	running, stop := context.WithCancel(ctx)
	d.stop = stop
	d.running.Go(func() { d.tasks.delays.run(running, d.queues.push) })
	d.running.Go(func() { d.asking.ledger.writes.Run(context.WithoutCancel(ctx)) })
	d.running.Go(func() { d.takeover.run(running) })
	d.running.Go(func() { d.endWaits(running) })
	d.running.Go(func() { d.absence.pace.run(running, deps.REST, d.absence.prepare, d.absence.read) })
	return d
}

// Stop starts no further work, and returns when the work in progress has ended. Jobs
// that still wait are stored and done later.
func (d *Dispatcher) Stop() {
	d.presses.close()
	d.queues.close()
	for _, left := range d.tasks.delays.close() {
		if left.leave != nil {
			left.leave()
		}
	}
	d.stop()
	d.asking.ledger.writes.Close()
	d.running.Wait()
	for _, channel := range d.after.channels() { // the store knows all answers now
		d.release(channel)
	}
}

// Message handles a new message, which may be a question.
func (d *Dispatcher) Message(m *discord.Message) {
	d.absence.hears(m)
	place := d.intake.guilds.Place(m.Channel, m.Guild)
	if !d.intake.asks(m, place) {
		return
	}
	if t, away := d.intake.turnsAway(d.log, m, m.Guild, place, store.TriggerClaim(m.ID)); away {
		d.soon(m.ID, t)
		return
	}
	d.absence.asked(m, place)
	d.stored.enqueue(conversation.Question{Guild: m.Guild, Channel: m.Channel, ID: m.ID, Place: place}, asker{m.Guild, m.Author.ID})
}

// Surroundings handles a change of guilds, channels, roles or members. It may let heddle read
// parts of answers again that are stuck.
func (d *Dispatcher) Surroundings() { d.tasks.delays.hurry() }

// Edited handles a new version of a message that was edited. The edit of a question is
// handled after everything that waits in its channel. Of several edits of one message only
// the newest waits. A question that this process has
// yet to answer needs nothing more, as its newest version is read. If another process
// is answering it, that process handles the edit.
func (d *Dispatcher) Edited(m *discord.Message) {
	handle := d.edits.Handling(d.asking.clock.Now().Sub(m.ID.Time()))
	if handle == nil {
		return
	}
	place := d.intake.guilds.Place(m.Channel, m.Guild)
	if !place.IsAsked(m) {
		return
	}
	if d.intake.optedOut(m.Author.ID) {
		return // people who opted out were told so when they asked
	}
	if t, away := d.intake.turnsAway(d.log, m, m.Guild, place, store.EditClaim(m.ID, m.Edited)); away {
		d.soon(m.ID, t)
		return
	}
	q := conversation.Question{Guild: m.Guild, Channel: m.Channel, ID: m.ID, Place: place}
	t := d.asking.edit(q, asker{m.Guild, m.Author.ID}, m.Edited, handle)
	if err := d.pushOnce(wish{message: q.ID}, t); err != nil {
		d.log.Warn("an edited question keeps its answer", "channel", q.Channel, "trigger", q.ID, "error", err)
	}
}

// soon performs a task without waiting for the answers in its channel. It does nothing
// if t is nil.
func (d *Dispatcher) soon(message graph.MessageID, t *task) {
	if t == nil {
		return
	}
	err := d.presses.push(press{message: message}, d.tasks.job(t, nil))
	if err != nil {
		d.log.Warn("a message is ignored", "trigger", message, "error", err)
	}
}

// Ignores reports whether a person has opted out, so that nothing they do may be used.
func (d *Dispatcher) Ignores(person graph.UserID) bool { return d.intake.optedOut(person) }

// PutRight schedules the correction of buttons below answers: it removes those that lead
// nowhere, and counts alternatives again.
func (d *Dispatcher) PutRight(stale store.Stale) {
	change := func(at store.Place, do func(context.Context, store.Place)) {
		err := d.presses.push(press{message: at.Message}, job{run: func(ctx context.Context) { do(ctx, at) }})
		if err != nil {
			d.log.Debug("what stands below an answer stays until somebody presses a button", "channel", at.Channel, "message", at.Message, "error", err)
		}
	}
	for _, at := range stale.Buttons {
		change(at, d.edits.ClearButtons)
	}
	for _, at := range stale.Counts {
		change(at, d.edits.Recount)
	}
}
