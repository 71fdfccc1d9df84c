package dispatch

import (
	"context"
	"sync"
	"time"

	"heddle/bot/deferred"
	"heddle/graph"
	"heddle/internal/lru"
	"heddle/internal/wait"
)

const (
	// readAtOnce is the number of channels that may be read without a pause.
	readAtOnce = 20
	// readApart is the pause between two channels, for 20 a second. Before a channel in
	// which nobody asked lately, the pause lasts until Discord has room for a request that
	// can wait, but no longer than readLater.
	readApart, readLater = time.Second / 20, time.Second / 5
	// mostHeard bounds the channels whose last heard message is remembered, and mostUsed
	// those of which it is remembered that people ask there.
	mostHeard, mostUsed = 1 << 17, 1 << 15
	// mostListed bounds the channels of which the archived threads are listed in listedIn,
	// without a sign that there are any. It costs two requests for each.
	mostListed, listedIn = 100, 10 * time.Minute
	// reordered bounds how much later than a newer message's event a message's event may
	// come. A message that is older than the newest one heard by no more than this counts
	// as not heard.
	reordered = 10 * time.Second
)

// room knows when Discord has room for a request that can wait; discord.REST does.
type room interface {
	// AwaitRoom waits until Discord has room, but no longer than most.
	AwaitRoom(ctx context.Context, most time.Duration)
}

// overdue is a channel in which people may have asked heddle without being heard.
type overdue struct {
	guild   graph.GuildID
	channel graph.ChannelID
	from    graph.MessageID // messages before it were heard, or are too old
	last    graph.MessageID // the newest message that may not have been heard
	since   time.Time       // by Discord's clock: when it became overdue
}

// unread holds the overdue channels. After an absence, these are all channels in which
// something was written in the meantime. Channels in which people asked lately come
// first. The others, of which there may be thousands, are read when Discord has requests
// to spare, or as soon as somebody asks there.
//
// mu guards the fields below it; it is never held over I/O.
type unread struct {
	more  wait.Signal // a new channel waits
	heard *lru.Cache[graph.ChannelID, graph.MessageID]

	mu          sync.Mutex
	used        *lru.Cache[graph.ChannelID, struct{}]
	waiting     map[graph.ChannelID]overdue
	soon, later []graph.ChannelID // keys of waiting, and of channels that no longer wait
	rest        []func()          // what is done when no channel waits
	begun       int               // of mostListed, in the time that ends at renewed
	renewed     time.Time
	left        int // of readAtOnce
	refilled    time.Time
}

func newUnread() *unread {
	return &unread{
		more: wait.NewSignal(), heard: lru.New[graph.ChannelID, graph.MessageID](mostHeard),
		used: lru.New[graph.ChannelID, struct{}](mostUsed), waiting: make(map[graph.ChannelID]overdue),
	}
}

// hear notes that a message was heard.
func (u *unread) hear(channel graph.ChannelID, message graph.MessageID) {
	if before, _ := u.heard.Get(channel); before < message {
		u.heard.Add(channel, message)
	}
}

// missed narrows an overdue channel down to what was not heard in it. It reports false
// if everything was heard.
func (u *unread) missed(o overdue) (overdue, bool) {
	heard, known := u.heard.Get(o.channel)
	if known {
		o.from = max(o.from, graph.FirstMessageID(heard.Time().Add(-reordered)))
	}
	return o, o.last > heard
}

// add adds an overdue channel. If it reports true, the caller has to read the channel
// at once, and the channel does not wait.
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
	if u.used.Contains(o.channel) {
		u.soon = append(u.soon, o.channel)
	} else {
		u.later = append(u.later, o.channel)
	}
	u.wake()
	return false
}

// takeLocked takes one of the reads without a pause, if there is one left. They are
// refilled at the pace of readLater.
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

// use notes that people ask in channels, which are then read soon.
func (u *unread) use(channels ...graph.ChannelID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, channel := range channels {
		known, _ := u.used.ContainsOrAdd(channel, struct{}{})
		if known {
			u.used.Get(channel) // this marks it as the last one used
			continue            // if it waits, it is already in soon
		}
		if _, waits := u.waiting[channel]; waits {
			u.soon = append(u.soon, channel)
		}
	}
}

// last adds work to be done when no channel waits, mostListed times in listedIn at most.
// It drops what is more.
func (u *unread) last(do func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); !now.Before(u.renewed) {
		u.begun, u.renewed = 0, now.Add(listedIn)
	}
	if u.begun++; u.begun <= mostListed {
		u.rest = append(u.rest, do)
	}
}

// take removes and returns a waiting channel.
func (u *unread) take(channel graph.ChannelID) (overdue, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o, waits := u.waiting[channel]
	delete(u.waiting, channel)
	return o, waits
}

// next removes and returns the next channel to read.
func (u *unread) next() (next overdue, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, queue := range []*[]graph.ChannelID{&u.soon, &u.later} {
		if u.trimLocked(queue); len(*queue) > 0 {
			next = u.waiting[(*queue)[0]]
			delete(u.waiting, next.channel)
			return next, true
		}
	}
	return overdue{}, false
}

// work returns what to do next: to read a channel, or, if none waits, what was added
// last. It reports false if there is nothing to do.
func (u *unread) work(read func(overdue)) (do func(), ok bool) {
	if next, ok := u.next(); ok {
		return func() { read(next) }, true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.rest) == 0 {
		return nil, false
	}
	do, u.rest = u.rest[0], u.rest[1:]
	return do, true
}

// canWait reports whether people asked lately in none of the waiting channels.
func (u *unread) canWait() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.trimLocked(&u.soon)
	return len(u.soon) == 0
}

// trimLocked removes channels that no longer wait from the beginning of a queue.
func (u *unread) trimLocked(queue *[]graph.ChannelID) {
	for len(*queue) > 0 {
		if _, waits := u.waiting[(*queue)[0]]; waits {
			return
		}
		*queue = (*queue)[1:]
	}
}

// wake makes run call prepare soon.
func (u *unread) wake() { u.more.Set() }

// run passes the channels to read, one after the other, until ctx ends. When channels
// were added it first calls prepare, which may add more and call use. If prepare
// reports false, run calls it again later.
func (u *unread) run(ctx context.Context, room room, prepare func(context.Context) bool, read func(overdue)) {
	again := time.Hour
	for ctx.Err() == nil {
		select {
		case <-u.more:
			if again = time.Hour; !prepare(ctx) {
				again = deferred.Retry
			}
		default:
		}
		do, ok := u.work(read)
		if !ok {
			if wait.Until(ctx, u.more, again) == nil {
				u.wake()
			}
			continue
		}
		do()
		_ = wait.For(ctx, readApart) // the loop notices that ctx has ended
		if u.canWait() {
			room.AwaitRoom(ctx, readLater-readApart)
		}
	}
}
