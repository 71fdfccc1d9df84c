package answer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// Judge judges messages before somebody asks; affinity.Model is one.
type Judge interface {
	// Ahead judges the messages of a channel, oldest first, that stand before its next
	// question.
	Ahead(before []*graph.Message)
	// Forget drops what was judged ahead in a channel.
	Forget(channel graph.ChannelID)
}

// The bounds of judging ahead.
const (
	aheadQuiet    = 50 * time.Millisecond // without a message, after which a channel is judged
	aheadFor      = 10 * time.Minute      // after a question in a channel
	aheadChannels = 128                   // at a time; those in which a question was asked longest ago go
	aheadShare    = 20                    // one part in so many of one core, at most
)

// ahead has the messages of channels judged as they arrive, in which heddle was lately
// asked. A question then waits for no more than its own row. It takes no more than a
// small share of one core: under more messages it judges more seldom, and a question may
// find that its channel has to be judged first.
type ahead struct {
	history   History
	responses Responses
	people    People
	judge     Judge // nil: nothing is judged ahead
	expand    graph.Options
	log       *slog.Logger
	wake      chan struct{} // holds a token once there is something to judge

	mu       sync.Mutex
	channels map[graph.ChannelID]*watched
}

// watched is a channel in which heddle was lately asked.
type watched struct {
	place guilds.Place
	asked time.Time
	said  time.Time // the last message
	due   bool      // it is to be judged
	stale bool      // something was dropped or changed since it was chosen to be judged
}

func newAhead(history History, responses Responses, people People, settings Settings, log *slog.Logger) *ahead {
	a := &ahead{
		history: history, responses: responses, people: people, judge: settings.Ahead, expand: settings.Expand, log: log,
		wake: make(chan struct{}, 1), channels: make(map[graph.ChannelID]*watched),
	}
	if a.judge != nil {
		history.Watch(a)
	}
	return a
}

// asked notes that a question is asked in a channel.
func (a *ahead) asked(q Question) {
	if a.judge == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.channels[q.Channel]
	if w == nil {
		a.makeRoomLocked()
		w = &watched{}
		a.channels[q.Channel] = w
	}
	w.place, w.asked = q.Place, time.Now()
	a.dueLocked(w)
}

// makeRoomLocked lets go of the channel in which nobody has asked for the longest time,
// if there are as many as may be.
func (a *ahead) makeRoomLocked() {
	if len(a.channels) < aheadChannels {
		return
	}
	var idle graph.ChannelID
	for channel, w := range a.channels {
		if idle == 0 || w.asked.Before(a.channels[idle].asked) {
			idle = channel
		}
	}
	a.dropLocked(idle)
}

func (a *ahead) dropLocked(channel graph.ChannelID) {
	delete(a.channels, channel)
	a.judge.Forget(channel)
}

// dueLocked notes that a channel is to be judged once it is quiet.
func (a *ahead) dueLocked(w *watched) {
	w.said = time.Now()
	if w.due {
		return
	}
	w.due = true
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Added implements fetch.Watcher. What was judged stays: the message may be a question.
func (a *ahead) Added(channel graph.ChannelID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.channels[channel]; w != nil {
		a.dueLocked(w)
	}
}

// Changed implements fetch.Watcher. What was judged is dropped at once: it may rest on
// what was deleted.
func (a *ahead) Changed(channel graph.ChannelID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.channels[channel]; w != nil {
		a.judge.Forget(channel)
		w.stale = true
		a.dueLocked(w)
	}
}

// run judges until ctx ends.
func (a *ahead) run(ctx context.Context) {
	if a.judge == nil {
		return
	}
	cost := time.Hour // of judging a channel
	for {
		channel, place, in := a.next(time.Now())
		if in > 0 {
			if wait.Until(ctx, a.wake, in) != nil {
				return
			}
			continue
		}
		began := time.Now()
		a.judgeChannel(ctx, channel, place)
		// Others may have had the core meanwhile, so the shortest time of late counts.
		cost = min(time.Since(began), cost+cost/32)
		if wait.For(ctx, (aheadShare-1)*cost) != nil {
			return
		}
	}
}

// next returns the channel that is to be judged now. If there is none, in is how long it
// takes at least until there is, if nothing is said meanwhile. Channels in which nobody
// asks any more are dropped.
func (a *ahead) next(now time.Time) (channel graph.ChannelID, place guilds.Place, in time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in = aheadFor
	var best *watched
	for id, w := range a.channels {
		if now.Sub(w.asked) > aheadFor {
			a.dropLocked(id)
			continue
		}
		if w.due && (best == nil || w.said.Before(best.said)) {
			best, channel = w, id
		}
	}
	if best == nil {
		return 0, guilds.Place{}, in
	}
	if in = aheadQuiet - now.Sub(best.said); in > 0 {
		return 0, guilds.Place{}, in
	}
	best.due, best.stale = false, false
	return channel, best.place, 0
}

// judgeChannel has the newest messages of a channel judged, as far as they are held.
func (a *ahead) judgeChannel(ctx context.Context, channel graph.ChannelID, place guilds.Place) {
	before, err := a.before(ctx, channel, place.Scope)
	if err != nil {
		a.log.DebugContext(ctx, "a channel is not judged ahead, its next question takes longer", "channel", channel, "error", err)
		return
	}
	a.judge.Ahead(before)
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.channels[channel]; w == nil || w.stale {
		a.judge.Forget(channel) // it may rest on what was deleted meanwhile
	}
}

// before returns what a question would be judged with if it came now.
func (a *ahead) before(ctx context.Context, channel graph.ChannelID, scope store.Scope) ([]*graph.Message, error) {
	next, heard := a.history.Next(channel)
	if !heard || !a.people.Known() {
		return nil, nil
	}
	reading := a.history.Mention(fetch.Place{Channel: channel, Trigger: next, NoHistory: true})
	source := recollect(a.responses, a.people, scope).source(ctx, reading.Source(ctx))
	return graph.Recent(source, graph.Message{ID: next, Channel: channel}, a.expand)
}
