package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"heddle/config"
	"heddle/internal/telemetry"
)

// newLogger returns the logger that everything below uses, with the configured level
// and format.
func newLogger(c config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(telemetry.Handler{Handler: slog.NewJSONHandler(w, options)})
	}
	return slog.New(telemetry.Handler{Handler: slog.NewTextHandler(w, options)})
}

// unstalled returns p with a Stderr that holds nothing up, however long nobody reads it, and
// the function that ends it. Errors of writing to it are ignored.
func (p Process) unstalled(ctx context.Context, c config.Config) (unstalled Process, end func()) {
	direct := newLogger(c, p.Stderr)
	kept := newRecords(p.Stderr, func(lost int64) {
		direct.WarnContext(ctx, "the log was not read for a while, and records of it were lost", "lost", lost)
	})
	p.Stderr, p.lostRecords = kept, kept.Lost
	return p, kept.Close
}

// mostRecords bounds the records that wait for a stalled writer.
const mostRecords = 1024

// records hands what is logged to a writer that may stall, such as a pipe that nobody reads.
// Each Write is one record. It returns when the record is written, so that a process that is
// killed has logged what it did. If that takes too long, records are kept in memory until the
// writer is back, and Write returns at once. Records that find no room are counted and lost.
type records struct {
	each   time.Duration // how long a record may hold up what logs it
	last   time.Duration // how long the last records may hold up the end of heddle
	to     io.Writer
	queue  chan record
	ending chan struct{}
	ended  chan struct{} // closed when nothing is written any more
	close  sync.Once

	stalled atomic.Bool
	lost    atomic.Int64
}

// record is one record of the log. Its channel is closed when it is written.
type record struct {
	text    []byte
	written chan struct{}
}

// newRecords returns records that are written to a writer. When the writer is back after
// records were lost, told is called with the number of all that were lost so far; it must
// not log through these records. The caller must call Close.
func newRecords(to io.Writer, told func(lost int64)) *records {
	r := &records{
		each: 200 * time.Millisecond, last: time.Second,
		to: to, queue: make(chan record, mostRecords), ending: make(chan struct{}), ended: make(chan struct{}),
	}
	go r.run(told)
	return r
}

// Write takes a record. It never fails: nobody can be told of a log that cannot be written.
func (r *records) Write(text []byte) (int, error) {
	next := record{bytes.Clone(text), make(chan struct{})}
	select {
	case r.queue <- next:
	default:
		r.lost.Add(1)
		return len(text), nil
	}
	if r.stalled.Load() {
		return len(text), nil
	}
	late := time.NewTimer(r.each)
	defer late.Stop()
	select {
	case <-next.written:
	case <-r.ended:
	case <-late.C:
		r.stalled.Store(true)
	}
	return len(text), nil
}

// Lost returns how many records were lost.
func (r *records) Lost() int64 { return r.lost.Load() }

// Close waits until all records are written, but not long for a writer that has stalled: a
// write to a pipe that nobody reads ends with the process.
func (r *records) Close() {
	r.close.Do(func() { close(r.ending) })
	late := time.NewTimer(r.last)
	defer late.Stop()
	select {
	case <-r.ended:
	case <-late.C:
	}
}

// run writes the records until Close is called.
func (r *records) run(told func(lost int64)) {
	defer close(r.ended)
	var known int64
	for {
		select {
		case next := <-r.queue:
			r.write(next)
		case <-r.ending:
			for len(r.queue) > 0 {
				r.write(<-r.queue)
			}
			return
		}
		if len(r.queue) > 0 {
			continue
		}
		r.stalled.Store(false)
		if lost := r.lost.Load(); lost > known {
			known = lost
			told(lost)
		}
	}
}

func (r *records) write(next record) {
	_, _ = r.to.Write(next.text) // the disk may be full, or the reader gone
	close(next.written)
}
