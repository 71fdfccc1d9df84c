package dispatch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"heddle/bot/deferred"
	"heddle/graph"
)

// After passes a write to the store once the answers that are in progress or waiting in a
// channel have ended, as the store does not know them before. All writes of a channel
// together take one place in its queue.
func (d *Dispatcher) After(channel graph.ChannelID, write deferred.Write) {
	if !d.after.add(channel, write) {
		return
	}
	// Stop releases what its queue leaves.
	released := job{last: true, run: func(context.Context) { d.release(channel) }}
	switch err := d.queues.push(channel, released); {
	case errors.Is(err, ErrFull):
		d.tasks.delays.add(time.Now().Add(deferred.Retry), channel, released)
	case err != nil:
		d.release(channel)
	}
}

// release passes on the writes that wait in a channel.
func (d *Dispatcher) release(channel graph.ChannelID) {
	for _, write := range d.after.take(channel) {
		d.after.writes.Add(write)
	}
}

// after holds writes until the answers in their channels have ended.
//
// mu guards waiting; it is never held over I/O.
type after struct {
	writes *deferred.Writes // where they are passed on to

	mu      sync.Mutex
	waiting map[graph.ChannelID][]deferred.Write
}

func newAfter(writes *deferred.Writes) *after {
	return &after{writes: writes, waiting: make(map[graph.ChannelID][]deferred.Write)}
}

// add adds a write, and reports whether it is the only one that waits in its channel.
func (a *after) add(channel graph.ChannelID, write deferred.Write) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting[channel] = append(a.waiting[channel], write)
	return len(a.waiting[channel]) == 1
}

// channels returns the channels in which writes wait.
func (a *after) channels() []graph.ChannelID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.waiting))
}

func (a *after) take(channel graph.ChannelID) []deferred.Write {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer delete(a.waiting, channel)
	return a.waiting[channel]
}
