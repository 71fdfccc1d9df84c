package graph

import "time"

// Options are the settings of an expansion.
type Options struct {
	// MinLinear is the number of seeds: the newest messages before the trigger, which are
	// always sent, whatever the gaps between them. It is bounded by MaxTotal.
	MinLinear int
	// MaxTotal bounds the messages of the conversation, not counting the trigger. With
	// an affinity, the background does not count either.
	MaxTotal int
	// Background bounds the characters that the conversation and the messages that are sent
	// along with it as the trigger may need them have together. The conversation, the seeds and
	// the messages around references are sent in any case.
	Background int
	// TimeThreshold is the longest gap that a walk crosses. AutoThreshold, the zero
	// value, derives it from the channel's own pace.
	TimeThreshold time.Duration
	// Parent is the parent channel of the trigger's thread, or zero. References are followed
	// into the trigger's channel and its parent only. A link is followed into any channel,
	// and from there references within that channel; the source decides what may be read.
	Parent ChannelID

	// Affinity estimates which messages answer which. If it is nil, time and explicit
	// references alone decide, and all that is reached is conversation.
	Affinity Affinity
	// Reader chooses in place of an affinity that is in doubt. If it is nil, the affinity's
	// choice stands.
	Reader Reader
	// History is the number of messages before the trigger that the affinity judges; 0
	// means 100, one page of Discord's API.
	History int
}

// AutoThreshold derives the longest gap from the channel's own pace.
const AutoThreshold time.Duration = 0

// DefaultOptions returns heddle's default settings.
func DefaultOptions() Options {
	return Options{MinLinear: 10, MaxTotal: 30, Background: 8000, TimeThreshold: 10 * time.Minute}
}

// page is the least number of messages to read before the trigger. One page of Discord's
// API costs as much as a single message.
const page = 100

// recent returns the number of messages to read before the trigger.
func (o Options) recent() int {
	if o.Affinity != nil && o.History > 0 {
		return max(o.History, o.MinLinear)
	}
	return max(page, o.MaxTotal)
}

// Affinity estimates which messages answer which. Expand asks it about stretches of a
// channel. It must be pure and safe for concurrent use.
type Affinity interface {
	// Links returns the links of a window: one stretch of one channel, oldest first by
	// Position. If it leads up to the trigger, the trigger is its last message. Links must
	// neither change nor keep the messages.
	Links(window []*Message) Links
}

// Links are the links within a window: for every message, the probability that it answers
// each older one. The rest to 1 is the probability that it answers none of them.
type Links struct {
	// Needs are the probabilities that an answer to the last message, if it is a question
	// to a bot, needs each older one. They are nil if unknown.
	Needs []float32
	// Asks are the odds that it needs any.
	Asks float64

	size int
	p    []float32 // row by row
}

// NewLinks returns links for a window of size messages, all zero.
func NewLinks(size int) Links { return Links{size: size, p: make([]float32, size*(size-1)/2)} }

// Row returns the row of the message at index j of the window: Row(j)[i] is the
// probability that it answers the message at i, for every i below j.
func (l Links) Row(j int) []float32 {
	begin := j * (j - 1) / 2
	return l.p[begin : begin+j : begin+j]
}

// Size returns the number of messages of the window.
func (l Links) Size() int { return l.size }

// Reader reads the newest messages before a trigger, oldest first, and chooses the ones
// that the trigger needs. doubt is the number of characters that the affinity would send
// on top of what is sent in any case. The less sure it is, the more it sends, so a Reader
// has little to add to few characters. If it does not read, it reports false, and the
// affinity's choice stands.
type Reader func(trigger *Message, lines []*Message, doubt int) (choice Choice, read bool)

// Choice is what a Reader chose of its lines, which are messages.
type Choice struct {
	By     string // who read
	Needed []bool // by line: an answer to the trigger needs it
	Talk   []bool // by line: it belongs to the trigger's conversation
	// Earlier reports whether the trigger also needs messages from before the first line.
	Earlier bool
}
