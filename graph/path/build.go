package path

import (
	"time"

	"heddle/graph"
)

// Shape holds how a graph becomes a path.
type Shape struct {
	System  string // the system prompt, the path's root
	Tools   []Tool // none: the path holds no tool calls and results either
	Options Options

	Naming Naming // how speakers are told apart

	// SeesImages is set if the model can be shown pictures; otherwise they are named.
	SeesImages bool
	// Texts are the contents of text files that the model is shown, by attachment.
	// A file that was shown once should always be: paths extend each other then.
	Texts map[graph.AttachmentID]string

	// Answers are the records of heddle's own earlier answers, under the ids of the
	// messages that they were sent as: one of them is enough.
	Answers map[graph.MessageID]Answer
	Lineage Lineage

	// ArtifactWindow is how long after the last edit of an answer without a record a
	// file still counts as made by it.
	ArtifactWindow time.Duration
	Retention      Retention

	// Budget is the number of tokens that the path may take; 0 means no bound. Count
	// returns the tokens of a turn, and is called once for each. The system prompt and the
	// trigger stay whatever they take.
	Budget int
	Count  func(Turn) int
	// AtMost, where it is set, returns no less than Count, and is quicker. Nothing is
	// counted where all fits even so.
	AtMost func(Turn) int

	// Trace, where it is set, is told after each step how many messages are left,
	// the trigger not counted.
	Trace func(step string, messages int)
}

// Built is a path with what is to be known about how it was made.
type Built struct {
	Path Path
	Hash Hash // of the path

	// Messages are the messages behind the turns, oldest first, the trigger last,
	// and Positions where each stands, counted from 1 at the conversation's root.
	Messages  []graph.Message
	Positions []int
	// Cut is the position below which messages are left out to keep the budget.
	Cut int
	// Files are the files made in this conversation that Discord still has, oldest first.
	Files []Artifact

	// Names are the names of everybody behind a message.
	Names *Names

	// Left are the messages that the path leaves out, in the order in which they left.
	Left []Left
	// Checkpoint is the position below which a stretch of messages was left out as
	// uncertain or over the budget: the lineage's where nothing behind it left.
	Checkpoint int
	// Dropped is how many messages of the conversation were left out as uncertain or
	// over the budget, now and on the way here. A message that left earlier and is
	// found again is counted once.
	Dropped int

	behind []graph.MessageID // by turn
}

// Left is a message that was left out.
type Left struct {
	Message graph.MessageID
	Why     LeftReason

	draft *draft
}

// Source is the message itself.
func (l *Left) Source() *graph.Message { return l.draft.message }

// Turns are what the message would have been shown as, under names that are not told
// apart.
func (l *Left) Turns() []Turn { return l.draft.turns }

// LeftReason is why a message was left out.
type LeftReason uint8

// The reasons to leave a message out.
const (
	LeftFulfilled LeftReason = iota // the file that it asked for, or made, is there
	LeftUncertain                   // old, and not certain enough to be kept
	LeftOverBudget
)

// Build turns a graph's conversation and its trigger into a path, step by step.
func Build(g *graph.Graph, shape Shape) Built {
	s := newShaping(g, shape)
	for _, step := range steps() {
		step.do(s)
		if s.Trace != nil {
			s.Trace(step.name, s.messages())
		}
	}
	return s.built
}

// step is one of the things that are done to shape a path.
type step struct {
	name string
	do   func(*shaping)
}

// steps are all steps. What one leaves out the next does not see: what is fulfilled
// takes no room from what is not, and what is left out for lack of certainty none of
// the budget.
func steps() []step {
	return []step{
		{"filter", (*shaping).filter},
		{"retain", (*shaping).retain},
		{"truncate", (*shaping).truncate},
		{"order", (*shaping).order},
		{"hash", (*shaping).hash},
	}
}

// order puts the system prompt first, then what is left as it was said, an answer
// directly behind its request, the trigger last.
func (s *shaping) order() {
	s.name()
	turns := make([]Turn, 1, len(s.drafts)+2)
	turns[0] = systemTurn(s.System)
	s.built.behind = make([]graph.MessageID, 1, len(s.drafts)+2)
	n := s.messages() + 1
	s.built.Messages, s.built.Positions = make([]graph.Message, 0, n), make([]int, 0, n)
	for d := range s.kept() {
		turns = append(turns, d.turns...)
		for range d.turns {
			s.built.behind = append(s.built.behind, d.message.ID)
		}
		s.built.Messages = append(s.built.Messages, *d.message)
		s.built.Positions = append(s.built.Positions, d.position)
	}
	s.built.Path = Path{Turns: turns, Tools: s.Tools, Options: s.Options}
}

func (s *shaping) hash() { s.built.Hash = s.built.Path.Hash() }

func systemTurn(prompt string) Turn {
	return Turn{Role: RoleSystem, Parts: []Part{Text(validText(prompt))}}
}
