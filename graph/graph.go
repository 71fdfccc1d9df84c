package graph

import "time"

// Graph is the result of Expand: the conversation before a trigger, and the reasons why
// it is that.
type Graph struct {
	Trigger Message
	// Conversation holds the messages that belong to the trigger's conversation,
	// oldest first by Position, the trigger left out.
	Conversation []Node
	// Background holds what is sent beside the conversation, in the same order: seeds
	// of other talks, messages around those that the trigger and the conversation refer
	// to, and messages that the trigger may need. It is empty without an affinity.
	Background []Node
	// Recalled holds older messages that are quoted because the trigger shares rare words
	// with them, in the same order. Expand leaves it empty.
	Recalled []Node
	// Explored holds the messages that were read and judged but not taken.
	Explored []Node
	Edges    []Edge
	Seals    []Seal
	Rounds   int
	// Threshold is the longest gap that was walked across.
	Threshold time.Duration
	// Read is what a reader chose; nil if the choice is the affinity's.
	Read *Choice
}

// Messages returns the messages of nodes, in their order.
func Messages(nodes []Node) []Message {
	messages := make([]Message, len(nodes))
	for i := range nodes {
		messages[i] = *nodes[i].Message
	}
	return messages
}

// Node is a message in a graph with why it is there.
type Node struct {
	Message *Message // shared with the source, and never changed
	// Probability is the probability that the message belongs to the trigger's
	// conversation. It is 1 for explicit references and if there is no affinity, and 0
	// for explored messages that the affinity did not judge.
	Probability float64
	// Needed is the probability that the trigger needs the message to be answered, as far
	// as an affinity tells; otherwise it is 0.
	Needed float64
	// Reasons are all the ways that led to the message, in the order in which they were
	// found; Because orders them by weight. It is empty for explored messages that a
	// walk only passed.
	Reasons []Reason
}

// Reason is one way that led to a message.
type Reason struct {
	Kind ReasonKind
	// Round is 0 for seeds, and otherwise the number of the tik or tok round, from 1.
	// With an affinity it is the number of links between the trigger and the message.
	Round int
	From  MessageID // the message whose reference, neighbour or answer it is; zero for a seed
	// Reference is the kind of the edge that was followed, for ReasonReference and
	// ReasonAnswer.
	Reference ReferenceKind
	// Probability is that of the link, for an inferred reference, or that of the need.
	Probability float64
	// Gap is the time between the neighbours, for ReasonTemporal.
	Gap time.Duration
	By  string // who read, for ReasonRead
}

// ReasonKind is a kind of reason.
type ReasonKind uint8

// The kinds of reasons.
const (
	ReasonSeed ReasonKind = iota
	ReasonReference
	ReasonTemporal
	ReasonLineage // part of the path of an earlier response in this conversation
	ReasonAnswer  // the message answers From
	// ReasonRecalled is for a message that shares rare words with the trigger, or
	// was said around From, which does.
	ReasonRecalled
	// ReasonNeeded is for a message that the trigger may need; Probability tells how likely.
	ReasonNeeded
	// ReasonRead is for a message that the trigger needs according to a reader; By tells whom.
	ReasonRead
)

// Edge connects two messages of a graph.
type Edge struct {
	From, To MessageID // From answers To, is To's newer neighbour, or is To's newer version
	Kind     EdgeKind
	// Reference is the kind of reference, for EdgeReference.
	Reference   ReferenceKind
	State       ReferenceState
	Probability float64       // 1 unless inferred
	Gap         time.Duration // for EdgeTemporal
	// Edited is when the version in the graph replaced an earlier one, for
	// EdgeVersion: From and To are then the same message.
	Edited time.Time
	// Bound is the answer of heddle's own that was made from the earlier version, for
	// EdgeVersion where one is known; see Bind.
	Bound MessageID
}

// EdgeKind is a kind of edge.
type EdgeKind uint8

// The kinds of edges.
const (
	EdgeReference EdgeKind = iota
	EdgeTemporal
	EdgeVersion
)

// Seal is a direction of walking that was closed, and the reason.
type Seal struct {
	At        MessageID // the last message taken or passed on that side
	Channel   ChannelID
	Direction Direction
	Why       SealReason
	Round     int
	Beyond    MessageID     // the neighbour that was not taken, if any
	Gap       time.Duration // between At and Beyond, for SealGap
}

// SealReason is why a direction was closed.
type SealReason uint8

// The reasons of a seal.
const (
	SealGap        SealReason = iota // the gap is over the threshold
	SealAffinity                     // a stretch of neighbours belongs to other conversations
	SealChannel                      // the channel starts or ends here
	SealBudget                       // MAX_TOTAL or the source's bound is reached
	SealUnreadable                   // what follows may not be read
	SealTrigger                      // the trigger stands there
)
