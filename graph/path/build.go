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
	// Texts are the contents of the text files that the model is shown, by attachment.
	// Once a file was shown, later paths of the conversation should show it again, as
	// they otherwise do not extend the earlier ones.
	Texts map[graph.AttachmentID]string

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
	// AtMost, if set, is a faster function that returns at least as much as Count. If
	// everything fits by its numbers, nothing is counted.
	AtMost func(Turn) int
	// Exact, where it is set, returns the Budget, which then holds what it is at least. It
	// is called once, before anything is counted.
	Exact func() int

	// Trace, if set, is called after each step with the number of messages left, not
	// counting the trigger.
	Trace func(step string, messages int)
}

// Built is a path together with how it was made.
type Built struct {
	Path Path
	Hash Hash // of the path

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

	behind []graph.MessageID // by turn
	digest digest            // of the path
}

// Rehash computes the hashes of the path anew. It must be called after the path was
// changed.
func (b *Built) Rehash() {
	b.digest = b.Path.digest()
	b.Hash = b.digest.hash()
}

// Left is a message that was left out.
type Left struct {
	Message graph.MessageID
	Why     LeftReason

	draft *draft
}

// Source returns the message.
func (l *Left) Source() *graph.Message { return l.draft.message }

// Turns returns the turns that the message would have been shown as. They use the names
// of speakers as they are, even if two are alike.
func (l *Left) Turns() []Turn { return l.draft.turns }

// LeftReason is why a message was left out.
type LeftReason uint8

// The reasons to leave a message out.
const (
	LeftFulfilled LeftReason = iota // the file that it asked for or made exists
	LeftUncertain                   // it is old and not certain enough to be kept
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

// step is one of the steps that shape a path.
type step struct {
	name string
	do   func(*shaping)
}

// steps returns all steps in order. Each step sees only what the previous ones left:
// fulfilled messages take no room from others, and uncertain ones take none of the
// budget.
func steps() []step {
	return []step{
		{"filter", (*shaping).filter},
		{"retain", (*shaping).retain},
		{"truncate", (*shaping).truncate},
		{"order", (*shaping).order},
		{"hash", (*shaping).hash},
	}
}

// order puts the system prompt first, then the remaining messages as they were said,
// each answer directly behind its request, and the trigger last.
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

func (s *shaping) hash() { s.built.Rehash() }

func systemTurn(prompt string) Turn {
	return Turn{Role: RoleSystem, Parts: []Part{Text(validText(prompt))}}
}
