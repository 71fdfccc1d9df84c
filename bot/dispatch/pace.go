package dispatch

import (
	"context"
	"sync"
	"time"

	"heddle/bot/deferred"
	"heddle/internal/wait"
)

const (
	// readAtOnce is the number of channels that may be read without a pause.
	readAtOnce = 20
	// readApart is the pause between two channels, for 20 a second. Before a channel in
	// which nobody asked lately, the pause lasts until Discord has room for a request that
	// can wait, but no longer than readLater.
	readApart, readLater = time.Second / 20, time.Second / 5
	// mostExtra bounds the extra reads in extraIn: how many channels' archived threads are
	// listed without a sign that there are any. It costs two requests for each.
	mostExtra, extraIn = 100, 10 * time.Minute
)

// room knows when Discord has room for a request that can wait; discord.REST does.
type room interface {
	// AwaitRoom waits until Discord has room, but no longer than most.
	AwaitRoom(ctx context.Context, most time.Duration)
}

// pace decides when overdue channels are read, so that thousands of them leave Discord
// room for other requests. A few are read at once. The others wait in unread and are read
// one after the other.
type pace struct {
	unread *unread
	burst  *burst
	extra  *extra
	more   wait.Signal // there is more to read, or prepare has to be called
}

func newPace() *pace {
	return &pace{newUnread(), &burst{}, &extra{}, wait.NewSignal()}
}

// add adds an overdue channel. If it reports true, the caller has to read the channel
// at once, and the channel does not wait.
func (p *pace) add(o overdue) (now bool) {
	if p.unread.widen(o) {
		return false
	}
	if p.burst.take(time.Now()) {
		return true
	}
	p.unread.add(o)
	p.wake()
	return false
}

// wake makes run call prepare soon.
func (p *pace) wake() { p.more.Set() }

// run passes the channels to read, one after the other, until ctx ends. When channels
// were added it first calls prepare, which may add more, and note where people ask. If
// prepare reports false, run calls it again later.
func (p *pace) run(ctx context.Context, room room, prepare func(context.Context) bool, read func(overdue)) {
	again := time.Hour
	for ctx.Err() == nil {
		select {
		case <-p.more:
			if again = time.Hour; !prepare(ctx) {
				again = deferred.Retry
			}
		default:
		}
		if !p.readNext(read) {
			if wait.Until(ctx, p.more, again) == nil {
				p.wake()
			}
			continue
		}
		_ = wait.For(ctx, readApart) // the loop notices that ctx has ended
		if p.unread.canWait() {
			room.AwaitRoom(ctx, readLater-readApart)
		}
	}
}

// readNext reads the next channel or, if none waits, does an extra read. It reports false
// if there is nothing to read.
func (p *pace) readNext(read func(overdue)) bool {
	if next, ok := p.unread.next(); ok {
		read(next)
		return true
	}
	if extra := p.extra.take(); extra != nil {
		extra()
		return true
	}
	return false
}

// burst counts the reads without a pause. There are readAtOnce of them at first, and one
// more after each readLater.
//
// mu guards the fields below it.
type burst struct {
	mu       sync.Mutex
	left     int
	refilled time.Time
}

// take takes one of the reads, and reports whether there was one.
func (b *burst) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if more := int(now.Sub(b.refilled) / readLater); b.refilled.IsZero() || more >= readAtOnce {
		b.left, b.refilled = readAtOnce, now
	} else if more > 0 {
		b.left, b.refilled = min(readAtOnce, b.left+more), now
	}
	if b.left == 0 {
		return false
	}
	b.left--
	return true
}

// extra holds reads that are done when no channel waits.
//
// mu guards the fields below it.
type extra struct {
	mu      sync.Mutex
	waiting []func()
	added   int // of mostExtra, in the time that ends at renewed
	renewed time.Time
}

// add adds a read. It drops what is more than mostExtra in extraIn.
func (e *extra) add(read func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); !now.Before(e.renewed) {
		e.added, e.renewed = 0, now.Add(extraIn)
	}
	if e.added++; e.added <= mostExtra {
		e.waiting = append(e.waiting, read)
	}
}

// take removes and returns the read that was added first, or nil if there is none.
func (e *extra) take() func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return nil
	}
	first := e.waiting[0]
	e.waiting = e.waiting[1:]
	return first
}
