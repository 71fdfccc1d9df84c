package graph

import "time"

// Expand builds the graph of a trigger: seeds first, then tik (following
// references) and tok (walking to neighbours) in turn, until MaxTotal is reached or
// neither adds anything. With an affinity it explores first, and admits what most
// likely belongs to the trigger's conversation. The graph depends on what the
// source holds, not on the order in which it reads. An error is the source's.
func Expand(source Source, trigger Message, options Options) (*Graph, error) {
	x := newExpansion(source, &trigger, options.bounded())
	if x.room() == 0 {
		return x.result(), nil
	}
	if err := x.readBack(x.options.recent()); err != nil {
		return nil, err
	}
	x.longest = x.threshold(x.options.TimeThreshold)
	if x.options.Affinity != nil {
		return x.weigh()
	}
	x.seed()
	for x.room() > 0 {
		x.round++
		followed, err := x.tik()
		if err != nil {
			return nil, err
		}
		walked, err := x.tok()
		if err != nil {
			return nil, err
		}
		if !followed && !walked {
			break
		}
	}
	return x.result(), nil
}

// expansion is a graph under construction.
type expansion struct {
	*line
	options Options
	longest time.Duration // the longest gap to walk across
	round   int

	nodes      []node      // the trigger first, then in the order of their admission
	reasons    []Reason    // the first of each node
	followed   int         // the nodes before this one have had their references followed
	references []reference // of the nodes, as they were followed
	joints     []joint
	seals      []Seal
	refused    []way // ways to what did not fit

	ways    []way  // of the round
	walks   []Walk // of the round
	walkers []int  // entries that the walks start from
}

// node is a message in the graph.
type node struct {
	entry   int
	reasons []Reason
	// closed holds by Direction which sides need no more walking: they are sealed
	// or lead to another node.
	closed     [2]bool
	background bool
	rank       int // by Position, once the graph is done
}

// joint connects two nodes that stand next to each other, both given as entries.
type joint struct {
	older, newer int
	gap          time.Duration
}

func newExpansion(source Source, trigger *Message, options Options) *expansion {
	x := &expansion{
		line:    newLine(source, trigger, options.recent()+2*options.MaxTotal),
		options: options,
		nodes:   make([]node, 0, options.MaxTotal+1),
		reasons: make([]Reason, 0, options.MaxTotal+1),
		joints:  make([]joint, 0, options.MaxTotal+1),
	}
	x.place(0, Reason{})
	x.nodes[0].closed[Newer] = true
	return x
}

// room is how many messages may still be admitted.
func (x *expansion) room() int { return x.options.MaxTotal + 1 - len(x.nodes) }

// place makes an entry a node. The first reasons of all nodes share one array.
func (x *expansion) place(at int, reason Reason) {
	x.entries[at].node = len(x.nodes)
	x.reasons = append(x.reasons, reason)
	end := len(x.reasons)
	x.nodes = append(x.nodes, node{entry: at, reasons: x.reasons[end-1 : end : end]})
}

// seed admits the newest messages before the trigger, whatever the gaps.
func (x *expansion) seed() {
	at := 0
	for range x.options.MinLinear {
		older := x.entries[at].beside[Older]
		if older < 0 {
			break
		}
		x.place(older, Reason{Kind: ReasonSeed, Probability: 1})
		x.entries[older].probability = 1
		x.join(older, at)
		at = older
	}
}

// readBack reads the messages before the trigger: so many, or as many as there are.
func (x *expansion) readBack(wanted int) error {
	for at, held := 0, 0; held < wanted; {
		m := x.entries[at].message
		reading, err := x.read(Batch{Walks: []Walk{{
			Channel: m.Channel, From: m.Position(), Direction: Older, Limit: wanted - held,
		}}})
		if err != nil {
			return err
		}
		x.learn(at, Older, &reading.Stretches[0])
		for x.entries[at].beside[Older] >= 0 {
			at = x.entries[at].beside[Older]
			held++
		}
		if x.entries[at].beside[Older] != besideUnknown {
			break
		}
	}
	return nil
}
