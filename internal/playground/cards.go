package playground

import (
	"cmp"
	"encoding/json"

	"heddle/internal/discord"
	"heddle/internal/discordtest"
)

// cardView is an embed or a poll, as the page shows it below what was said.
type cardView struct {
	Author string      `json:"author,omitempty"`
	Title  string      `json:"title,omitempty"`
	Text   string      `json:"text,omitempty"`
	Fields []fieldView `json:"fields,omitempty"`
	// Answers are what one can choose in a poll.
	Answers []string `json:"answers,omitempty"`
	Footer  string   `json:"footer,omitempty"`
}

// fieldView is one named field of an embed.
type fieldView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// forwardView is the copy of a message that was forwarded.
type forwardView struct {
	Content string     `json:"content"`
	Files   []string   `json:"files,omitempty"` // their names
	Cards   []cardView `json:"cards,omitempty"`
}

// attached returns what stands below the words of m: its cards, and what it forwards.
func attached(m discordtest.Message) ([]cardView, []forwardView) {
	if m.More == nil {
		return nil, nil
	}
	snapshots := m.More.Raw["message_snapshots"] // of an export
	if m.More.Snapshot != nil {
		snapshots = []json.RawMessage{m.More.Snapshot}
	}
	if m.More.Embeds == nil && m.More.Poll == nil && snapshots == nil {
		return nil, nil
	}
	wire := map[string]any{"id": "1", "embeds": m.More.Embeds, "poll": m.More.Poll, "message_snapshots": snapshots}
	text, err := json.Marshal(wire)
	if err != nil {
		return nil, nil // the world holds valid JSON alone
	}
	whole, err := discord.DecodeMessage(text)
	if err != nil {
		return nil, nil // it is an object with an id
	}
	var forwards []forwardView
	for _, s := range whole.Snapshots {
		f := forwardView{Content: s.Message.Content, Cards: cards(&s.Message)}
		for _, a := range s.Message.Attachments {
			f.Files = append(f.Files, a.Name)
		}
		forwards = append(forwards, f)
	}
	return cards(&whole), forwards
}

// cards returns the embeds and the poll of m.
func cards(m *discord.Message) []cardView {
	var all []cardView
	for _, e := range m.Embeds {
		c := cardView{Author: cmp.Or(e.Author, e.Provider), Title: e.Title, Text: e.Description, Footer: e.Footer}
		for _, f := range e.Fields {
			c.Fields = append(c.Fields, fieldView(f))
		}
		all = append(all, c)
	}
	if m.Poll != nil {
		c := cardView{Author: "Poll", Title: m.Poll.Question}
		for _, a := range m.Poll.Answers {
			c.Answers = append(c.Answers, a.Text)
		}
		all = append(all, c)
	}
	return all
}
