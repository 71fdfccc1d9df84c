package dispatch

import (
	"context"
	"errors"
	"sync"

	"heddle/bot/deferred"
	"heddle/graph"
	"heddle/store"
)

// Directs remembers the direct messages in which people ask heddle; store.Backlog does.
type Directs interface {
	Direct(ctx context.Context, channel graph.ChannelID) error
	// Directs returns the channels, the latest first.
	Directs(ctx context.Context) ([]graph.ChannelID, error)
}

// directs remembers in the store the direct messages in which people ask. Discord does
// not list them, so nobody would ever catch up on one that is forgotten. While the store
// is away or full, each waits as one small write until that succeeds.
//
// mu guards waiting; it is never held over I/O.
type directs struct {
	writes  *deferred.Writes
	backlog Directs

	mu      sync.Mutex
	waiting map[graph.ChannelID]bool
}

func newDirects(writes *deferred.Writes, backlog Directs) *directs {
	return &directs{writes: writes, backlog: backlog, waiting: make(map[graph.ChannelID]bool)}
}

// remember remembers a channel of direct messages in the store.
func (d *directs) remember(channel graph.ChannelID) {
	d.mu.Lock()
	waits := d.waiting[channel]
	d.waiting[channel] = true
	d.mu.Unlock()
	if waits {
		return
	}
	d.writes.Keep(func(ctx context.Context) error {
		err := d.backlog.Direct(ctx, channel)
		if !errors.Is(err, store.ErrUnavailable) {
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.waiting, channel)
		}
		return err
	})
}
