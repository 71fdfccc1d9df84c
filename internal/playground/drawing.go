package playground

import (
	"encoding/json"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/explain"
)

// drawing is all that the page draws of one context.
type drawing struct {
	Graph  json.RawMessage         `json:"graph"` // as graph.FormatJSON
	Lanes  map[graph.MessageID]int `json:"lanes"` // explain.Loose for messages of no talk
	Path   pathView                `json:"path"`
	Beside []besideView            `json:"beside"` // what simpler ways take
}

// pathView is what became of a conversation on its way to the model.
type pathView struct {
	Recorded bool       `json:"recorded"` // it was sent; otherwise it would be, were the question asked now
	Steps    []stepView `json:"steps"`
	Turns    []turnView `json:"turns"`
	Tokens   int        `json:"tokens"`
	Budget   int        `json:"budget"` // 0 for none
	Hash     path.Hash  `json:"hash"`
}

// stepView is a step with the messages that it left out.
type stepView struct {
	Name string            `json:"name"` // filter, retain or truncate
	Left []graph.MessageID `json:"left"`
}

// turnView is a turn as it is sent.
type turnView struct {
	Role    string          `json:"role"`
	Speaker string          `json:"speaker,omitempty"`
	Text    string          `json:"text"`
	Message graph.MessageID `json:"message"` // zero for a turn that no message stands behind
	Tokens  int             `json:"tokens"`
	Hash    path.Hash       `json:"hash"` // of the path up to here
}

// besideView is what a simpler way would take.
type besideView struct {
	Strategy   string            `json:"strategy"`
	Messages   []graph.MessageID `json:"messages"`
	Characters int               `json:"characters"`
}

// draw returns the drawing of a graph and its path.
func (l *lens) draw(g *graph.Graph, built path.Built, recorded bool) drawing {
	return drawing{
		Graph: json.RawMessage(g.Explain(graph.FormatJSON)), Lanes: explain.Lanes(g, l.preview.Expand),
		Path: l.pathView(&built, recorded), Beside: []besideView{},
	}
}

func (l *lens) pathView(built *path.Built, recorded bool) pathView {
	v := pathView{Recorded: recorded, Budget: l.preview.Shape.Budget, Hash: built.Hash}
	for _, step := range []struct {
		name string
		why  path.LeftReason
	}{{"filter", path.LeftFulfilled}, {"retain", path.LeftUncertain}, {"truncate", path.LeftOverBudget}} {
		s := stepView{Name: step.name, Left: []graph.MessageID{}}
		for _, left := range built.Left {
			if left.Why == step.why {
				s.Left = append(s.Left, left.Message)
			}
		}
		v.Steps = append(v.Steps, s)
	}
	hashes, messages := built.Path.Hashes(), built.TurnMessages()
	for i, turn := range built.Path.Turns {
		t := turnView{Role: roleName(turn.Role), Speaker: turn.Speaker, Text: turn.PlainText(), Message: messages[i], Hash: hashes[i]}
		if count := l.preview.Shape.Count; count != nil {
			t.Tokens = count(turn)
		}
		v.Tokens += t.Tokens
		v.Turns = append(v.Turns, t)
	}
	return v
}

func roleName(r path.Role) string {
	switch r {
	case path.RoleSystem:
		return "system"
	case path.RoleUser:
		return "user"
	case path.RoleAssistant:
		return "assistant"
	case path.RoleTool:
		return "tool"
	case path.RoleSummary:
		return "summary"
	}
	return ""
}

// besides returns what heddle takes, and what simpler ways would.
func besides(previewed *explain.Previewed) []besideView {
	all := make([]besideView, len(previewed.Beside))
	for i, b := range previewed.Beside {
		all[i] = besideView{b.Strategy, ids(b.Messages), b.Characters}
	}
	return all
}

func ids(messages []graph.Message) []graph.MessageID {
	list := make([]graph.MessageID, len(messages))
	for i := range messages {
		list[i] = messages[i].ID
	}
	slices.Sort(list)
	return list
}
