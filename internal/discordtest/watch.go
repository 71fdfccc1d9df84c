package discordtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Happening is one thing that happened in the world.
type Happening struct {
	Kind    HappeningKind
	Channel graph.ChannelID
	// Message is the new version, or the last one before a deletion. For Typing
	// only its Channel and Author are set.
	Message Message
	// To is the person who sees a Private message.
	To graph.UserID
}

// HappeningKind is a kind of happening.
type HappeningKind string

// The kinds of happenings.
const (
	Created HappeningKind = "created"
	Edited  HappeningKind = "edited"
	Deleted HappeningKind = "deleted"
	Typing  HappeningKind = "typing"
	Private HappeningKind = "private" // a version of a message that only one person sees
	Reacted HappeningKind = "reacted" // a change of a message's reactions
)

// Patience bounds how long tests wait for something to happen. It is so long that a
// wait which reaches it has failed on any machine.
const Patience = 5 * time.Minute

// Watcher is a stream of what happens from its creation on. It keeps everything until
// it is read.
type Watcher struct {
	world *world
	queue []Happening
}

// Watch starts watching. The caller must Close the watcher.
func (t *Chat) Watch() *Watcher {
	w := &Watcher{world: t.world}
	t.world.mu.Lock()
	defer t.world.mu.Unlock()
	t.world.watchers[w] = struct{}{}
	return w
}

// Close ends the stream: nothing more is kept.
func (w *Watcher) Close() {
	w.world.mu.Lock()
	defer w.world.mu.Unlock()
	delete(w.world.watchers, w)
}

// Tell tells everybody who watches of something in the world that is no message, by a kind of
// the caller's.
func (t *Chat) Tell(kind HappeningKind) {
	t.world.mu.Lock()
	defer t.world.mu.Unlock()
	t.world.happened(Happening{Kind: kind})
}

// Next waits for the next happening.
func (w *Watcher) Next(ctx context.Context) (Happening, error) {
	var next Happening
	err := w.world.mu.Await(ctx, func() bool {
		if len(w.queue) == 0 {
			return false
		}
		next, w.queue = w.queue[0], w.queue[1:]
		return true
	}, func() string { return "a happening" })
	return next, err
}

// AwaitMessage waits until a channel holds a message that fits in its current version,
// and returns the newest such message.
func (t *Chat) AwaitMessage(ctx context.Context, id graph.ChannelID, fits func(Message) bool) (Message, error) {
	var found Message
	err := t.world.mu.Await(ctx, func() bool {
		for _, m := range slices.Backward(must(t.world.channels, id).messages) {
			if fits(*m) {
				found = *m
				return true
			}
		}
		return false
	}, func() string { return fmt.Sprintf("a message that fits in channel %d", id) })
	return found, err
}
