package fetch

import (
	"context"
	"errors"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"heddle/graph"
)

const (
	mostOriginals = 1 << 14          // forwarded messages that are remembered
	mostLookups   = 25               // originals that one reading looks up; more wait for the next
	lookupWait    = 3 * time.Second  // that a reading waits for them
	lookupRetry   = 10 * time.Minute // until a lookup that failed is repeated
	mostForwards  = 3                // forwards of forwards that are followed
)

// original is what is known of a message that others forward. A forward is a copy that names
// no author, so that only the original tells whose words it holds, and whether they stand.
type original struct {
	channel graph.ChannelID
	author  graph.UserID    // zero if unknown
	gone    bool            // it was deleted
	looked  bool            // it was looked up, or could not be
	failed  time.Time       // when a lookup failed that may succeed later
	forward graph.Reference // of the message that the original itself forwards; zero if none
}

// settled reports whether no lookup is needed.
func (o *original) settled() bool {
	return o.gone || o.looked && (o.failed.IsZero() || time.Since(o.failed) < lookupRetry)
}

func newOriginals() *lru.Cache[graph.MessageID, original] {
	originals, _ := lru.New[graph.MessageID, original](mostOriginals) // the size is positive
	return originals
}

// learn records who wrote a message that others may forward.
func (f *filter) learn(id graph.MessageID, author graph.UserID) {
	o, _ := f.originals.Peek(id)
	o.author = author
	f.originals.Add(id, o)
}

// forgo records that a message was deleted, if others forward it.
func (f *filter) forgo(id graph.MessageID) {
	if f.originals.Contains(id) {
		f.lose(id)
	}
}

// lose records that a message was deleted.
func (f *filter) lose(id graph.MessageID) {
	o, _ := f.originals.Peek(id)
	o.gone = true
	f.originals.Add(id, o)
}

// doubt has the originals of some channels looked up again, as events were missed.
func (f *filter) doubt(affected func(graph.ChannelID) bool) {
	for _, id := range f.originals.Keys() {
		if o, known := f.originals.Peek(id); known && (affected == nil || affected(o.channel)) {
			o.looked = false
			f.originals.Add(id, o)
		}
	}
}

// forwardOf returns the index of the reference to the message that m forwards, or -1.
func forwardOf(m *graph.Message) int {
	return slices.IndexFunc(m.References, func(r graph.Reference) bool { return r.Kind == graph.ReferenceForward })
}

// uncover completes a message that forwards another, by what is known of the original: its
// author and what it forwards itself. What is not known to stand yet, was deleted, or is by
// somebody who opted out, is left out.
func (f *filter) uncover(m *graph.Message) {
	at := forwardOf(m)
	if at < 0 {
		return
	}
	m.References = slices.Clone(m.References)
	r := &m.References[at]
	var further []graph.Reference
	for step := *r; step.Message != 0 && len(further) < mostForwards; {
		o, _ := f.originals.Peek(step.Message)
		if o.gone || !o.looked || f.by(o.author) {
			r.State = graph.ReferenceWithheld
			if o.gone {
				r.State = graph.ReferenceDeleted
			}
			m.WithoutForward()
			return
		}
		step.User = o.author
		further = append(further, step)
		step = o.forward
	}
	r.User = further[0].User
	m.References = append(m.References, further[1:]...)
}

// lookUpOriginals looks up the originals of forwards of which it is not known whether they
// stand: each once, from the logs or from Discord.
func lookUpOriginals(ctx context.Context, h *History, forwards []graph.Reference) {
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(parallelReads)
	asked := make(map[graph.MessageID]bool)
	for _, r := range forwards {
		if asked[r.Message] || len(asked) == mostLookups || h.logs.filter.settled(r) {
			continue
		}
		asked[r.Message] = true
		group.Go(func() error {
			for range mostForwards {
				if r = lookUpOriginal(ctx, h, r); r.Message == 0 {
					break
				}
			}
			return nil
		})
	}
	_ = group.Wait() // each failure is the original's own
}

// settled reports whether no lookup is needed for a forward.
func (f *filter) settled(r graph.Reference) bool {
	for range mostForwards {
		o, _ := f.originals.Get(r.Message)
		if !o.settled() {
			return false
		}
		if r = o.forward; r.Message == 0 {
			break
		}
	}
	return true
}

// lookUpOriginal looks up one original, and returns the reference to what it forwards.
func lookUpOriginal(ctx context.Context, h *History, r graph.Reference) graph.Reference {
	f := &h.logs.filter
	o, _ := f.originals.Peek(r.Message)
	if o.settled() {
		return o.forward
	}
	o.channel, o.looked, o.failed = r.Channel, true, time.Time{}
	c := h.logs.known(r.Channel)
	m, known := c.lookup(r.Message)
	switch {
	case known == stateGone, known == stateUnknown && h.rest != nil && c.heard(r.Message):
		o.gone = true
	case known == stateUnknown:
		ask(ctx, h, r, &o)
	default:
		o.author = m.Author
		if at := forwardOf(&m); at >= 0 {
			o.forward = m.References[at]
		}
	}
	if now, _ := f.originals.Peek(r.Message); now.gone {
		o.gone = true // it was deleted meanwhile
	}
	f.originals.Add(r.Message, o)
	return o.forward
}

// ask asks Discord, or the record, for an original. What cannot be looked up counts as standing.
func ask(ctx context.Context, h *History, r graph.Reference, o *original) {
	m, err := readMessage(ctx, h, r.Channel, r.Message)
	state := pageRead
	if err != nil {
		_, state, err = refused(err)
	}
	switch {
	case state == pageGone:
		o.gone = true
	case errors.Is(err, context.Canceled):
		o.looked = false
	case err != nil:
		o.failed = time.Now()
		h.log.DebugContext(ctx, "a forwarded message could not be looked up, the forward is used", "channel", r.Channel, "message", r.Message, "error", err)
	case m.Author.ID != 0:
		o.author = m.Author.ID
		rendered := Render(m, h.selfID())
		if at := forwardOf(&rendered); at >= 0 {
			o.forward = rendered.References[at]
		}
	}
}

// IsLost reports whether a message that others forward is known to be deleted.
func (h *History) IsLost(original graph.MessageID) bool {
	o, _ := h.logs.filter.originals.Peek(original)
	return o.gone
}

// LookUp looks up the originals of those of messages of a channel that are forwards and held.
func (h *History) LookUp(ctx context.Context, channel graph.ChannelID, messages ...graph.MessageID) {
	c := h.logs.known(channel)
	c.mu.Lock()
	var forwards []graph.Reference
	for _, id := range messages {
		if at := c.messages.find(id); at >= 0 {
			forwards = c.messages.entries[at].forwards(forwards)
		}
	}
	c.mu.Unlock()
	lookUpOriginals(ctx, h, forwards)
}

// forwards appends the reference to what an entry forwards, if it does.
func (e *entry) forwards(all []graph.Reference) []graph.Reference {
	if at := forwardOf(&e.Message); at >= 0 && !e.unseen() {
		all = append(all, e.References[at])
	}
	return all
}

// forwardsIn returns what is forwarded in a window, the newest first.
func (c *channelLog) forwardsIn(w *span) (all []graph.Reference) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := len(c.messages.entries) - 1; at >= 0; at-- {
		e := &c.messages.entries[at]
		if e.anchor() < w.lo && !w.start {
			break
		}
		if e.anchor() <= w.hi || w.end {
			all = e.forwards(all)
		}
	}
	return all
}
