package dashboard

import (
	"encoding/json"

	"heddle/graph"
	"heddle/internal/drawing"
)

// Reading is one number of heddle's metrics.
type Reading struct {
	Name   string            `json:"name"` // without "heddle_"
	Labels map[string]string `json:"labels,omitempty"`
	Value  float64           `json:"value"`
}

// written is what somebody wrote.
type written struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// texts returns the messages of a drawing that heddle still holds. It returns nothing
// if texts are hidden.
func (s *Serving) texts(drawn *drawing.Drawing) map[graph.MessageID]written {
	if s.Text == nil {
		return nil
	}
	type node struct {
		ID      graph.MessageID `json:"id"`
		Channel graph.ChannelID `json:"channel"`
	}
	var g struct {
		Trigger      node   `json:"trigger"`
		Conversation []node `json:"conversation"`
		Background   []node `json:"background"`
		Explored     []node `json:"explored"`
	}
	if err := json.Unmarshal(drawn.Graph, &g); err != nil {
		return nil // it was written by this program
	}
	held := map[graph.MessageID]written{}
	for _, nodes := range [][]node{g.Conversation, g.Background, g.Explored, {g.Trigger}} {
		for _, n := range nodes {
			if text, name, known := s.Text(n.Channel, n.ID); known {
				held[n.ID] = written{name, text}
			}
		}
	}
	return held
}
