package path

import "heddle/graph"

// alternatives returns the messages of a conversation that a path leaves out because
// another answer is shown: of several recorded answers to one question all but one, and
// messages that only ask for another answer. The one that stays is the answer that the
// trigger replies to, or else the one that was sent last, as that is the one that
// people build on.
func (s *shaping) alternatives(g *graph.Graph) map[graph.MessageID]bool {
	if len(s.Answers) == 0 {
		return nil
	}
	var hidden map[graph.MessageID]bool
	hide := func(id graph.MessageID) {
		if hidden == nil {
			hidden = make(map[graph.MessageID]bool)
		}
		hidden[id] = true
	}
	stays := make(map[graph.MessageID]*graph.Message, len(s.Answers)) // by the question
	for i := range g.Conversation {
		m := g.Conversation[i].Message
		record, recorded := s.answer(m)
		if !recorded || record.Trigger == 0 {
			continue
		}
		if m.Answers != 0 && m.Answers != record.Trigger {
			hide(m.Answers)
		}
		other, among := stays[record.Trigger]
		switch {
		case !among:
		case repliesTo(&g.Trigger, other) || m.ID < other.ID && !repliesTo(&g.Trigger, m):
			hide(m.ID)
			continue
		default:
			hide(other.ID)
		}
		stays[record.Trigger] = m
	}
	return hidden
}
