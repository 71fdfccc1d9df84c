package graph

import "time"

// Options are the settings of an expansion.
type Options struct {
	// MinLinear is the number of the newest messages before the trigger that are seeds,
	// whatever the gaps between them. It is bounded by MaxTotal.
	MinLinear int
	// MaxTotal bounds the messages of the conversation, not counting the trigger. With
	// an affinity, the background does not count either.
	MaxTotal int
	// Background bounds the characters of what is sent beside the conversation because the
	// trigger may need it. The nearest seeds, and what stands around references, are sent even so.
	Background int
	// TimeThreshold is the longest gap that a walk crosses. AutoThreshold, the zero
	// value, derives it from the channel's own pace.
	TimeThreshold time.Duration
	// Parent is the channel whose thread the trigger's channel is, or zero. References
	// are followed into these two channels only. A link is followed into any channel,
	// and from there references are followed within that channel; the source decides
	// what may be read.
	Parent ChannelID

	// Affinity estimates which messages answer which. If it is nil, time and explicit
	// references alone decide, and everything is conversation.
	Affinity Affinity
	// Reader chooses instead where the affinity is in doubt; nil: its choice always stands.
	Reader Reader
	// History is the number of messages before the trigger that the affinity judges; 0
	// means 100, one page of Discord's API.
	History int
}

// AutoThreshold derives the longest gap from the channel's own pace.
const AutoThreshold time.Duration = 0

// DefaultOptions returns heddle's default settings.
func DefaultOptions() Options {
	return Options{MinLinear: 10, MaxTotal: 30, Background: 5000, TimeThreshold: 10 * time.Minute}
}

// bounded returns the options with every value in its range.
func (o Options) bounded() Options {
	o.MaxTotal = max(o.MaxTotal, 0)
	o.MinLinear = min(max(o.MinLinear, 0), o.MaxTotal)
	return o
}

// page is the least number of messages before the trigger that are read. One page of
// Discord's API costs as much as a single message.
const page = 100

// recent returns the number of messages before the trigger that are read.
func (o Options) recent() int {
	if o.Affinity != nil && o.History > 0 {
		return max(o.History, o.MinLinear)
	}
	return max(page, o.MaxTotal)
}

// follows reports whether a reference of m is followed for a trigger in home.
func (o Options) follows(home ChannelID, m *Message, r *Reference) bool {
	in := r.in(m)
	return in == home || in == m.Channel || in == o.Parent && in != 0 || r.Kind == ReferenceLink
}
