package llm

import (
	"context"
	"io"
	"time"
)

// patience is how many idle times a server may keep a connection alive with
// comments alone.
const patience = 10

// leaving is how long the end of a response is waited for behind the end of its answer.
const leaving = 100 * time.Millisecond

// watch ends an attempt in which nothing comes for too long. Time in which nobody
// reads does not count. It is used by one goroutine.
type watch struct {
	timer    *time.Timer
	idle     time.Duration
	begun    bool      // something of the body has come
	lastData time.Time // when the last event came that was no comment
}

// startWatch counts the time to the first byte from now on.
func startWatch(cancel context.CancelCauseFunc, firstByte, idle time.Duration) *watch {
	return &watch{
		timer: time.AfterFunc(firstByte, func() { cancel(errStalled) }),
		idle:  idle,
	}
}

// data notes that an event came which was no comment.
func (w *watch) data() { w.lastData = time.Now() }

// leave notes that nothing more is wanted: what still comes has to come at once.
func (w *watch) leave() {
	w.idle = leaving
	w.data()
}

func (w *watch) stop() { w.timer.Stop() }

// body is a response's body under the watch, and of bounded length.
type body struct {
	io.Closer

	from  io.LimitedReader
	watch *watch
}

// maxAnswer bounds what is read of one response, in bytes.
const maxAnswer = 64 << 20

func (b *body) Read(p []byte) (int, error) {
	if b.watch.begun {
		b.watch.timer.Reset(min(b.watch.idle, patience*b.watch.idle-time.Since(b.watch.lastData)))
	}
	n, err := b.from.Read(p)
	b.watch.timer.Stop()
	if n > 0 && !b.watch.begun {
		b.watch.begun = true
		b.watch.data()
	}
	return n, err
}
