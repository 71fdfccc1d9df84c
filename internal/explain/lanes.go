package explain

import (
	"slices"

	"heddle/graph"
)

// Lane is where a drawing shows a talk. Both numbers are 0 for the trigger's
// conversation.
type Lane struct {
	Talk   int `json:"talk"`
	Column int `json:"column"`
}

// Lanes separates the messages of a graph into talks and assigns each message the lane
// of its talk. A message that is alone in its talk has no lane. A talk other than the
// trigger's conversation has the first column that is free during the whole talk, so
// talks that follow one another may share a column. Lanes uses only the options Affinity
// and TimeThreshold.
func Lanes(g *graph.Graph, options graph.Options) map[graph.MessageID]Lane {
	lanes := map[graph.MessageID]Lane{g.Trigger.ID: {}}
	for i := range g.Conversation {
		lanes[g.Conversation[i].Message.ID] = Lane{}
	}
	all := slices.Concat(messagesOf(g.Background), messagesOf(g.Explored), messagesOf(g.Conversation), []graph.Message{g.Trigger})
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
