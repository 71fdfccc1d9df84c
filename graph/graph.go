// Package graph separates the conversations of a channel: from a trigger it builds the
// graph of the messages that belong to the trigger's conversation.
//
// It is pure. It reads through a Source that its caller passes in, has no clock, starts
// no goroutine and imports only the standard library. The same input gives the same
// graph, whatever the order in which messages were fetched.
//
// # How a graph grows
//
// Expand (expand.go) starts from the seeds and goes through rounds until it reaches
// nothing more: tik follows references, tok (walk.go) walks to neighbours. Of the ways
// that either finds, the best are taken while there is room. A walk ends in a Seal.
// Reads (source.go) ask for more than the next step needs, so that a conversation takes
// few of them. A message that was read ahead counts only once a round reaches it.
//
// An Affinity judges (judge.go) whenever the rounds come to an end, and they go on if
// that shows more. Its evidence is the messages right before the trigger, whatever the
// gaps, and the neighbours of each older message that references led to. Tik then also
// follows likely links, and tok walks past messages of other conversations. Neither
// starts from those. forests.go turns the links into the probability of each message to
// belong to the trigger's conversation. admit.go takes the trigger's references, and
// then the likeliest messages as long as the expected F-measure grows, each with its own
// references. background.go adds what else the trigger may need.
//
// Part (part.go) divides all of a stretch into conversations instead, by the same links.
package graph

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Graph is the result of Expand: the conversation before a trigger, with the reasons for
// each of its messages.
type Graph struct {
	Trigger Message
	// Conversation holds the messages of the trigger's conversation, oldest first by
	// Position, without the trigger.
	Conversation []Node
	// Background holds what is sent along with the conversation, in the same order: seeds
	// of other conversations, messages around the targets of references, and messages
	// that the trigger may need. It is empty without an affinity.
	Background []Node
	// Recalled holds older messages that share rare words with the trigger and are quoted
	// for that reason, in the same order. Expand leaves it empty.
	Recalled []Node
	// Explored holds the messages that were judged but not taken.
	Explored []Node
	Edges    []Edge
	Seals    []Seal
	Rounds   int
	// Threshold is the longest gap that a walk crosses.
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

// Node is a message of a graph with the reasons for it.
type Node struct {
	Message *Message // shared with the source, and never changed
	// Probability is the probability of belonging to the trigger's conversation. It is 1
	// for explicit references and without an affinity, and 0 for explored messages that
	// the affinity did not judge.
	Probability float64
	// Needed is the probability that an answer to the trigger needs the message. It is 0
	// where the affinity does not tell.
	Needed float64
	// Reasons are all the ways that led to the message, in the order of their discovery;
	// Because orders them by weight. It is empty for explored messages that a walk only
	// passed.
	Reasons []Reason
}

// Reason is one way that led to a message.
type Reason struct {
	Kind ReasonKind
	// Round is 0 for seeds, and otherwise the number of the tik or tok round, from 1.
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

// String returns the kind in one word.
func (k ReasonKind) String() string {
	return nameOf(k, "seed", "reference", "temporal", "lineage", "answer", "recalled", "needed", "read")
}

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

// String returns the kind in one word.
func (k EdgeKind) String() string { return nameOf(k, "reference", "temporal", "version") }

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

// String returns the reason in one word.
func (r SealReason) String() string {
	return nameOf(r, "gap", "affinity", "channel", "budget", "unreadable", "trigger")
}

// nameOf returns the name at an index, or the index if it has no name.
func nameOf[K ~uint8](k K, names ...string) string {
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown " + strconv.Itoa(int(k))
}

// Because returns the reasons for a message, the deciding one first. An explicit
// reference outweighs the context of an earlier answer, which outweighs what a reader
// chose, then an inferred link, a need, and the message's place in the channel. Of reasons
// of equal weight the likelier comes first, then the earlier one. Links too unlikely to be
// shown are left out if there is another reason.
func (n *Node) Because() []Reason {
	reasons := slices.Clone(n.Reasons)
	slices.SortStableFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(b.Probability, a.Probability))
	})
	for len(reasons) > 1 && reasons[len(reasons)-1].Weak() {
		reasons = reasons[:len(reasons)-1]
	}
	return reasons
}

// The weights of reasons, in ascending order.
const (
	weightWeak     = iota // an inferred link that is too unlikely to be shown
	weightPlace           // among the newest, or next to another message
	weightNeeded          // what the trigger may need
	weightInferred        // a likely link
	weightRead            // what a reader chose
	weightLineage
	weightExplicit
)

// explainable is the least probability of an inferred link that is shown.
const explainable = 0.1

// weight returns one of the weights above.
func (r *Reason) weight() int {
	switch r.Kind {
	case ReasonLineage:
		return weightLineage
	case ReasonSeed, ReasonTemporal, ReasonRecalled:
		return weightPlace
	case ReasonNeeded:
		return weightNeeded
	case ReasonRead:
		return weightRead
	case ReasonReference, ReasonAnswer:
	}
	switch {
	case r.Reference != ReferenceInferred:
		return weightExplicit
	case r.Probability >= explainable:
		return weightInferred
	}
	return weightWeak
}

// Weak reports whether a reason is an inferred link that is too unlikely to be shown.
func (r *Reason) Weak() bool { return r.weight() == weightWeak }

// isLink reports whether a reason is a reference or an inferred link.
func (r *Reason) isLink() bool { return r.Kind == ReasonReference || r.Kind == ReasonAnswer }

// Join admits the sources of an earlier answer, which the trigger replies to, as certain, so
// that a follow-up is answered from the same messages. A message of the conversation gets one
// more reason; one that is background or explored moves into the conversation. Join leaves
// out system messages, the trigger and anything behind it. From then on the graph refers
// to the messages of lineage, so they must not change.
func (g *Graph) Join(answer MessageID, lineage []Message) {
	joining := make(map[MessageID]bool, len(lineage))
	end := g.Trigger.Position()
	for i := range lineage {
		m := &lineage[i]
		joining[m.ID] = !m.System && m.ID != g.Trigger.ID && m.Position().Compare(end) < 0
	}
	reason := Reason{Kind: ReasonLineage, From: answer, Probability: 1}
	g.joinHeld(reason, joining)
	for i := range lineage {
		if m := &lineage[i]; joining[m.ID] {
			joining[m.ID] = false
			g.Conversation = append(g.Conversation, Node{Message: m, Probability: 1, Reasons: []Reason{reason}})
		}
	}
	slices.SortStableFunc(g.Conversation, byPosition)
}

// JoinHeld is Join for messages of which only the ids are known. It returns those that
// the graph does not hold.
func (g *Graph) JoinHeld(answer MessageID, lineage []MessageID) (missing []MessageID) {
	joining := make(map[MessageID]bool, len(lineage))
	for _, id := range lineage {
		joining[id] = id != g.Trigger.ID
	}
	g.joinHeld(Reason{Kind: ReasonLineage, From: answer, Probability: 1}, joining)
	slices.SortStableFunc(g.Conversation, byPosition)
	for _, id := range lineage {
		if joining[id] {
			missing = append(missing, id)
		}
	}
	return missing
}

// joinHeld admits those of the joining messages that the graph holds, at the end of the
// conversation, and removes them from joining.
func (g *Graph) joinHeld(reason Reason, joining map[MessageID]bool) {
	join := func(n *Node) bool {
		joins := joining[n.Message.ID]
		if joins {
			joining[n.Message.ID] = false
			n.Probability = 1
			n.Reasons = append(slices.Clip(n.Reasons), reason)
		}
		return joins
	}
	for i := range g.Conversation {
		join(&g.Conversation[i])
	}
	for _, nodes := range []*[]Node{&g.Background, &g.Explored} {
		stay := (*nodes)[:0]
		for i := range *nodes {
			if n := &(*nodes)[i]; join(n) {
				g.Conversation = append(g.Conversation, *n)
			} else {
				stay = append(stay, *n)
			}
		}
		clear((*nodes)[len(stay):])
		*nodes = stay
	}
}

// Carry admits sources of an earlier answer that the trigger does not reply to, each with its
// probability of belonging. It leaves out what less likely belongs than not, and whatever was
// judged: the links through that answer are part of its probability. So one question across
// two conversations does not merge them (finding 5).
func (g *Graph) Carry(answer MessageID, sources []Node) {
	judged := make(map[MessageID]bool)
	for _, n := range slices.Concat(g.Conversation, g.Background, g.Explored) {
		judged[n.Message.ID] = n.Probability > 0
	}
	for _, n := range sources {
		if m := n.Message; n.Probability >= 0.5 && !judged[m.ID] && !m.System && m.Position().Compare(g.Trigger.Position()) < 0 {
			judged[m.ID] = true
			n.Reasons = []Reason{{Kind: ReasonLineage, From: answer, Probability: n.Probability}}
			g.Conversation = append(g.Conversation, n)
			g.Explored = slices.DeleteFunc(g.Explored, func(n Node) bool { return n.Message.ID == m.ID })
		}
	}
	slices.SortStableFunc(g.Conversation, byPosition)
}

func byPosition(a, b Node) int { return a.Message.Position().Compare(b.Message.Position()) }

// Recall sets the recalled messages, oldest first. They are no longer explored.
func (g *Graph) Recall(nodes []Node) {
	g.Recalled = nodes
	g.Explored = slices.DeleteFunc(g.Explored, func(n Node) bool {
		return slices.ContainsFunc(nodes, func(r Node) bool { return r.Message.ID == n.Message.ID })
	})
}

// Bind records the versions of messages that an answer of heddle's own was made from.
// made returns the Edited of a message's version, and reports whether the answer was made
// from the message. If the graph holds a newer version of such a message, Bind adds a
// version edge from it to the version of the answer, which may repeat what the message no
// longer says.
func (g *Graph) Bind(answer MessageID, made func(MessageID) (edited time.Time, known bool)) {
	for _, n := range slices.Concat(g.Conversation, g.Background) {
		m := n.Message
		if m.Edited.IsZero() || m.ID == answer {
			continue
		}
		from, known := made(m.ID)
		if !known || !m.Edited.After(from) {
			continue
		}
		bound := Edge{
			From: m.ID, To: m.ID, Kind: EdgeVersion, State: ReferenceResolved, Probability: 1, Edited: m.Edited, Bound: answer,
		}
		at := slices.IndexFunc(g.Edges, func(e Edge) bool {
			return e.Kind == EdgeVersion && e.From == m.ID && (e.Bound == 0 || e.Bound == answer)
		})
		if at < 0 {
			g.Edges = append(g.Edges, bound)
		} else {
			g.Edges[at] = bound
		}
	}
}
