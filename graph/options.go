package graph

import "time"

// Options are the settings of an expansion.
type Options struct {
	// MinLinear is how many of the newest messages before the trigger are seeds:
	// in whatever the gaps between them. No more than MaxTotal.
	MinLinear int
	// MaxTotal bounds the messages of the conversation, the trigger not counted. What
	// an affinity leaves to the background is not counted either.
	MaxTotal int
	// TimeThreshold is the longest gap that is walked across. AutoThreshold, the
	// zero value, judges gaps by the channel's own pace.
	TimeThreshold time.Duration
	// Parent is the channel that the trigger's channel is a thread of; zero where
	// it is none. References lead into these two channels only. A link leads into any
	// channel, and from there references lead on within it: the source decides what
	// may be read.
	Parent ChannelID

	// Affinity estimates which messages answer which. If it is nil, time and explicit
	// references alone decide, and everything is conversation.
	Affinity Affinity
	// History is how many messages before the trigger are weighed by the affinity;
	// 0 means 100, one page of Discord's.
	History int
	// Recall weighs recall against precision where the affinity's choice is cut: 1
	// weighs them alike, more takes more messages; 0 means DefaultRecall.
	Recall float64
	// Foreseen keeps what Foresee found out before the trigger came; nil keeps nothing.
	Foreseen *Foreseen
	// Scratch is memory to work in; nil allocates it anew for each expansion.
	Scratch *Scratch
}

// AutoThreshold lets a channel's own pace decide which gap is too long.
const AutoThreshold time.Duration = 0

// DefaultRecall weighs precision a little over recall. Of what is left out the newest
// are still handed over as background; docs/context-quality.md has the figures.
const DefaultRecall = 0.8

// DefaultOptions are the settings that heddle starts with.
func DefaultOptions() Options {
	return Options{MinLinear: 10, MaxTotal: 30, TimeThreshold: 10 * time.Minute, Foreseen: NewForeseen(), Scratch: NewScratch()}
}

// bounded returns the options with every value in its range.
func (o Options) bounded() Options {
	o.MaxTotal = max(o.MaxTotal, 0)
	o.MinLinear = min(max(o.MinLinear, 0), o.MaxTotal)
	return o
}

// page is how many messages before the trigger are read at least: one page of
// Discord's costs as much as a single message.
const page = 100

// recent is how many messages before the trigger are read.
func (o Options) recent() int {
	if o.Affinity != nil && o.History > 0 {
		return max(o.History, o.MinLinear)
	}
	return max(page, o.MaxTotal)
}

// recallWeight is Recall with its default.
func (o Options) recallWeight() float64 {
	if o.Recall <= 0 {
		return DefaultRecall
	}
	return o.Recall
}

// follows reports whether a reference of m is followed for a trigger in home.
func (o Options) follows(home ChannelID, m *Message, r *Reference) bool {
	in := r.in(m)
	return in == home || in == m.Channel || in == o.Parent && in != 0 || r.Kind == ReferenceLink
}
