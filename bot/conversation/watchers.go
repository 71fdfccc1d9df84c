package conversation

import (
	"context"
	"sync"

	"heddle/fetch"
	"heddle/graph"
)

// watchers prepare channels for the next question. Either field may be nil.
type watchers struct {
	ahead   *ahead
	meaning *meaning
}

// watch registers the watchers, if there are any.
func (w *watchers) watch(history channelLog) {
	if w.ahead != nil || w.meaning != nil {
		history.Watch(w)
	}
}

// asked notes that a question was asked.
func (w *watchers) asked(q Question) {
	if w.ahead != nil {
		w.ahead.lately.ask(q)
	}
	if w.meaning != nil && !q.Place.NoHistory {
		w.meaning.lately.ask(q)
	}
}

// Added implements fetch.Watcher.
func (w *watchers) Added(channel graph.ChannelID) {
	for _, watcher := range w.all() {
		watcher.Added(channel)
	}
}

// Changed implements fetch.Watcher.
func (w *watchers) Changed(channel graph.ChannelID) {
	for _, watcher := range w.all() {
		watcher.Changed(channel)
	}
}

func (w *watchers) all() []fetch.Watcher {
	var all []fetch.Watcher
	if w.ahead != nil {
		all = append(all, w.ahead)
	}
	if w.meaning != nil {
		all = append(all, w.meaning)
	}
	return all
}

// run runs the watchers until ctx ends.
func (w *watchers) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	if w.ahead != nil {
		running.Go(func() { w.ahead.run(ctx) })
	}
	if w.meaning != nil {
		running.Go(func() { w.meaning.run(ctx) })
	}
}
