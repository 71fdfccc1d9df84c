package dispatch

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// Waiting stores questions that found the queue of their channel full; store.Backlog does.
type Waiting interface {
	Enqueue(ctx context.Context, pending store.Pending) error
	Pending(ctx context.Context) ([]store.Pending, error)
	Remove(ctx context.Context, pending store.Pending) error
}

// stored answers the questions that wait in the store, as they found the queue of their
// channel full.
type stored struct {
	backlog Waiting
	writes  *deferred.Writes
	queues  *queues[graph.ChannelID]
	tasks   *performer
	asking  *asking
	log     *slog.Logger
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

// channelsOf returns the channels of waiting questions, each once.
func channelsOf(waiting []store.Pending) []graph.ChannelID {
	var channels []graph.ChannelID
	for _, p := range waiting {
		channels = append(channels, p.Channel)
	}
	slices.Sort(channels)
	return slices.Compact(channels)
}
