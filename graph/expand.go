package graph

// Expand builds the graph of a trigger. The seeds come first. Then tik (following
// references) and tok (walking to neighbours) alternate until MaxTotal is reached or
// neither adds anything. With an affinity, Expand explores first, and then admits what
// most likely belongs to the trigger's conversation.
//
// The graph depends on what the source holds, not on the order of its reads. Every
// error is one of the source.
func Expand(source Source, trigger Message, options Options) (*Graph, error) {
	memory := options.Scratch.take()
	defer options.Scratch.put(memory)
	l := newLine(source, &trigger, options.bounded(), memory)
	x := &expansion{line: l, draft: newDraft(l), references: newReferences(l)}
	defer func() { memory.keep(x.draft, x.references) }()
	if x.draft.room() == 0 {
		return x.result(), nil
	}
	if err := l.readBack(l.options.recent()); err != nil {
		return nil, err
	}
	l.longest = l.threshold(l.options.TimeThreshold)
	if l.options.Affinity != nil {
		return weigh(l, x.draft, x.references)
	}
	return x.grow()
}

// expansion grows a graph without an affinity, round by round.
type expansion struct {
	*line
	draft      *draft
	references *references
	followed   int   // the references of the nodes before this one were followed
	ways       []way // of the round
}

// grow admits the seeds, and goes through rounds until nothing is added.
func (x *expansion) grow() (*Graph, error) {
	x.seed()
	for x.draft.room() > 0 {
		x.draft.round++
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

// seed admits the newest messages before the trigger, whatever the gaps.
func (x *expansion) seed() {
	at := 0
	for range x.options.MinLinear {
		older := x.entries[at].beside[Older]
		if older < 0 {
			break
		}
		x.draft.place(older, Reason{Kind: ReasonSeed, Probability: 1})
		x.entries[older].probability = 1
		x.draft.join(older, at)
		at = older
	}
}

// result closes what is still open and returns the graph.
func (x *expansion) result() *Graph {
	x.draft.closeAll()
	for ; x.followed < len(x.draft.nodes); x.followed++ {
		x.references.collect(x.draft.nodes[x.followed].entry, nil) // for their edges
	}
	return assemble(x.line, x.draft, x.references)
}
