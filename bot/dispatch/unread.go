package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"heddle/internal/lru"

	"heddle/bot/deferred"
	"heddle/graph"
	"heddle/internal/wait"
)

const (
	// readAtOnce is how many channels are read without a pause.
	readAtOnce = 20
	// Channels in which people asked lately are read so far apart, 20 a second, and others
	// so far apart, 5 a second: a tenth of what Discord allows for everything.
	readSoon, readLater = time.Second / 20, time.Second / 5
	// mostHeard bounds the channels of which it is known what was heard last.
	mostHeard = 1 << 17
	// reordered is how much earlier than the newest message that was heard another may have
	// been sent that was not.
	reordered = 10 * time.Second
)

// overdue is a channel in which people may have asked while nobody heard.
type overdue struct {
	guild   graph.GuildID
	channel graph.ChannelID
	from    graph.MessageID // what came before was heard, or is too old
	last    graph.MessageID // the newest message that may not have been heard
	since   time.Time       // by Discord's clock: when it became overdue
}

// unread are the channels that are overdue: after an absence, all in which something was
// said meanwhile. Those in which people asked lately are read first. The others are read
// slowly, as there may be thousands, or when somebody asks there.
//
// mu guards what follows it; it is never held over I/O.
type unread struct {
	more  chan struct{} // holds a token while something new waits
	heard *lru.Cache[graph.ChannelID, graph.MessageID]

	mu          sync.Mutex
	used        map[graph.ChannelID]bool
	waiting     map[graph.ChannelID]overdue
	soon, later []graph.ChannelID // of waiting, and some that no longer are
	left        int               // of readAtOnce
	refilled    time.Time
}

func newUnread() *unread {
	return &unread{
		more: make(chan struct{}, 1), heard: lru.New[graph.ChannelID, graph.MessageID](mostHeard),
		used: make(map[graph.ChannelID]bool), waiting: make(map[graph.ChannelID]overdue),
	}
}

// hear notes that a message was heard.
func (u *unread) hear(channel graph.ChannelID, message graph.MessageID) {
	if before, _ := u.heard.Get(channel); before < message {
		u.heard.Add(channel, message)
	}
}

// missed completes what is known of an overdue channel by what was heard in it. It reports
// false if nothing was missed.
func (u *unread) missed(o overdue) (overdue, bool) {
	heard, known := u.heard.Get(o.channel)
	if known {
		o.from = max(o.from, graph.FirstMessageID(heard.Time().Add(-reordered)))
	}
	return o, o.last > heard
}

// add adds an overdue channel. It reports true if the channel is to be read at once, and
// does not wait then.
func (u *unread) add(o overdue) (now bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if before, waits := u.waiting[o.channel]; waits {
		before.from, before.last = min(before.from, o.from), max(before.last, o.last)
		u.waiting[o.channel] = before
		return false
	}
	if u.takeLocked() {
		return true
	}
	u.waiting[o.channel] = o
	if u.used[o.channel] {
		u.soon = append(u.soon, o.channel)
	} else {
		u.later = append(u.later, o.channel)
	}
	u.wake()
	return false
}

// takeLocked takes one of the reads that need no pause, if one is left. They come back at
// the pace of reading later.
func (u *unread) takeLocked() bool {
	now := time.Now()
	if back := int(now.Sub(u.refilled) / readLater); u.refilled.IsZero() || back >= readAtOnce {
		u.left, u.refilled = readAtOnce, now
	} else if back > 0 {
		u.left, u.refilled = min(readAtOnce, u.left+back), now
	}
	if u.left == 0 {
		return false
	}
	u.left--
	return true
}

// use notes that people ask in channels: they are read soon.
func (u *unread) use(channels ...graph.ChannelID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, channel := range channels {
		u.used[channel] = true
		if _, waits := u.waiting[channel]; waits && !slices.Contains(u.soon, channel) {
			u.soon = append(u.soon, channel)
		}
	}
}

// take returns an overdue channel that waits, and lets it wait no longer.
func (u *unread) take(channel graph.ChannelID) (overdue, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o, waits := u.waiting[channel]
	delete(u.waiting, channel)
	return o, waits
}

// next removes and returns the next channel, and how long to wait after it is read.
func (u *unread) next() (next overdue, pause time.Duration, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, queue := range []struct {
		ids   *[]graph.ChannelID
		pause time.Duration
	}{{&u.soon, readSoon}, {&u.later, readLater}} {
		for len(*queue.ids) > 0 {
			id := (*queue.ids)[0]
			*queue.ids = (*queue.ids)[1:]
			if o, waits := u.waiting[id]; waits {
				delete(u.waiting, id)
				return o, queue.pause, true
			}
		}
	}
	return overdue{}, 0, false
}

// wake has prepare called soon; see run.
func (u *unread) wake() {
	select {
	case u.more <- struct{}{}:
	default:
	}
}

// run passes the channels to read, one after the other, until ctx ends. When some were added
// it first calls prepare, which may add more and call use, and is called again later if it
// reports false.
func (u *unread) run(ctx context.Context, prepare func(context.Context) bool, read func(overdue)) {
	again := time.Hour
	for ctx.Err() == nil {
		select {
		case <-u.more:
			if again = time.Hour; !prepare(ctx) {
				again = deferred.Retry
			}
		default:
		}
		next, pause, ok := u.next()
		if !ok {
			if wait.Until(ctx, u.more, again) == nil {
				u.wake()
			}
			continue
		}
		read(next)
		_ = wait.For(ctx, pause) // the loop finds out that ctx ended
	}
}
