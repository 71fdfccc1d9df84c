package dispatch

import (
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/lru"
)

// mostUsed bounds the channels of which it is remembered that people ask there.
const mostUsed = 1 << 15

// overdue is a channel in which people may have asked heddle without being heard.
type overdue struct {
	guild   graph.GuildID
	channel graph.ChannelID
	from    graph.MessageID // messages before it were heard, or are too old
	last    graph.MessageID // the newest message that may not have been heard
	since   time.Time       // by Discord's clock: when it became overdue
}

// unread holds the overdue channels that wait to be read. Those in which people asked
// lately come first. The others, of which there may be thousands, come after them, or as
// soon as somebody asks there.
//
// mu guards the fields below it; it is never held over I/O.
type unread struct {
	mu          sync.Mutex
	used        *lru.Cache[graph.ChannelID, struct{}]
	waiting     map[graph.ChannelID]overdue
	soon, later []graph.ChannelID // keys of waiting, and of channels that no longer wait
}

func newUnread() *unread {
	return &unread{used: lru.New[graph.ChannelID, struct{}](mostUsed), waiting: make(map[graph.ChannelID]overdue)}
}

// widen adds to what is to be read in a channel that waits. It reports false if the
// channel does not wait.
func (u *unread) widen(o overdue) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.widenLocked(o)
}

func (u *unread) widenLocked(o overdue) bool {
	before, waits := u.waiting[o.channel]
	if !waits {
		return false
	}
	before.from, before.last = min(before.from, o.from), max(before.last, o.last)
	u.waiting[o.channel] = before
	return true
}

// add adds a channel. If it waits already, add widens it.
func (u *unread) add(o overdue) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.widenLocked(o) {
		return
	}
	u.waiting[o.channel] = o
	if u.used.Contains(o.channel) {
		u.soon = append(u.soon, o.channel)
	} else {
		u.later = append(u.later, o.channel)
	}
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

// take removes and returns a channel, if it waits.
func (u *unread) take(channel graph.ChannelID) (o overdue, waits bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o, waits = u.waiting[channel]
	delete(u.waiting, channel)
	return o, waits
}

// next removes and returns the next channel to read, if any waits.
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
