package explain

import (
	"slices"

	"heddle/graph"
)

// Loose is the lane of messages that belong to no talk.
const Loose = -1

// Lanes separates the messages of a graph into talks and assigns each talk a lane of a
// drawing. The trigger's conversation has lane 0. Every other talk has the first lane
// that is free during the whole talk. A message that is alone in its talk has the lane
// Loose. Lanes uses only the options Affinity and TimeThreshold.
func Lanes(g *graph.Graph, options graph.Options) map[graph.MessageID]int {
	lanes := map[graph.MessageID]int{g.Trigger.ID: 0}
	for i := range g.Conversation {
		lanes[g.Conversation[i].Message.ID] = 0
	}
	others := slices.Concat(messagesOf(g.Background), messagesOf(g.Explored))
	all := slices.Concat(others, messagesOf(g.Conversation), []graph.Message{g.Trigger})
	for i := range others {
		lanes[others[i].ID] = Loose
	}
	slices.SortFunc(all, func(a, b graph.Message) int { return a.Position().Compare(b.Position()) })
	var until []graph.Position // by lane: the last message in it
	for _, talk := range graph.Part(all, options) {
		beside := slices.DeleteFunc(talk.Messages, func(m graph.Message) bool { return lanes[m.ID] == 0 })
		if len(beside) < 2 {
			continue
		}
		first, last := beside[0].Position(), beside[len(beside)-1].Position()
		free := slices.IndexFunc(until, func(end graph.Position) bool { return end.Compare(first) < 0 })
		if free < 0 {
			free, until = len(until), append(until, last)
		}
		until[free] = last
		for i := range beside {
			lanes[beside[i].ID] = free + 1
		}
	}
	return lanes
}
