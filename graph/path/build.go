package path

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/graph"
)

// Shape defines how a graph becomes a path.
type Shape struct {
	System  string // the system prompt, the path's root
	Tools   []Tool // none: tool calls and results are left out of the path, too
	Options Options

	Naming Naming // how speakers are distinguished

	// SeesImages is set if the model sees pictures. Otherwise it is told their names.
	SeesImages bool

	// Answers are the records of heddle's earlier answers, each by the id of one of its
	// messages.
	Answers map[graph.MessageID]Answer
	Lineage Lineage

	// ArtifactWindow is the time after the last edit of an answer without a record in
	// which a file counts as made by it.
	ArtifactWindow time.Duration
	Retention      Retention

	// Budget bounds the tokens of the path; 0 means no bound. Count returns the tokens
	// of a turn and is called once for each. The system prompt and the trigger always
	// stay, whatever their size.
	Budget int
	Count  func(Turn) int
}

// Built is a path with the messages behind it and what it leaves out.
type Built struct {
	Path Path

	// Messages are the messages behind the turns, oldest first, the trigger last.
	// Positions are their positions, counted from 1 at the beginning of the
	// conversation.
	Messages  []graph.Message
	Positions []int
	// Cut is the position below which messages were left out to fit the budget.
	Cut int
	// Files are the files made in this conversation that Discord still has, oldest first.
	Files []Artifact

	// Names are the names of the authors of all messages.
	Names *Names

	// Left are the messages that were left out of the path, in the order of leaving.
	Left []Left
	// Checkpoint is the position below which a stretch of messages was left out, as
	// uncertain or over the budget. It is the lineage's if no later message was.
	Checkpoint int
	// Dropped is the number of messages of the conversation that were left out as
	// uncertain or over the budget, now and on earlier paths. A message that was left
	// out before and is found again counts once.
	Dropped int

	// TurnMessages are the messages behind the turns, or 0 for the system prompt and other
	// turns without one. A recorded answer with tool calls has several turns.
	TurnMessages []graph.MessageID
}

// Left is a message that was left out.
type Left struct {
	Message *graph.Message
	Why     LeftReason

	turns []Turn // of the message
	late  bool   // its position is shared with an earlier message
}

// LeftReason is why a message was left out.
type LeftReason string

// The reasons to leave a message out, which are stored.
const (
	LeftFulfilled  LeftReason = "fulfilled"   // the file that it requested or made exists
	LeftUncertain  LeftReason = "uncertain"   // it is old and not certain enough to be kept
	LeftOverBudget LeftReason = "over budget" // it did not fit
)

// Build turns a graph's conversation and its trigger into a path: the system prompt first,
// then the remaining messages in their order, each answer right behind its request, and the
// trigger last. Each step sees only what the previous ones left: fulfilled messages take no
// room from others, and uncertain ones take none of the budget.
func Build(g *graph.Graph, shape Shape) Built {
	s := &shaping{Shape: shape}
	s.built.Cut, s.built.Checkpoint, s.built.Dropped = s.Lineage.Cut, s.Lineage.Checkpoint, s.Lineage.Dropped
	s.draft(g)
	s.number()
	s.group(&g.Trigger)
	s.filter()
	s.retain()
	s.truncate()
	s.name()
	turns := []Turn{systemTurn(s.System)}
	s.built.TurnMessages = []graph.MessageID{0}
	for d := range s.kept() {
		turns = append(turns, d.turns...)
		for range d.turns {
			s.built.TurnMessages = append(s.built.TurnMessages, d.message.ID)
		}
		s.built.Messages = append(s.built.Messages, *d.message)
		s.built.Positions = append(s.built.Positions, d.position)
	}
	s.built.Path = Path{Turns: turns, Tools: s.Tools, Options: s.Options}
	return s.built
}

func systemTurn(prompt string) Turn {
	return Turn{Role: RoleSystem, Parts: []Part{Text(validText(prompt))}}
}

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

// unit is a group of messages that stay or leave together: a request with its answers, or a
// message that belongs to no answer.
type unit struct {
	drafts []draft
	// repliedTo reports whether the trigger replies to a message of the unit.
	repliedTo bool
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

// turns returns the turns of a message, or none if there is nothing to show.
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

// turnOf returns a message as one turn, with pictures for a model that sees them. A spoiler is
// named unless it was read. A drawing in SVG is a text.
func (s *shaping) turnOf(message *graph.Message) Turn {
	turn := TurnOf(*message, "")
	for i, part := range turn.Parts {
		file, ok := part.(File)
		if !ok || !s.SeesImages || turn.Role != RoleUser || file.Spoiler && file.Content.Hash == (Hash{}) {
			continue
		}
		if strings.HasPrefix(file.Type, "image/") && !strings.HasPrefix(file.Type, "image/svg") {
			turn.Parts[i] = Image{Content: file.Content, Type: file.Type}
		}
	}
	return turn
}

// number assigns positions: the one in the lineage or, behind the end of the lineage,
// the next one. A new message before that end shares the position of the one before it,
// so that no other message moves.
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

// group groups the messages with the same anchor as units. The trigger is a unit of its own.
func (s *shaping) group(trigger *graph.Message) {
	last := len(s.drafts) - 1
	s.trigger = unit{drafts: s.drafts[last:]}
	for from := 0; from < last; {
		to := from + 1
		anchor := s.drafts[from].message.Position().Anchor
		for to < last && s.drafts[to].message.Position().Anchor == anchor {
			to++
		}
		u := unit{drafts: s.drafts[from:to]}
		u.repliedTo = slices.ContainsFunc(u.drafts, func(d draft) bool { return repliesTo(trigger, d.message) })
		s.units = append(s.units, u)
		from = to
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
// since the last call.
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
