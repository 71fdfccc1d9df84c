package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/internal/discord"
)

// parallelReads is the number of pages that one batch reads at a time.
const parallelReads = 4

// Place is where a question was asked, and what may be read there.
type Place struct {
	Channel graph.ChannelID
	Trigger graph.MessageID
	// Readable reports whether what is looked up in a channel other than Channel may be read for
	// the asker, such as a starter in a thread's parent, or what a link leads to. It is also asked
	// about every lookup without a message, and reports false if the channel is no thread. It may
	// ask Discord. If it is nil, no other channel is read.
	Readable func(graph.Lookup) bool
	// NoHistory is set if heddle may not read the history of Channel. Then nothing is
	// read, and only messages that events brought are found. If it is wrongly false,
	// Discord's empty responses make the channel seem empty.
	NoHistory bool
}

// Mention reads for one trigger. It reads at most one page of the trigger's channel,
// and one around each reference whose target is not held. Like every graph.Source it is
// used by one goroutine at a time.
type Mention struct {
	history *History
	place   Place
	logs    map[graph.ChannelID]*channelLog // kept for the mention even if they are dropped
	open    map[graph.ChannelID]spans
	missing map[graph.Lookup]graph.ReferenceState // the lookups that a read did not find
	reads   int
}

// Mention begins a reading for a trigger.
func (h *History) Mention(place Place) *Mention {
	return &Mention{
		history: h, place: place,
		logs:    make(map[graph.ChannelID]*channelLog),
		open:    make(map[graph.ChannelID]spans),
		missing: make(map[graph.Lookup]graph.ReferenceState),
	}
}

// Reads returns the number of REST reads that the mention has waited for, including
// those that it shared with others.
func (m *Mention) Reads() int { return m.reads }

// Source returns a source that reads until ctx ends. Its error is that of ctx, or means
// that the trigger's channel could not be read.
func (m *Mention) Source(ctx context.Context) graph.Source {
	return func(batch graph.Batch) (graph.Reading, error) { return m.read(ctx, batch) }
}

// read reads what a batch asks for: first the stretch before the trigger, then the
// references. References that lead through a withheld message are followed to what that
// message refers to.
func (m *Mention) read(ctx context.Context, batch graph.Batch) (graph.Reading, error) {
	if err := m.openTrigger(ctx); err != nil {
		return graph.Reading{}, err
	}
	through := batch.Lookups
	for range maxWithheld {
		if err := m.openReferences(ctx, through); err != nil {
			return graph.Reading{}, err
		}
		var next []graph.Lookup
		for _, l := range through {
			if to, passes := m.past(l); passes {
				next = append(next, to)
			}
		}
		if through = next; len(through) == 0 {
			break
		}
	}
	m.openForwards(ctx)
	reading := graph.Reading{
		Found:     make([]graph.Found, len(batch.Lookups)),
		Stretches: make([]graph.Stretch, len(batch.Walks)),
	}
	for i, l := range batch.Lookups {
		reading.Found[i] = m.found(l)
	}
	for i, w := range batch.Walks {
		reading.Stretches[i] = m.stretch(w)
	}
	return reading, nil
}

// openTrigger reads the messages before the trigger once, in at most one read, unless they
// are held.
func (m *Mention) openTrigger(ctx context.Context) error {
	if len(m.open[m.place.Channel]) > 0 {
		return nil
	}
	c := m.channelLog(m.place.Channel)
	w, held := c.beforeTrigger(m.place.Trigger)
	switch {
	case held:
	case m.place.NoHistory:
		w.unreadable = true
	default:
		m.reads++
		_, state, err := m.history.read(ctx, c, query{"before", m.place.Trigger})
		if err != nil {
			return err
		}
		w, _ = c.beforeTrigger(m.place.Trigger)
		if state == pageEmpty { // also Discord's answer to whom it denies the history
			w.start = c.startsAt(m.place.Trigger)
		}
		w.unreadable = state != pageRead && !w.start
	}
	m.open[m.place.Channel] = m.open[m.place.Channel].add(w)
	return nil
}

// openReferences reads what is looked up, with its neighbours, unless it is held.
func (m *Mention) openReferences(ctx context.Context, lookups []graph.Lookup) error {
	var wanted []graph.Lookup
	asked := make(map[graph.Lookup]bool)
	for _, l := range lookups {
		if _, known := m.missing[l]; known || asked[l] || m.openHeld(l) {
			continue
		}
		asked[l] = true
		wanted = append(wanted, l)
	}
	states := make([]pageState, len(wanted))
	failures := make([]error, len(wanted))
	var group errgroup.Group
	group.SetLimit(parallelReads)
	for i, l := range wanted {
		c := m.channelLog(l.Channel)
		group.Go(func() error {
			at := cmp.Or(l.Message, graph.MessageID(l.Channel)) // a thread's id is no greater than its first message's
			_, states[i], failures[i] = m.history.read(ctx, c, query{"around", at})
			return nil
		})
	}
	_ = group.Wait() // each failure counts by itself
	m.reads += len(wanted)
	if err := ctx.Err(); err != nil && len(wanted) > 0 {
		return fmt.Errorf("read references: %w", err)
	}
	for i, l := range wanted {
		m.learnMissing(ctx, l, states[i], failures[i])
	}
	return nil
}

// openForwards looks up what is forwarded in the windows that are open.
func (m *Mention) openForwards(ctx context.Context) {
	var forwards []graph.Reference
	for channel, windows := range m.open {
		for i := range windows {
			forwards = append(forwards, m.channelLog(channel).forwardsIn(&windows[i])...)
		}
	}
	lookUpOriginals(ctx, m.history, forwards)
}

// openHeld opens the window around a lookup if that needs no read, or must not be read.
func (m *Mention) openHeld(l graph.Lookup) bool {
	if (l.Channel != m.place.Channel || l.Message == 0) && (m.place.Readable == nil || !m.place.Readable(l)) {
		m.missing[l] = graph.ReferenceUnreadable
		return true
	}
	c := m.channelLog(l.Channel)
	l.Message = cmp.Or(l.Message, c.first())
	found, known := c.lookup(l.Message)
	switch known {
	case stateGone:
		m.missing[l] = graph.ReferenceDeleted
		return true
	case stateHeld:
		if m.open[l.Channel].find(found.Position().Anchor) != nil {
			return true
		}
		w, held := c.aroundMessage(l.Message)
		if held {
			m.open[l.Channel] = m.open[l.Channel].add(w)
		}
		return held
	case stateWithheld, stateNotice:
		return true
	case stateUnknown:
		switch {
		case m.history.rest != nil && l.Message != m.place.Trigger && c.heard(l.Message):
			// So it does not exist: a thread that no message started, for example. The question
			// does exist if Discord says so, as its answer is deleted otherwise.
			m.missing[l] = graph.ReferenceDeleted
			return true
		case m.place.NoHistory && l.Channel == m.place.Channel:
			m.missing[l] = graph.ReferenceUnreadable
			return true
		}
	}
	return false
}

// learnMissing opens the window around what a read found, or remembers why it was not
// found.
func (m *Mention) learnMissing(ctx context.Context, l graph.Lookup, state pageState, failure error) {
	switch {
	case failure != nil: // an answer without one reference is better than no answer
		if !errors.Is(failure, errNotRecorded) {
			m.history.log.WarnContext(ctx, "a reference could not be read", "channel", l.Channel.String(), "error", failure.Error())
		}
		m.missing[l] = graph.ReferenceNotLoaded
	case state == pageUnreadable || state == pageEmpty:
		m.missing[l] = graph.ReferenceUnreadable
	case state == pageGone:
		m.missing[l] = graph.ReferenceDeleted
	case m.openHeld(l):
	case l.Message == 0: // nothing is left in the thread
		m.missing[l] = graph.ReferenceDeleted
	default:
		m.missing[l] = graph.ReferenceDeleted
		m.history.Delete(discord.Delete{Channel: l.Channel, Messages: []graph.MessageID{l.Message}})
	}
}

// found answers a lookup from what is held. In place of a withheld message or a notice it
// returns the one that it answers.
func (m *Mention) found(l graph.Lookup) graph.Found {
	for range maxWithheld {
		next, passes := m.past(l)
		if !passes {
			break
		}
		l = next
	}
	if state, known := m.missing[l]; known {
		return graph.Found{State: state}
	}
	c := m.channelLog(l.Channel)
	message, known := c.lookup(cmp.Or(l.Message, c.first()))
	switch {
	case known == stateHeld, known == stateNotice && l.Message == m.place.Trigger:
		return graph.Found{State: graph.ReferenceResolved, Message: message}
	case known == stateGone:
		return graph.Found{State: graph.ReferenceDeleted}
	case known == stateUnknown:
		return graph.Found{State: graph.ReferenceNotLoaded}
	}
	return graph.Found{State: graph.ReferenceWithheld}
}

// maxWithheld bounds the withheld messages in a row that a reference passes through.
const maxWithheld = 8

// past returns what a withheld message or a notice answers. It reports false if the message
// is neither, or answers nothing.
func (m *Mention) past(l graph.Lookup) (graph.Lookup, bool) {
	if _, missing := m.missing[l]; missing || l.Message == m.place.Trigger {
		return l, false
	}
	message, known := m.channelLog(l.Channel).lookup(l.Message)
	if known != stateWithheld && known != stateNotice {
		return l, false
	}
	if message.Answers != 0 {
		return graph.Lookup{Channel: message.Channel, Message: message.Answers}, true
	}
	at := slices.IndexFunc(message.References, func(r graph.Reference) bool { return r.Message != 0 })
	if at < 0 {
		return l, false
	}
	r := message.References[at]
	return graph.Lookup{Channel: cmp.Or(r.Channel, message.Channel), Message: r.Message}, true
}

// stretch answers a walk from the window in which it begins.
func (m *Mention) stretch(w graph.Walk) graph.Stretch {
	in := m.open[w.Channel].find(w.From.Anchor)
	if in == nil {
		return graph.Stretch{End: graph.EndUnread}
	}
	trigger := graph.Position{Anchor: m.place.Trigger, Message: m.place.Trigger}
	return m.channelLog(w.Channel).walk(w, in, trigger)
}

func (m *Mention) channelLog(id graph.ChannelID) *channelLog {
	c := m.logs[id]
	if c == nil {
		c = m.history.logs.use(id)
		m.logs[id] = c
	}
	return c
}
