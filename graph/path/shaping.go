package path

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/graph"
)

// shaping is a path under construction.
type shaping struct {
	Shape
	drafts  []draft // all messages with something to show, the trigger last
	units   []unit  // those that are left, oldest first, without the trigger
	trigger unit
	built   Built // Names is nil until all remaining speakers are named
}

// draft is a message that becomes turns.
type draft struct {
	message  *graph.Message
	node     *graph.Node // nil for the trigger
	record   Answer
	recorded bool
	turns    []Turn
	position int  // counted from the beginning of the conversation
	known    bool // the position comes from the lineage
	late     bool // the position is shared with an earlier message
	tokens   int  // -1 until counted

	made      []Artifact // the files that it made and Discord still has
	fulfilled bool       // they are what its request asked for
	asked     bool       // the trigger replies to it, or to the message with its file
}

// unit is what stays or leaves together: a request with its answers, or a message that
// belongs to no answer.
type unit struct {
	drafts []draft
	// repliedTo reports whether the trigger replies to a message of the unit.
	repliedTo bool
}

// newShaping makes drafts of a conversation's messages, numbers them, and groups those
// with the same anchor as units. The trigger is a unit of its own.
func newShaping(g *graph.Graph, shape Shape) *shaping {
	s := &shaping{Shape: shape}
	s.draft(g)
	s.number()
	s.built.Cut, s.built.Checkpoint, s.built.Dropped = shape.Lineage.Cut, shape.Lineage.Checkpoint, shape.Lineage.Dropped
	last := len(s.drafts) - 1
	s.trigger = unit{drafts: s.drafts[last:]}
	for from := 0; from < last; {
		to := from + 1
		anchor := s.drafts[from].message.Position().Anchor
		for to < last && s.drafts[to].message.Position().Anchor == anchor {
			to++
		}
		u := unit{drafts: s.drafts[from:to]}
		u.repliedTo = slices.ContainsFunc(u.drafts, func(d draft) bool { return repliesTo(&g.Trigger, d.message) })
		s.units = append(s.units, u)
		from = to
	}
	return s
}

// draft makes turns of every message of the conversation that has something to show,
// ordered by position, and of the trigger.
func (s *shaping) draft(g *graph.Graph) {
	hidden := s.alternatives(g)
	for i := range g.Conversation {
		node := &g.Conversation[i]
		if hidden[node.Message.ID] {
			continue
		}
		d := draft{message: node.Message, node: node, tokens: -1}
		d.record, d.recorded = s.answer(d.message)
		if d.recorded && d.record.Trigger != 0 && d.record.Trigger != d.message.Answers {
			placed := *d.message
			placed.Answers = d.record.Trigger
			d.message = &placed
		}
		if d.message.ID == g.Trigger.ID || d.message.Answers == g.Trigger.ID && d.message.Answers != 0 {
			continue
		}
		if d.turns = s.turns(&d); len(d.turns) > 0 {
			s.drafts = append(s.drafts, d)
		}
	}
	slices.SortStableFunc(s.drafts, func(a, b draft) int { return a.message.Position().Compare(b.message.Position()) })
	s.drafts = append(s.drafts, draft{message: &g.Trigger, tokens: -1, turns: []Turn{s.turnOf(&g.Trigger)}})
}

// turns returns the turns that a message is shown as, or none if there is nothing to
// show.
func (s *shaping) turns(d *draft) []Turn {
	if len(d.record.Turns) > 0 {
		shown := spoken
		if len(s.Tools) > 0 {
			shown = transcript
		}
		if turns := shown(d.record.Turns); len(turns) > 0 {
			return turns
		}
	}
	if turn := s.turnOf(d.message); len(turn.Parts) > 0 {
		return []Turn{turn}
	}
	return nil
}

// turnOf returns a message as one turn, with pictures for a model that sees.
func (s *shaping) turnOf(message *graph.Message) Turn {
	turn := TurnOf(*message, "")
	for i, part := range turn.Parts {
		if file, ok := part.(File); ok && s.SeesImages && turn.Role == RoleUser && strings.HasPrefix(file.Type, "image/") {
			turn.Parts[i] = Image{Content: file.Content, Type: file.Type}
		}
	}
	return turn
}

// number assigns positions: the one in the lineage or, behind the end of the lineage,
// the next one. A message before that end which is found late shares the position of
// the one before it, so that no other message moves.
func (s *shaping) number() {
	end := -1
	for i := range s.drafts {
		if p := s.Lineage.Positions[s.drafts[i].message.ID]; p > 0 {
			s.drafts[i].position, s.drafts[i].known = p, true
			end = i
		}
	}
	position := 0
	for i := range s.drafts {
		d := &s.drafts[i]
		switch {
		case d.known:
			position = max(position, d.position)
		case i > end:
			position++
		default:
			d.late = true
		}
		d.position = position
	}
}

// kept iterates over the remaining drafts, the trigger last.
func (s *shaping) kept() iter.Seq[*draft] {
	return func(yield func(*draft) bool) {
		for _, u := range append(slices.Clip(s.units), s.trigger) {
			for k := range u.drafts {
				if !yield(&u.drafts[k]) {
					return
				}
			}
		}
	}
}

// messages returns the number of remaining messages, not counting the trigger.
func (s *shaping) messages() int {
	n := 0
	for i := range s.units {
		n += len(s.units[i].drafts)
	}
	return n
}

// leave leaves out the units for which gone returns true, and records why.
func (s *shaping) leave(why LeftReason, gone func(i int, u *unit) bool) {
	left := s.units[:0]
	for i := range s.units {
		u := &s.units[i] // left ends before it, so that it is still whole
		if !gone(i, u) {
			left = append(left, *u)
			continue
		}
		s.built.Names = nil
		for k := range u.drafts {
			d := &u.drafts[k]
			s.built.Left = append(s.built.Left, Left{d.message, why, d.turns, d.late})
			if why != LeftFulfilled && !d.late {
				s.built.Checkpoint = max(s.built.Checkpoint, d.position+1)
				s.built.Dropped++
			}
		}
	}
	s.units = left
}

// name names the remaining speakers so that no two are alike, if any speaker has left
// since that was last done.
func (s *shaping) name() {
	if s.built.Names != nil {
		return
	}
	names := s.Naming.Names()
	s.built.Names = names
	for d := range s.kept() {
		name := names.Of(d.message)
		for i := range d.turns {
			if t := &d.turns[i]; t.Role == RoleUser && t.Speaker != name {
				t.Speaker, d.tokens = name, -1
			}
		}
	}
}

// first returns the position at which a unit begins, and last the one at which it ends.
func (u *unit) first() int { return u.drafts[0].position }
func (u *unit) last() int  { return u.drafts[len(u.drafts)-1].position }

// chars returns the number of characters (Unicode code points) of a unit's texts.
func (u *unit) chars() int {
	n := 0
	for i := range u.drafts {
		for k := range u.drafts[i].turns {
			for _, part := range u.drafts[i].turns[k].Parts {
				n += utf8.RuneCountInString(words(part))
			}
		}
	}
	return n
}
