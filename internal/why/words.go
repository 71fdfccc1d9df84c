package why

import (
	"fmt"
	"slices"

	"heddle/bot/phrases"
	"heddle/graph"
)

// words describes a graph in sentences. They call messages by number or by the names of
// their authors.
type words struct {
	language phrases.Language
	names    map[graph.MessageID]string
	authors  map[graph.MessageID]graph.UserID
}

// wordsByName returns words that call messages by the names of their authors.
func wordsByName(g *graph.Graph) *words {
	w := &words{language: phrases.In(), names: map[graph.MessageID]string{}, authors: map[graph.MessageID]graph.UserID{}}
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Recalled, g.Explored} {
		for i := range nodes {
			m := nodes[i].Message
			w.names[m.ID], w.authors[m.ID] = graph.Apart(graph.OneLine(m.Name, nameWidth)), m.Author
		}
	}
	w.names[g.Trigger.ID], w.authors[g.Trigger.ID] = w.language.Text(phrases.WhyQuestion, nil), g.Trigger.Author
	return w
}

// wordsByNumber returns words that call messages by number, and the numbers. The messages
// that are sent are numbered, oldest first.
func wordsByNumber(g *graph.Graph) (*words, map[graph.MessageID]int) {
	w := wordsByName(g)
	w.names = map[graph.MessageID]string{}
	sent := slices.Concat(g.Conversation, g.Background, g.Recalled)
	slices.SortFunc(sent, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	numbers := map[graph.MessageID]int{}
	for i := range sent {
		id := sent[i].Message.ID
		numbers[id], w.names[id] = i+1, fmt.Sprintf("no. %d", i+1)
	}
	w.names[g.Trigger.ID] = w.language.Text(phrases.WhyQuestion, nil)
	return w, numbers
}

// named returns what sentences call a message.
func (w *words) named(id graph.MessageID) string {
	if name := w.names[id]; name != "" {
		return name
	}
	return w.language.Text(phrases.WhyOther, nil)
}

// reason describes a reason for the message of a node.
func (w *words) reason(n *graph.Node, r *graph.Reason) string {
	author, known := w.authors[r.From]
	return w.language.Reason(phrases.Reason{Reason: r, Name: w.named(r.From), Same: known && author == n.Message.Author})
}

// sure returns in a word how likely a message belongs to the conversation; "" if that is
// not known.
func (w *words) sure(n *graph.Node) string {
	if n.Probability <= 0 {
		return ""
	}
	return w.language.Sure(n.Probability)
}
