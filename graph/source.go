package graph

// Source is what Expand reads messages through. Expand asks for everything that
// one round needs in one Batch, so that an implementation can share and
// parallelise its reads; the order of what it fetched must not show in its answer.
//
// A Source returns folded messages (see Fold) and leaves system messages out. It
// decides itself how much it is willing to load: a stretch may end with EndUnread,
// which seals that side. It is used by one goroutine at a time. An error ends the
// expansion; a target that is deleted or may not be read is not an error but a
// ReferenceState. What a Source has given must not change afterwards.
type Source interface {
	Read(batch Batch) (Reading, error)
}

// SourceFunc is a function that is a Source. A caller that has a context to
// honour closes over it.
type SourceFunc func(Batch) (Reading, error)

// Read calls f.
func (f SourceFunc) Read(batch Batch) (Reading, error) { return f(batch) }

// Batch is what one round wants to read.
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
	Limit     int // at most so many messages; more than 0
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

// Found is the outcome of a lookup. Message is set only where State is ReferenceResolved.
// It is the message that was asked for, an answer that it is a part of, or, if nobody may
// use it, the one that it answers.
type Found struct {
	State   ReferenceState
	Message Message
}

// Stretch is the outcome of a walk: messages nearest first, without a hole, and,
// where there are fewer than asked for, why. A stretch may be shorter and say
// EndNone: then there is more, and it is asked for when it is needed.
type Stretch struct {
	Messages []Message
	End      End
}

// End is why a stretch is shorter than asked for.
type End uint8

// The ends of a stretch.
const (
	EndNone       End = iota // there may be more
	EndChannel               // the channel starts or ends here
	EndUnread                // more may exist; the source does not load it
	EndUnreadable            // more may exist; it may not be read
)
