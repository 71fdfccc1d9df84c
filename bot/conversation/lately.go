package conversation

import (
	"context"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
)

// lately remembers in which channels heddle was lately asked, and which of those have
// changed and are due to be examined again once they are quiet.
type lately struct {
	quiet   time.Duration         // the time without a message after which a channel is due
	dropped func(graph.ChannelID) // called with mu held when a channel is no longer watched
	wake    wait.Signal           // a channel is due and none was before

	mu       sync.Mutex
	channels map[graph.ChannelID]*watched
	due      int // the number of channels that are due
}

// The bounds of what is done ahead of questions.
const (
	latelyFor      = 10 * time.Minute // the time that a channel is watched after a question
	latelyChannels = 128              // at most; the channel with the oldest last question gives way
)

// watched is a channel in which heddle was lately asked.
type watched struct {
	question Question // the last one
	asked    time.Time
	said     time.Time // the last message
	due      bool      // it is to be examined
	stale    bool      // something was changed or deleted since it was last examined
}

func newLately(quiet time.Duration, dropped func(graph.ChannelID)) *lately {
	return &lately{quiet: quiet, dropped: dropped, wake: wait.NewSignal(), channels: make(map[graph.ChannelID]*watched)}
}

// ask notes that a question was asked in a channel.
func (l *lately) ask(q Question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.channels[q.Channel]
	if w == nil {
		l.makeRoomLocked()
		w = &watched{}
		l.channels[q.Channel] = w
	}
	w.question, w.asked = q, time.Now()
	l.dueLocked(w)
}

// makeRoomLocked stops watching the channel with the oldest last question if as many
// are watched as allowed.
func (l *lately) makeRoomLocked() {
	if len(l.channels) < latelyChannels {
		return
	}
	var idle graph.ChannelID
	for channel, w := range l.channels {
		if idle == 0 || w.asked.Before(l.channels[idle].asked) {
			idle = channel
		}
	}
	l.dropLocked(idle)
}

func (l *lately) dropLocked(channel graph.ChannelID) {
	if l.channels[channel].due {
		l.due--
	}
	delete(l.channels, channel)
	l.dropped(channel)
}

// dueLocked notes that a channel is to be examined once it is quiet. Whoever awaits that
// needs to be woken only for the first one: the others are due later.
func (l *lately) dueLocked(w *watched) {
	w.said = time.Now()
	if w.due {
		return
	}
	w.due = true
	l.due++
	if l.due > 1 {
		return
	}
	l.wake.Set()
}

// add notes that something was said in a channel.
func (l *lately) add(channel graph.ChannelID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.channels[channel]; w != nil {
		l.dueLocked(w)
	}
}

// change notes that something was changed or deleted in a channel, and reports whether
// the channel is watched.
func (l *lately) change(channel graph.ChannelID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.channels[channel]
	if w == nil {
		return false
	}
	w.stale = true
	l.dueLocked(w)
	return true
}

// isStale reports whether a channel is no longer watched, or has changed since await
// returned it.
func (l *lately) isStale(channel graph.ChannelID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.channels[channel]
	return w == nil || w.stale
}

// await waits until a channel is due and returns its last question. The error is that
// of ctx.
func (l *lately) await(ctx context.Context) (Question, error) {
	for {
		q, in := l.next(time.Now())
		if in <= 0 {
			return q, nil
		}
		if err := wait.Until(ctx, l.wake, in); err != nil {
			return Question{}, err
		}
	}
}

// next returns the last question of a channel that is due now. If none is due, in is how
// long to wait before the next call, unless something is said before then. next stops
// watching channels where nobody asks any more.
func (l *lately) next(now time.Time) (q Question, in time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var best *watched
	for id, w := range l.channels {
		if now.Sub(w.asked) > latelyFor {
			l.dropLocked(id)
			continue
		}
		if w.due && (best == nil || w.said.Before(best.said)) {
			best = w
		}
	}
	if best == nil {
		return Question{}, latelyFor
	}
	if in = l.quiet - now.Sub(best.said); in > 0 {
		return Question{}, in
	}
	best.due, best.stale = false, false
	l.due--
	return best.question, 0
}
