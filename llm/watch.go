package llm

import (
	"context"
	"io"
	"time"
)

// patience is how long a server may send nothing but comments, and events that add nothing
// to the answer, as a multiple of Config.Idle.
const patience = 10

// closing bounds the wait for what may follow an answer's finish reason: its usage, and the
// mark of the end.
const closing = 5 * time.Second

// leaving bounds the wait for the end of a response after its answer is complete.
const leaving = 100 * time.Millisecond

// watch cancels an attempt if nothing comes for too long. Time in which the client does
// not read does not count. It must be used by one goroutine.
type watch struct {
	timer    *time.Timer
	idle     time.Duration
	begun    bool      // a part of the body has come
	lastData time.Time // when the answer last grew
	finished bool      // its finish reason has come
}

// startWatch starts a watch for the first byte.
func startWatch(cancel context.CancelCauseFunc, firstByte, idle time.Duration) *watch {
	return &watch{
		timer: time.AfterFunc(firstByte, func() { cancel(errStalled) }),
		idle:  idle,
	}
}

// finish is called when the answer has its finish reason.
func (w *watch) finish() {
	if !w.finished {
		w.finished, w.idle = true, min(w.idle, closing)
		w.grown()
	}
}

// grown is called when the answer grew.
func (w *watch) grown() { w.lastData = time.Now() }

// leave is called when the answer is complete. The rest of the response must then come
// within leaving.
func (w *watch) leave() {
	w.idle = leaving
	w.grown()
}

func (w *watch) stop() { w.timer.Stop() }

// body is the body of a response, watched and bounded in length.
type body struct {
	io.Closer

	from  io.LimitedReader
	watch *watch
	began func() // called with the first part; may be nil
}

// maxAnswer bounds what is read of one response, in bytes.
const maxAnswer = 64 << 20

// Read implements io.Reader. It stops the wait for data as soon as some has come.
func (b *body) Read(p []byte) (int, error) {
	if b.watch.begun {
		b.watch.timer.Reset(min(b.watch.idle, patience*b.watch.idle-time.Since(b.watch.lastData)))
	}
	n, err := b.from.Read(p)
	b.watch.timer.Stop()
	if n > 0 && !b.watch.begun {
		b.watch.begun = true
		b.watch.grown()
		if b.began != nil {
			b.began()
		}
	}
	return n, err
}
