package dispatch

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// Waiting stores questions that found the queue of their channel full.
type Waiting interface {
	// Since returns the time since which the store knows which questions were answered.
	Since(ctx context.Context) (time.Time, error)
	Enqueue(ctx context.Context, pending store.Pending) error
	Pending(ctx context.Context) ([]store.Pending, error)
	Remove(ctx context.Context, pending store.Pending) error
}

// Taken stores questions while they are being answered, from the first attempt until
// they are settled.
type Taken interface {
	Take(ctx context.Context, taken store.Pending) error
	Taken(ctx context.Context) ([]store.Pending, error)
	Settle(ctx context.Context, taken store.Pending) error
}

// Directs remembers the direct messages in which people ask heddle.
type Directs interface {
	Direct(ctx context.Context, channel graph.ChannelID) error
	// Directs returns the channels, the latest first.
	Directs(ctx context.Context) ([]graph.ChannelID, error)
}

// Reading stores up to which message channels were read after an absence.
type Reading interface {
	ReadUpTo(ctx context.Context, channel graph.ChannelID) (graph.MessageID, error)
	SetReadUpTo(ctx context.Context, channel graph.ChannelID, upTo graph.MessageID) error
}

// Backlog stores what is to be caught up on; store.Backlog is one.
type Backlog interface {
	Waiting
	Taken
	Directs
	Used
	Reading
}

// stored answers the questions that the store keeps: those that found the queue of their
// channel full, and those that a process took and did not settle, because it died.
type stored struct {
	backlog Backlog
	writes  *deferred.Writes
	queues  *queues[graph.ChannelID]
	tasks   *performer
	asking  *asking
	edits   *alternatives.Edits
	log     *slog.Logger

	// resuming holds the taken questions that wait in queues to be resumed. Every look at the
	// store finds them again.
	resuming newest[store.Pending]
}

// enqueue queues a question to be answered. If the queue of its channel is full, or the
// question still waits when heddle stops, it is stored and answered later.
func (s *stored) enqueue(q conversation.Question, by asker) {
	keep := func() {
		s.writes.Add(func(ctx context.Context) error {
			if err := s.backlog.Enqueue(ctx, pendingOf(q)); err != nil {
				return err
			}
			_ = s.queues.push(q.Channel, s.answer(q.Channel)) // it fails only if heddle stops
			return nil
		})
	}
	t := s.asking.task(q, by)
	err := s.queues.push(q.Channel, s.tasks.job(t, keep))
	if err != nil {
		s.log.Warn("a question waits in the store", "channel", q.Channel, "trigger", q.ID, "error", err)
		keep()
		return
	}
	runtime.Gosched() // let the question's goroutine run at once, before the gateway's goes on
}

// catchUp answers the questions that an earlier process left in the store, as
// soon as the store can be reached.
func (s *stored) catchUp() {
	s.writes.Add(func(ctx context.Context) error {
		waiting, err := s.backlog.Pending(ctx)
		if err != nil {
			return err
		}
		for _, channel := range channelsOf(waiting) {
			_ = s.queues.push(channel, s.answer(channel)) // it fails only if heddle stops
		}
		return nil
	})
}

// answer returns the job of answering the oldest question that the store keeps
// for a channel. The job of answering the next one follows it.
func (s *stored) answer(channel graph.ChannelID) job {
	return job{one: true, run: func(ctx context.Context) {
		s.writes.Flush(ctx)
		waiting, err := s.backlog.Pending(ctx)
		if err != nil {
			s.log.Log(ctx, work.LogLevel(err), "the questions that wait in the store could not be read, this is tried again", "channel", channel, "error", err)
			s.tasks.delays.add(time.Now().Add(deferred.Retry), channel, s.answer(channel))
			return
		}
		waiting = slices.DeleteFunc(waiting, func(p store.Pending) bool { return p.Channel != channel })
		if len(waiting) == 0 {
			return
		}
		p := waiting[0]
		if _, err := s.asking.intake.meet(ctx, p.Guild, channel); err != nil {
			s.log.DebugContext(ctx, "the channel of a question that waits could not be read", "channel", channel, "error", err)
		}
		t := s.asking.task(conversation.Question{Guild: p.Guild, Channel: channel, ID: p.Trigger, Place: s.asking.intake.guilds.Place(channel, p.Guild)}, asker{guild: p.Guild})
		t.stage = tried
		s.tasks.perform(ctx, t)
		if err := s.backlog.Remove(ctx, p); err != nil {
			s.log.Log(ctx, work.LogLevel(err), "an answered question could not be removed from the store, its claim keeps it from being answered again", "trigger", p.Trigger, "error", err)
			s.tasks.delays.add(time.Now().Add(deferred.Retry), channel, s.answer(channel))
			return
		}
		if len(waiting) > 1 {
			_ = s.queues.push(channel, s.answer(channel)) // it fails only if heddle stops
		}
	}}
}

// takeOver looks periodically, until ctx ends, for questions whose process died while
// it answered them.
func (s *stored) takeOver(ctx context.Context) {
	for wait.For(ctx, s.tasks.once.leases.TTL()) == nil {
		s.resumeTaken()
	}
}

// resumeTaken resumes the questions that a process took and did not settle. It leaves
// alone those that another process is answering, and looks at them again later. A
// question that has ended as far as this process knows may be about to be settled. It is
// resumed if the next look still finds it.
func (s *stored) resumeTaken() {
	s.tasks.ledger.writes.Add(func(ctx context.Context) error {
		taken, err := s.backlog.Taken(ctx)
		if err != nil {
			return err
		}
		lingering := make(map[store.Pending]bool)
		for _, p := range taken {
			known := s.tasks.once.knows(p.Claim())
			if s.tasks.once.recent.isOver(p.Claim()) && p.By != s.tasks.ledger.self {
				lingering[p], known = true, !s.tasks.ledger.lingering[p]
			}
			if known || p.Guild != 0 && !s.asking.intake.guilds.KnowsGuild(p.Guild) {
				continue
			}
			if !s.resuming.put(p, nil) {
				continue
			}
			err := s.queues.push(p.Channel, job{by: asker{guild: p.Guild}, run: func(ctx context.Context) { s.resume(ctx, p) }})
			if err != nil {
				s.resuming.take(p)
				s.log.DebugContext(ctx, "a question that was taken is resumed later", "trigger", p.Trigger, "error", err)
			}
		}
		s.tasks.ledger.lingering = lingering
		return nil
	})
}

// resume resumes a question that a process took and did not settle.
func (s *stored) resume(ctx context.Context, p store.Pending) {
	s.resuming.take(p)
	known, err := s.asking.intake.meet(ctx, p.Guild, p.Channel)
	if discord.IsNotFound(err) {
		s.tasks.ledger.settle(p) // the question is gone together with its channel
		return
	}
	if err != nil || !known {
		s.log.DebugContext(ctx, "a question that was taken is resumed later", "trigger", p.Trigger, "error", err)
		return
	}
	t := s.asking.taken(p, s.asking.intake.guilds.Place(p.Channel, p.Guild), s.edits)
	if t == nil {
		s.tasks.ledger.settle(p)
		return
	}
	t.stage = tried
	if s.tasks.once.recent.reopen(p.Claim()) {
		t.claim = claimed
	}
	s.tasks.perform(ctx, t)
}

// channelsOf returns the channels of waiting questions, each once.
func channelsOf(waiting []store.Pending) []graph.ChannelID {
	var channels []graph.ChannelID
	for _, p := range waiting {
		channels = append(channels, p.Channel)
	}
	slices.Sort(channels)
	return slices.Compact(channels)
}
