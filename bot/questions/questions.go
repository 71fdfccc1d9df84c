package questions

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/reply"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// Settings are the operator's choice of how work starts.
type Settings struct {
	CatchUp time.Duration // questions older than this are not caught up
	Waiting int           // questions that may wait in one channel; 0: 32
}

// parallel is how many jobs of the queues of one kind run at a time.
const parallel = 64

// Deps is what Start works with. All fields must be set.
type Deps struct {
	Store   *store.Store
	Leases  *answer.Leases
	Writes  *store.Erasing
	Guilds  *guilds.Cache
	Gate    *Gate
	History *fetch.History
	REST    REST
	Answers *answer.Answerer
	Checker *Checker // for which questions that were missed wait
	Log     *slog.Logger
}

// Questions takes what comes in, and starts a task for each question. Its methods may be called from
// any goroutine. None of them waits, except Stop.
type Questions struct {
	*runner

	unread *unread

	// asking is the queue of commands and presses that ask the model. They have slots of their own,
	// so that a model that hangs delays nothing else.
	asking *queue[press]

	stop    context.CancelFunc
	running sync.WaitGroup
}

// runner runs tasks: it queues them, makes attempts, and goes on with those that others left behind.
type runner struct {
	Deps

	queues  *queue[graph.ChannelID]
	presses *queue[press] // of what has a queue of its own
	tasks   *tasks
	parts   *parts
	records *store.Queue // of what the store keeps of questions until they are settled
	self    uint64       // a random number that identifies this process in them
	reader  *reader
	catchUp time.Duration // see Settings
	room    wait.Signal   // a queue that was full has room, or an earlier process may have left something
}

// Start returns a Questions whose work runs under ctx. The caller must Stop it.
func Start(ctx context.Context, deps Deps, settings Settings) *Questions {
	room := wait.NewSignal()
	tasks := &runner{
		Deps: deps, tasks: newTasks(), parts: newParts(), room: room,
		queues:  newQueue[graph.ChannelID](ctx, deps.Log, parallel, cmp.Or(settings.Waiting, 32), room),
		presses: newQueue[press](ctx, deps.Log, parallel, 1, nil),
		records: store.NewQueue(deps.Log), self: rand.Uint64(), //nolint:gosec // a name is no secret
		reader: &reader{deps.History, deps.REST}, catchUp: settings.CatchUp,
	}
	running, stop := context.WithCancel(ctx)
	qs := &Questions{runner: tasks, unread: newUnread(), asking: newQueue[press](ctx, deps.Log, parallel, 1, nil), stop: stop}
	for _, run := range []func(context.Context){tasks.recover, qs.readMissed} {
		qs.running.Go(func() { run(running) })
	}
	qs.running.Go(func() { tasks.records.Run(context.WithoutCancel(ctx)) })
	return qs
}

// Stop starts no further work, and returns when the work in progress has ended. The store
// holds the records of questions that still wait.
func (qs *Questions) Stop() {
	qs.presses.close()
	qs.asking.close()
	qs.queues.close()
	qs.tasks.close()
	qs.stop()
	qs.records.Close()
	qs.running.Wait()
}

// forget erases a question whose deletion no event reported.
func (r *runner) forget(q conversation.Question) { r.Writes.Gone(q.Place.Scope, q.Channel, q.ID) }

// newTask returns the task of a question that is to be answered as it reads since an edit; zero
// for none.
func (r *runner) newTask(q conversation.Question, by asker, edited time.Time) *task {
	return &task{
		q: q, by: by, asked: q.ID.Time(), log: r.Log.With("trigger", q.ID, "channel", q.Channel), news: news{asked: true, edited: edited},
		record: store.Pending{Guild: q.Guild, Channel: q.Channel, Trigger: q.ID, By: r.self, Edited: version(edited)},
	}
}

// questionOf returns the question in a message.
func questionOf(m *discord.Message, place guilds.Place) conversation.Question {
	return conversation.Question{Guild: m.Guild, Channel: m.Channel, ID: m.ID, Place: place}
}

// Message handles a new message, which may be a question.
func (qs *Questions) Message(m *discord.Message) {
	qs.hear(m)
	qs.unread.note(m, qs.REST.Now())
}

// Edited handles a new version of a message, which may be a question since then. If its question
// is open, it is answered as it reads now, and an answer that this process is giving to an older
// version ends. Otherwise the edit is handled after everything that waits in its channel.
func (qs *Questions) Edited(m *discord.Message) { qs.hear(m) }

// hear starts the task of the question that a message asks, or is a part of. A message alone does not
// always tell: what was said before it is read then, and after an edit what was said since.
func (qs *Questions) hear(m *discord.Message) {
	place := qs.Guilds.Place(m.Channel, m.Guild)
	v := qs.judge(m, nil, place)
	question, known := qs.parts.question(m.ID)
	further, _ := qs.parts.further(question)
	follows := qs.Gate.MayFollow(m, place)
	switch {
	case !m.Edited.IsZero() && (qs.Gate.OptedOut(m.Author.ID) || !qs.Gate.AnswersEdit(m.ID, m.Edited)): // people who opted out were told when they asked
	case v.Bare, len(further) > 0, follows && !known && !place.NoHistory && (qs.parts.isSoon(m) || qs.unread.mayHaveMissed(m)),
		!m.Edited.IsZero() && !known && v.Kind == Asks && !m.Author.Bot:
		qs.readAround(m, place)
	case v.Kind == Asks:
		qs.askHeard(&said{first: m, messages: []*discord.Message{m}, last: m, kind: v.Kind, version: m.Edited}, place)
	}
}

// judge returns what a message is. A webhook that asks counts as a member without roles.
func (r *runner) judge(m *discord.Message, before []discord.Message, place guilds.Place) Verdict {
	v := r.Gate.Judge(m, before, place)
	if v.Kind != Nothing && m.ByWebhook() {
		m.Member = &discord.Member{}
		r.Guilds.MetWebhook(m.Guild, m.Author.ID)
	}
	return v
}

// askerOf returns whom a question is answered for; nobody in particular if a webhook asks it.
func askerOf(m *discord.Message) asker {
	if m.ByWebhook() {
		return asker{guild: m.Guild}
	}
	return asker{m.Guild, m.Author.ID}
}

// ask starts the task of a question, and reports whether its sender is to be answered.
func (r *runner) ask(q *said, place guilds.Place) bool {
	asks := q.asks()
	r.parts.note(q)
	if r.isAway(q, place) {
		return false
	}
	t := r.newTask(questionOf(&asks, place), askerOf(&asks), q.version)
	if t.missed = q.missed; r.start(t) && !q.version.IsZero() {
		r.Answers.Changed(q.first.ID)
	}
	return true
}

// isAway reports whether a question is not to be answered, as its sender may not ask or opted out. Of
// what a proxy posts that is known if heddle saw what it is a copy of.
func (r *runner) isAway(q *said, place guilds.Place) bool {
	if r.Gate.OptedOut(q.speaker) {
		r.Log.Debug("what a proxy posted for somebody who opted out is not answered", "trigger", q.first.ID)
		return true
	}
	asks := q.asks()
	return r.turnsAway(&asks, place)
}

// readAround reads what was said before a message, and after an edit also since, and starts the task
// of its question. It reads Discord and not what was heard, so that every process finds the same.
func (qs *Questions) readAround(m *discord.Message, place guilds.Place) {
	side := "before"
	if !m.Edited.IsZero() {
		side = "around"
	}
	_ = qs.presses.push(press{message: m.ID}, job{by: asker{m.Guild, m.Author.ID}, run: func(ctx context.Context) {
		page, err := discord.ReadPage(ctx, qs.REST, m.Channel, side, m.ID)
		if err != nil && reply.MaySucceedLater(err) && qs.REST.Now().Sub(m.ID.Time()) < leastLife {
			time.AfterFunc(store.Retry, func() { qs.readAround(m, place) })
			return
		}
		is := func(other discord.Message) bool { return other.ID == m.ID }
		all := append(slices.DeleteFunc(page.Messages, is), *m)
		slices.SortFunc(all, byID)
		for _, q := range qs.questionsIn(all, m.Guild, place) {
			switch {
			case q.copied == m.ID:
				qs.replace(q.first, nil)
			case q.kind == Asks && slices.ContainsFunc(q.messages, func(part *discord.Message) bool { return part.ID == m.ID }):
				q.last.Member = m.Member
				qs.askHeard(q, place)
			}
		}
	}}) // it fails only if heddle stops, or if the message is going to be read anyway
}

// askHeard starts the task of a question that was heard, and remembers that people ask in its channel.
func (qs *Questions) askHeard(q *said, place guilds.Place) {
	if qs.ask(q, place) {
		qs.uses(q.last.Guild, q.last.Channel, place)
	}
}

// replace takes back the answer to a question in whose place a proxy posted a copy: it is going to
// delete the question, and its copy is answered. parts are the answer, as far as it is known.
func (r *runner) replace(original *discord.Message, parts []graph.MessageID) {
	r.takeBack(discord.Delete{Guild: original.Guild, Channel: original.Channel}, original.ID, parts)
	r.Answers.Changed(original.ID)
}

// EditMissed is Edited for an edit that was not heard. It is found by reading the message,
// which does not tell the roles of its author.
func (qs *Questions) EditMissed(m discord.Message) {
	if _, known := qs.parts.question(m.ID); !known && qs.judge(&m, nil, qs.Guilds.Place(m.Channel, m.Guild)).Kind != Asks {
		return
	}
	_ = qs.presses.push(press{message: m.ID}, job{by: asker{m.Guild, m.Author.ID}, run: func(ctx context.Context) {
		switch err := qs.identify(ctx, m.Guild, &m); {
		case err == nil:
			qs.History.Hold(ctx, &m) // the answer is made from it
			qs.hear(&m)
		case reply.MaySucceedLater(err) && qs.REST.Now().Sub(m.Edited) < leastLife:
			time.AfterFunc(store.Retry, func() { qs.EditMissed(m) })
		default:
			qs.Log.WarnContext(ctx, "it could not be read who edited a question, its answer stays", "trigger", m.ID, "error", err)
			qs.Answers.TellUnanswered(ctx, &answer.Question{Question: questionOf(&m, qs.Guilds.Place(m.Channel, m.Guild)), Version: m.Edited}, err)
		}
	}}) // it fails only if heddle stops, or if the message is being looked at
}

func (r *runner) asker(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) Asker {
	return Asker{User: user, Guild: guild, Channel: channel, Parent: r.Guilds.Place(channel, guild).Parent, Member: member}
}

// turnsAway reports whether a message is not to be answered. One process then says why, if
// somebody is to be told, without waiting for the answers in the channel.
func (r *runner) turnsAway(m *discord.Message, place guilds.Place) bool {
	by := r.asker(m.Guild, m.Channel, m.Author.ID, m.Member)
	by.Named = m.Author.Bot || m.ByWebhook()
	do, away := r.Gate.TurnAway(m, by, place)
	if do == nil {
		return away
	}
	log := r.Log.With("trigger", m.ID, "channel", m.Channel)
	err := r.presses.push(press{message: m.ID}, job{run: func(ctx context.Context) {
		err := r.once(ctx, store.NoticeClaim(m.ID).At(m.Edited), func(ctx context.Context) error { return do(ctx, log) })
		if err == nil {
			log.DebugContext(ctx, "a task is done")
		} else {
			log.Log(ctx, store.LogLevel(err), "somebody is not told why they are not answered", "error", err)
		}
	}})
	if err != nil {
		log.Warn("a message is ignored", "error", err)
	}
	return away
}

// TakeBack deletes the answers to deleted questions. answers holds their messages, as far
// as the store knows them. If this process has just answered a question, the store may
// not know the answer yet, and if the store was emptied, it has forgotten it. TakeBack then
// looks for the answer on Discord. It does not wait for the deletions. Those that fail are
// tried again later.
func (qs *Questions) TakeBack(deleted discord.Delete, answers map[graph.MessageID]store.AnswersTo) {
	var unknown []graph.MessageID
	for _, id := range deleted.Messages {
		if question, known := qs.parts.question(id); known && question != id {
			qs.takeBack(deleted, question, nil)
			continue
		}
		open, over := qs.tasks.state(id, time.Time{})
		if to, answered := answers[id]; answered {
			qs.takeBack(deleted, to.Question, to.Messages)
		} else if open || over {
			qs.takeBack(deleted, id, nil)
		} else {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		deleted.Messages = unknown
		qs.takeBackForgotten(deleted)
	}
}

func (r *runner) takeBack(deleted discord.Delete, id graph.MessageID, parts []graph.MessageID) {
	q := conversation.Question{Guild: deleted.Guild, Channel: deleted.Channel, ID: id, Place: r.Guilds.Place(deleted.Channel, deleted.Guild)}
	t := r.newTask(q, asker{guild: q.Guild}, time.Time{})
	t.asked, t.news = r.REST.Now(), news{gone: true, parts: parts}
	r.start(t)
}

// RefreshButtons schedules the correction of buttons below answers: it removes those that
// lead nowhere, and counts alternatives again.
func (r *runner) RefreshButtons(stale []store.Place) {
	for _, at := range stale {
		err := r.presses.push(press{message: at.Message}, job{run: func(ctx context.Context) { r.Answers.Relabel(ctx, at) }})
		if err != nil {
			r.Log.Debug("what stands below an answer stays until somebody presses a button", "channel", at.Channel, "message", at.Message, "error", err)
		}
	}
}

// After passes a write to the store once the answer that is in progress in a channel has
// ended, as the store does not know it before.
func (qs *Questions) After(channel graph.ChannelID, write func(context.Context) error) {
	qs.queues.after(channel, func() { qs.records.Add(write) })
}
