package path

import (
	"time"

	"heddle/graph"
)

// Shape defines how a graph becomes a path.
type Shape struct {
	System  string // the system prompt, the path's root
	Tools   []Tool // none: tool calls and results are left out of the path, too
	Options Options

	Naming Naming // how speakers are distinguished

	// SeesImages is set if the model can be shown pictures. Otherwise it is told their
	// names.
	SeesImages bool

	// Answers are the records of heddle's earlier answers, by the id of one of the
	// messages that each was sent as.
	Answers map[graph.MessageID]Answer
	Lineage Lineage

	// ArtifactWindow is how long after the last edit of an answer without a record a
	// file counts as made by it.
	ArtifactWindow time.Duration
	Retention      Retention

	// Budget bounds the tokens of the path; 0 means no bound. Count returns the tokens
	// of a turn and is called once for each. The system prompt and the trigger always
	// stay, whatever their size.
	Budget int
	Count  func(Turn) int
}

// Built is a path together with how it was made.
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

	// Left are the messages that were left out of the path, in the order in which that
	// happened.
	Left []Left
	// Checkpoint is the position below which a stretch of messages was left out, as
	// uncertain or over the budget. It is the lineage's if no later message was.
	Checkpoint int
	// Dropped is the number of messages of the conversation that were left out as
	// uncertain or over the budget, now and on earlier paths. A message that was left
	// out before and is found again counts once.
	Dropped int

	// TurnMessages are the messages behind the turns, or 0 for the system prompt and other
	// turns without one. A recorded answer may have several turns, because of the tools that
	// it called.
	TurnMessages []graph.MessageID
}

// Left is a message that was left out.
type Left struct {
	Message *graph.Message
	Why     LeftReason

	turns []Turn // that it would have been shown as
	late  bool   // its position is shared with an earlier message
}

// LeftReason is why a message was left out.
type LeftReason string

// The reasons to leave a message out, which are stored.
const (
	LeftFulfilled  LeftReason = "fulfilled"   // the file that it asked for or made exists
	LeftUncertain  LeftReason = "uncertain"   // it is old and not certain enough to be kept
	LeftOverBudget LeftReason = "over budget" // it did not fit
)

// Build turns a graph's conversation and its trigger into a path. Each step sees only what
// the previous ones left: fulfilled messages take no room from others, and uncertain ones
// take none of the budget.
func Build(g *graph.Graph, shape Shape) Built {
	s := newShaping(g, shape)
	s.filter()
	s.retain()
	s.truncate()
	s.order()
	return s.built
}

// order puts the system prompt first, then the remaining messages as they were said,
// each answer directly behind its request, and the trigger last.
func (s *shaping) order() {
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
}

func systemTurn(prompt string) Turn {
	return Turn{Role: RoleSystem, Parts: []Part{Text(validText(prompt))}}
}
