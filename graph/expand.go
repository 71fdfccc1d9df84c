package graph

// Expand builds the graph of a trigger. The seeds come first. Then tik (following
// references) and tok (walking to neighbours) alternate until nothing more is reached or
// there is no room. Then what was reached is admitted: all of it without an affinity, and
// otherwise what most likely belongs to the trigger's conversation.
//
// The graph depends on what the source holds, not on the order of its reads. Every
// error is one of the source.
func Expand(source Source, trigger Message, options Options) (*Graph, error) {
	d := newDraft(newLine(source, &trigger, options.bounded()))
	x := &expansion{draft: d, references: &references{draft: d}}
	x.judging = &judging{line: d.line, exploration: &exploration{draft: d, references: x.references}}
	if d.options.MaxTotal > 0 {
		if err := d.readBack(d.options.recent()); err != nil {
			return nil, err
		}
		d.longest = d.threshold(d.options.TimeThreshold)
		d.seed()
		if err := x.grow(); err != nil {
			return nil, err
		}
		if d.judged {
			a := &admission{line: d.line, draft: d, references: x.references, judging: x.judging}
			a.admit()
		}
	}
	r := &assembly{line: d.line, draft: d, references: x.references, judging: x.judging}
	return r.result(), nil
}

// expansion is a graph that grows round by round.
type expansion struct {
	draft      *draft
	references *references
	judging    *judging
}

// grow goes through rounds until nothing is reached any more. If there is an affinity, it
// judges whenever they come to an end, so that a chain of replies costs one judgement, and
// they go on if that shows more.
func (x *expansion) grow() error {
	for x.draft.room() > 0 {
		x.draft.round++
		followed, err := x.tik()
		if err != nil {
			return err
		}
		walked, err := x.tok()
		if err != nil {
			return err
		}
		if (followed || walked) && x.draft.room() > 0 {
			continue
		}
		if judged, err := x.judging.judge(); err != nil || !judged {
			return err
		}
	}
	return nil
}

// tik follows, one level deep, every reference that was not followed yet of the messages
// that were reached, and the links that an affinity found. It reports whether it reached
// anything new.
func (x *expansion) tik() (reached bool, err error) {
	x.draft.ways = x.draft.ways[:0]
	if err := x.references.follow(); err != nil {
		return false, err
	}
	x.judging.followLinks()
	return x.draft.reach(), nil
}
