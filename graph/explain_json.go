package graph

import (
	"encoding/json"
	"time"
)

// These types define an explanation in JSON. Ids are strings, gaps are in seconds.
type (
	graphJSON struct {
		Trigger      nodeJSON   `json:"trigger"`
		Conversation []nodeJSON `json:"conversation"`
		Background   []nodeJSON `json:"background"`
		Explored     []nodeJSON `json:"explored"`
		Edges        []edgeJSON `json:"edges"`
		Seals        []sealJSON `json:"seals"`
		Rounds       int        `json:"rounds"`
		Threshold    float64    `json:"threshold_seconds"`
	}
	nodeJSON struct {
		ID          MessageID    `json:"id"`
		Channel     ChannelID    `json:"channel"`
		Author      UserID       `json:"author"`
		Name        string       `json:"name"`
		Origin      string       `json:"origin"`
		Time        time.Time    `json:"time"`
		Text        string       `json:"text"` // with the names of files
		Answers     MessageID    `json:"answers,omitempty"`
		Parts       []MessageID  `json:"parts,omitempty"`
		Probability float64      `json:"probability"`
		Reasons     []reasonJSON `json:"reasons"` // the deciding one first
	}
	reasonJSON struct {
		Kind        string    `json:"kind"`
		Text        string    `json:"text"` // the reason in words
		Round       int       `json:"round"`
		From        MessageID `json:"from,omitempty"`
		Reference   string    `json:"reference,omitempty"`
		Probability float64   `json:"probability"`
		Gap         float64   `json:"gap_seconds,omitempty"`
	}
	edgeJSON struct {
		From        MessageID `json:"from"`
		To          MessageID `json:"to"`
		Kind        string    `json:"kind"`
		Reference   string    `json:"reference,omitempty"`
		State       string    `json:"state"`
		Probability float64   `json:"probability"`
		Gap         float64   `json:"gap_seconds,omitempty"`
		Edited      time.Time `json:"edited,omitzero"`
		Bound       MessageID `json:"bound,omitempty"`
	}
	sealJSON struct {
		At        MessageID `json:"at"`
		Channel   ChannelID `json:"channel"`
		Direction string    `json:"direction"`
		Why       string    `json:"why"`
		Text      string    `json:"text"` // the reason in words
		Round     int       `json:"round"`
		Beyond    MessageID `json:"beyond,omitempty"`
		Gap       float64   `json:"gap_seconds,omitempty"`
	}
)

// explainJSON returns the explanation as JSON.
func (g *Graph) explainJSON() string {
	words := g.WordsByName()
	out := graphJSON{
		Trigger:      nodeToJSON(words, &Node{Message: &g.Trigger, Probability: 1}),
		Conversation: nodesToJSON(words, g.Conversation),
		Background:   nodesToJSON(words, g.Background),
		Explored:     nodesToJSON(words, g.Explored),
		Edges:        make([]edgeJSON, 0, len(g.Edges)),
		Seals:        make([]sealJSON, 0, len(g.Seals)),
		Rounds:       g.Rounds,
		Threshold:    g.Threshold.Seconds(),
	}
	for _, e := range g.Edges {
		j := edgeJSON{
			From: e.From, To: e.To, Kind: e.Kind.String(), State: e.State.String(),
			Probability: e.Probability, Gap: e.Gap.Seconds(), Edited: e.Edited, Bound: e.Bound,
		}
		if e.Kind == EdgeReference {
			j.Reference = e.Reference.String()
		}
		out.Edges = append(out.Edges, j)
	}
	for _, s := range g.Seals {
		out.Seals = append(out.Seals, sealJSON{
			At: s.At, Channel: s.Channel, Direction: s.Direction.String(), Why: s.Why.String(), Text: words.Seal(&s),
			Round: s.Round, Beyond: s.Beyond, Gap: s.Gap.Seconds(),
		})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil { // no field can fail: times of messages are within a calendar
		return "{}\n"
	}
	return string(text) + "\n"
}

func nodesToJSON(words Words, nodes []Node) []nodeJSON {
	list := make([]nodeJSON, len(nodes))
	for i := range nodes {
		list[i] = nodeToJSON(words, &nodes[i])
	}
	return list
}

// nodeToJSON returns a node with its reasons as JSON describes it.
func nodeToJSON(words Words, n *Node) nodeJSON {
	m, because := n.Message, n.Because()
	j := nodeJSON{
		ID: m.ID, Channel: m.Channel, Author: m.Author, Name: m.Name, Origin: m.Origin.String(),
		Time: m.Time, Text: m.Says(), Answers: m.Answers, Parts: m.Parts,
		Probability: n.Probability, Reasons: make([]reasonJSON, len(because)),
	}
	for i, r := range because {
		j.Reasons[i] = reasonJSON{
			Kind: r.Kind.String(), Text: words.Reason(n, &r), Round: r.Round, From: r.From,
			Probability: r.Probability, Gap: r.Gap.Seconds(),
		}
		if r.Kind == ReasonReference || r.Kind == ReasonAnswer {
			j.Reasons[i].Reference = r.Reference.String()
		}
	}
	return j
}
