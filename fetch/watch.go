package fetch

import (
	"sync/atomic"

	"heddle/graph"
)

// Watcher is notified of changes in what is held. It is called without locks, from any
// goroutine, and must return at once.
type Watcher interface {
	// Added is called after a message was added to a channel, or one of heddle's own
	// has grown. It may be called without any change.
	Added(channel graph.ChannelID)
	// Changed is called after messages of a channel were edited, deleted, read again or
	// dropped. It may be called without any change.
	Changed(channel graph.ChannelID)
}

// Watch notifies a watcher of all changes from now on, in place of the previous one.
func (h *History) Watch(w Watcher) { h.watch.watcher.Store(&w) }

// watch notifies the watcher, if there is one.
type watch struct{ watcher atomic.Pointer[Watcher] }

func (w *watch) added(channel graph.ChannelID) {
	if watcher := w.watcher.Load(); watcher != nil {
		(*watcher).Added(channel)
	}
}

func (w *watch) changed(channel graph.ChannelID) {
	if watcher := w.watcher.Load(); watcher != nil {
		(*watcher).Changed(channel)
	}
}
