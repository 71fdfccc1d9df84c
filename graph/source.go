package graph

// Source reads messages for Expand. Expand asks for everything that one round
// needs in one Batch, so that an implementation can share reads and make them in
// parallel. The order in which it fetches must not affect its answers.
//
// A Source returns folded messages (see Fold), without system messages. It decides how
// much to load: a stretch may end with EndUnread, which seals that side. A target that
// is deleted or may not be read is a ReferenceState and not an error; an error ends the
// expansion. What a Source has returned must not change afterwards. It is used by one
// goroutine at a time.
type Source func(Batch) (Reading, error)

// Batch is what one round reads.
type Batch struct {
	Lookups []Lookup
	Walks   []Walk
}

// Lookup asks for one message.
type Lookup struct {
	Channel ChannelID
	Message MessageID
}

// Walk asks for the nearest messages in a channel strictly before or after a position.
type Walk struct {
	Channel   ChannelID
	From      Position
	Direction Direction
	Limit     int // the greatest number of messages; above 0
}

// Direction is a direction of walking.
type Direction uint8

// The directions.
const (
	Older Direction = iota
	Newer
)

// Reading answers a Batch: Found[i] belongs to Lookups[i], Stretches[i] to Walks[i].
type Reading struct {
	Found     []Found
	Stretches []Stretch
}

// Found is the outcome of a lookup. Message is set only if State is ReferenceResolved.
// It is the message that was asked for, or the answer that it is a part of, or, if
// nobody may use that message, the one that it answers.
type Found struct {
	State   ReferenceState
	Message Message
}

// Stretch is the outcome of a walk: the messages, nearest first and without a gap, and,
// if there are fewer than asked for, the reason. A stretch may be short and end with
// EndNone. Then there are more messages, which are asked for when they are needed.
type Stretch struct {
	Messages []Message
	End      End
}

// End is the reason why a stretch is shorter than asked for.
type End uint8

// The ends of a stretch.
const (
	EndNone       End = iota // there may be more
	EndChannel               // the channel starts or ends here
	EndUnread                // there may be more, which the source does not load
	EndUnreadable            // there may be more, which may not be read
)

// Affinity estimates which messages answer which. Expand asks it about stretches of a
// channel. It must be pure and safe for concurrent use.
type Affinity interface {
	// Links returns, for every message of a window, the probabilities of what it
	// answers. The window is one stretch of one channel, oldest first by Position. If
	// it leads up to the trigger, the trigger is its last message. Links must neither
	// change nor keep the messages.
	Links(window []*Message) Links
}

// Links are the links within a window: for every message, the probability that it
// answers each older one. The rest to 1 is the probability that it answers none of
// them.
type Links struct {
	// Needs are the probabilities that the last message, if it is a question to a bot,
	// needs each older one to be answered. They are nil if that is not known.
	Needs []float32
	// Asks are the odds that it needs any of them.
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
