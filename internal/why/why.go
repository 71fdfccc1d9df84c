// Package why says what an answer was made from: the messages that were chosen, each with
// the reason why, where walking ended, and the turns that were sent.
//
// An Answer is all of it as one plain value, which pages draw and JSON holds. Of makes it
// from a graph and its path; Veiled hides what people wrote in it. Preview chooses what a
// message would be answered from, as the bot does, and Explain (explain.go, text.go) does so
// for a message of an export, for the command explain.
package why

import (
	"context"
	"slices"
	"strings"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
)

// Answer is what an answer was made from, or would be made from.
type Answer struct {
	Graph  Graph                    `json:"graph"`
	Lanes  map[graph.MessageID]Lane `json:"lanes"` // without messages that are alone in their talk
	Path   Path                     `json:"path"`
	Beside []Beside                 `json:"beside"` // what simpler strategies take
}

// Graph is what was read, and what became of it. Gaps are in seconds.
type Graph struct {
	Trigger      Node    `json:"trigger"`
	Conversation []Node  `json:"conversation"`
	Background   []Node  `json:"background"`
	Recalled     []Node  `json:"recalled"`
	Explored     []Node  `json:"explored"`
	Edges        []Edge  `json:"edges"`
	Seals        []Seal  `json:"seals"`
	Rounds       int     `json:"rounds"`
	Threshold    float64 `json:"threshold_seconds"`
}

// Node is a message.
type Node struct {
	ID          graph.MessageID   `json:"id"`
	Channel     graph.ChannelID   `json:"channel"`
	Author      graph.UserID      `json:"author"`
	Name        string            `json:"name"`
	Origin      string            `json:"origin"`
	Time        time.Time         `json:"time"`
	Text        string            `json:"text"` // with the names of files
	Answers     graph.MessageID   `json:"answers,omitempty"`
	Parts       []graph.MessageID `json:"parts,omitempty"`
	Probability float64           `json:"probability"`
	Sure        string            `json:"sure,omitempty"` // the probability in a word; empty outside the conversation
	Reasons     []Reason          `json:"reasons"`        // the deciding one first
}

// Reason is a reason why a message was read.
type Reason struct {
	Kind        string          `json:"kind"`
	Text        string          `json:"text"` // the reason in words
	Round       int             `json:"round"`
	From        graph.MessageID `json:"from,omitempty"`
	Reference   string          `json:"reference,omitempty"`
	Probability float64         `json:"probability"`
	Gap         float64         `json:"gap_seconds,omitempty"`
}

// Edge is an edge of the graph.
type Edge struct {
	From        graph.MessageID `json:"from"`
	To          graph.MessageID `json:"to"`
	Kind        string          `json:"kind"`
	Reference   string          `json:"reference,omitempty"`
	State       string          `json:"state"`
	Probability float64         `json:"probability"`
	Gap         float64         `json:"gap_seconds,omitempty"`
	Edited      time.Time       `json:"edited,omitzero"`
	Bound       graph.MessageID `json:"bound,omitempty"`
}

// Seal is a side that was closed.
type Seal struct {
	At        graph.MessageID `json:"at"`
	Channel   graph.ChannelID `json:"channel"`
	Direction string          `json:"direction"`
	Why       string          `json:"why"`
	Text      string          `json:"text"` // the reason in words; empty if it explains nothing
	Round     int             `json:"round"`
	Beyond    graph.MessageID `json:"beyond,omitempty"`
	Gap       float64         `json:"gap_seconds,omitempty"`
}

// Path describes how a conversation became a request to the model.
type Path struct {
	Recorded bool      `json:"recorded"` // it was sent; otherwise it would be sent if the question were asked now
	Steps    []Step    `json:"steps"`
	Turns    []Turn    `json:"turns"`
	Tail     *Turn     `json:"tail,omitempty"` // what stands right before the last turn; nil if it is not known
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

// Beside is what a simpler strategy would take, oldest first.
type Beside struct {
	Strategy   string            `json:"strategy"`
	Messages   []graph.MessageID `json:"messages"`
	Characters int               `json:"characters"`
}

// Of returns what an answer was made from by a bot with settings: a graph, its path, and the
// tail that stood before its last turn; "" if the tail is not known.
func Of(ctx context.Context, g *graph.Graph, built *path.Built, tail string, by conversation.Settings) Answer {
	named := phrases.In().Naming(g, func(m *graph.Message) string { return graph.Apart(graph.OneLine(m.Name, nameWidth)) })
	return Answer{Graph: graphOf(g, named), Lanes: lanesOf(g, by.Expand), Path: pathOf(ctx, built, tail, by), Beside: []Beside{}}
}

// graphOf describes a graph, in whose reasons messages are called as named says.
func graphOf(g *graph.Graph, named *phrases.Naming) Graph {
	out := Graph{
		Trigger:      nodeOf(&graph.Node{Message: &g.Trigger, Probability: 1}, named),
		Conversation: nodesOf(g.Conversation, named), Background: nodesOf(g.Background, named),
		Recalled: nodesOf(g.Recalled, named), Explored: nodesOf(g.Explored, named),
		Edges: make([]Edge, len(g.Edges)), Seals: make([]Seal, len(g.Seals)), Rounds: g.Rounds, Threshold: g.Threshold.Seconds(),
	}
	for i := range out.Conversation {
		if p := out.Conversation[i].Probability; p > 0 { // else it is not known
			out.Conversation[i].Sure = named.Sure(p)
		}
	}
	for i, e := range g.Edges {
		out.Edges[i] = Edge{
			From: e.From, To: e.To, Kind: e.Kind.String(), State: e.State.String(),
			Probability: e.Probability, Gap: e.Gap.Seconds(), Edited: e.Edited, Bound: e.Bound,
		}
		if e.Kind == graph.EdgeReference {
			out.Edges[i].Reference = e.Reference.String()
		}
	}
	for i, s := range g.Seals {
		out.Seals[i] = Seal{
			At: s.At, Channel: s.Channel, Direction: s.Direction.String(), Why: s.Why.String(), Text: named.Stop(&s),
			Round: s.Round, Beyond: s.Beyond, Gap: s.Gap.Seconds(),
		}
	}
	return out
}

func nodesOf(nodes []graph.Node, named *phrases.Naming) []Node {
	list := make([]Node, len(nodes))
	for i := range nodes {
		list[i] = nodeOf(&nodes[i], named)
	}
	return list
}

// nodeOf describes a message with its reasons.
func nodeOf(n *graph.Node, named *phrases.Naming) Node {
	m, because := n.Message, n.Because()
	out := Node{
		ID: m.ID, Channel: m.Channel, Author: m.Author, Name: m.Name, Origin: m.Origin.String(),
		Time: m.Time, Text: m.Says(), Answers: m.Answers, Parts: m.Parts,
		Probability: n.Probability, Reasons: make([]Reason, len(because)),
	}
	for i, r := range because {
		out.Reasons[i] = Reason{
			Kind: r.Kind.String(), Text: named.Reason(m, &r), Round: r.Round, From: r.From,
			Probability: r.Probability, Gap: r.Gap.Seconds(),
		}
		if r.Kind == graph.ReasonReference || r.Kind == graph.ReasonAnswer {
			out.Reasons[i].Reference = r.Reference.String()
		}
	}
	return out
}

// pathOf describes a path: the messages that each step left out, and the turns that are
// sent.
func pathOf(ctx context.Context, built *path.Built, tail string, by conversation.Settings) Path {
	p := Path{Budget: by.Budget, Hash: built.Path.Hash()}
	for _, step := range []struct {
		name string
		why  path.LeftReason
	}{{"filter", path.LeftFulfilled}, {"retain", path.LeftUncertain}, {"truncate", path.LeftOverBudget}} {
		s := Step{Name: step.name, Left: []graph.MessageID{}}
		for _, left := range built.Left {
			if left.Why == step.why {
				s.Left = append(s.Left, left.Message.ID)
			}
		}
		p.Steps = append(p.Steps, s)
	}
	hashes := built.Path.Hashes()
	for i, turn := range built.Path.Turns {
		t := turnOf(ctx, turn, by)
		t.Hash = hashes[i]
		if i < len(built.TurnMessages) {
			t.Message = built.TurnMessages[i]
		}
		p.Tokens += t.Tokens
		p.Turns = append(p.Turns, t)
	}
	if tail != "" {
		t := turnOf(ctx, path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Text(tail)}}, by)
		p.Tokens += t.Tokens
		p.Tail = &t
	}
	return p
}

// turnOf describes a turn, without the message that it is and its hash.
func turnOf(ctx context.Context, turn path.Turn, by conversation.Settings) Turn {
	t := Turn{Role: turn.Role.String(), Speaker: turn.Speaker, Text: said(turn.Parts)}
	if by.Count != nil {
		t.Tokens = by.Count(ctx, turn)
	}
	return t
}

// said returns the text of the parts of a turn. A part that is not text is described in
// brackets.
func said(parts []path.Part) string {
	var all []string
	for _, part := range parts {
		switch part := part.(type) {
		case path.Text:
			all = append(all, string(part))
		case path.Note:
			all = append(all, string(part))
		case path.File:
			all = append(all, "["+part.Name+"]")
			if part.Text != "" {
				all = append(all, part.Text)
			}
			if part.Gap != "" {
				all = append(all, "["+part.Gap+"]", part.End)
			}
		case path.Image:
			all = append(all, "[a picture]")
		case path.ToolCall:
			all = append(all, "["+part.Name+" "+part.Arguments+"]")
		case path.ToolResult:
			all = append(all, said(part.Parts))
		}
	}
	return strings.Join(all, "\n")
}

// Lane is where a drawing shows a talk. Both numbers are 0 for the trigger's
// conversation.
type Lane struct {
	Talk   int `json:"talk"`
	Column int `json:"column"`
}

// lanesOf separates the messages of a graph into talks and assigns each message the lane
// of its talk. A message that is alone in its talk has no lane. A talk other than the
// trigger's conversation has the first column that is free during the whole talk, so
// talks that follow one another may share a column. It uses only the options Affinity
// and TimeThreshold.
func lanesOf(g *graph.Graph, options graph.Options) map[graph.MessageID]Lane {
	lanes := map[graph.MessageID]Lane{g.Trigger.ID: {}}
	for i := range g.Conversation {
		lanes[g.Conversation[i].Message.ID] = Lane{}
	}
	all := slices.Concat(graph.Messages(g.Background), graph.Messages(g.Recalled), graph.Messages(g.Explored), graph.Messages(g.Conversation), []graph.Message{g.Trigger})
	slices.SortFunc(all, func(a, b graph.Message) int { return a.Position().Compare(b.Position()) })
	var until []graph.Position // by column, without the first: the last message in it
	talks := 0
	for _, talk := range graph.Part(all, options) {
		beside := slices.DeleteFunc(talk.Messages, func(m graph.Message) bool { _, placed := lanes[m.ID]; return placed })
		if len(beside) < 2 {
			continue
		}
		first, last := beside[0].Position(), beside[len(beside)-1].Position()
		free := slices.IndexFunc(until, func(end graph.Position) bool { return end.Compare(first) < 0 })
		if free < 0 {
			free, until = len(until), append(until, last)
		}
		until[free] = last
		talks++
		for i := range beside {
			lanes[beside[i].ID] = Lane{talks, free + 1}
		}
	}
	return lanes
}
