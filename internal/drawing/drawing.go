// Package drawing describes the context and the request of an answer, in the form that
// the pages of heddle try and of the dashboard draw.
package drawing

import (
	"encoding/json"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/explain"
)

// Settings is what a drawing needs in addition to a graph and its path.
type Settings struct {
	Expand graph.Options
	Count  func(path.Turn) int // nil: tokens are not counted
	Budget int                 // of tokens; 0 for none
}

// Drawing is everything that a page draws for one context.
type Drawing struct {
	Graph  json.RawMessage                  `json:"graph"` // as graph.FormatJSON
	Lanes  map[graph.MessageID]explain.Lane `json:"lanes"` // without messages that are alone in their talk
	Path   Path                             `json:"path"`
	Beside []Beside                         `json:"beside"` // what simpler strategies take
	// Alternatives are the stored answers to the question, oldest first.
	Alternatives []Alternative `json:"alternatives"`
}

// Alternative is one of the answers to a question.
type Alternative struct {
	Model    string            `json:"model"`
	At       time.Time         `json:"at"`       // when it was given
	Response path.Hash         `json:"response"` // response_hash
	Path     path.Hash         `json:"path"`     // path_hash
	Shown    []graph.MessageID `json:"shown"`    // the first messages of the answers that show it
}

// Path describes how a conversation became a request to the model.
type Path struct {
	Recorded bool      `json:"recorded"` // it was sent; otherwise it would be sent if the question were asked now
	Steps    []Step    `json:"steps"`
	Turns    []Turn    `json:"turns"`
	Tail     *Turn     `json:"tail,omitempty"` // what follows the path; nil if it is not known
	Tokens   int       `json:"tokens"`         // of the turns and the tail
	Budget   int       `json:"budget"`         // 0 for none
	Hash     path.Hash `json:"hash"`
}

// Step is a step with the messages that it left out.
type Step struct {
	Name string            `json:"name"` // filter, retain or truncate
	Left []graph.MessageID `json:"left"`
}

// Turn is a turn as it is sent.
type Turn struct {
	Role    string          `json:"role"`
	Speaker string          `json:"speaker,omitempty"`
	Text    string          `json:"text"`
	Message graph.MessageID `json:"message"` // zero for a turn that is not a message
	Tokens  int             `json:"tokens"`
	Hash    path.Hash       `json:"hash"` // of the path up to here; zero for the tail, which is no part of it
}

// Beside is what a simpler strategy would take.
type Beside struct {
	Strategy   string            `json:"strategy"`
	Messages   []graph.MessageID `json:"messages"`
	Characters int               `json:"characters"`
}

// Of returns the drawing of a graph, its path, and the tail that followed the path; "" if
// the tail is not known.
func Of(g *graph.Graph, built *path.Built, tail string, s Settings) Drawing {
	return Drawing{
		Graph: json.RawMessage(g.Explain(graph.FormatJSON)), Lanes: explain.Lanes(g, s.Expand),
		Path: pathOf(built, tail, s), Beside: []Beside{}, Alternatives: []Alternative{},
	}
}

// pathOf describes a path: the messages that each step left out, and the turns that are
// sent.
func pathOf(built *path.Built, tail string, settings Settings) Path {
	v := Path{Budget: settings.Budget, Hash: built.Hash}
	for _, step := range []struct {
		name string
		why  path.LeftReason
	}{{"filter", path.LeftFulfilled}, {"retain", path.LeftUncertain}, {"truncate", path.LeftOverBudget}} {
		s := Step{Name: step.name, Left: []graph.MessageID{}}
		for _, left := range built.Left {
			if left.Why == step.why {
				s.Left = append(s.Left, left.Message)
			}
		}
		v.Steps = append(v.Steps, s)
	}
	hashes, messages := built.Path.Hashes(), built.TurnMessages()
	for i, turn := range built.Path.Turns {
		t := settings.turn(turn)
		t.Message, t.Hash = messages[i], hashes[i]
		v.Tokens += t.Tokens
		v.Turns = append(v.Turns, t)
	}
	if tail != "" {
		t := settings.turn(path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Text(tail)}})
		v.Tokens += t.Tokens
		v.Tail = &t
	}
	return v
}

// turn describes a turn, without the message that it is and its hash.
func (s Settings) turn(turn path.Turn) Turn {
	t := Turn{Role: turn.Role.String(), Speaker: turn.Speaker, Text: said(turn.Parts)}
	if s.Count != nil {
		t.Tokens = s.Count(turn)
	}
	return t
}
