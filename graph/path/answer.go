package path

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// Answer is the record of an earlier answer of heddle's own.
type Answer struct {
	Trigger graph.MessageID // the message that it answers
	// Finish is the finish reason. Only answers that ended with "stop" or "length"
	// count as given. All others failed, were refused or were cancelled.
	Finish string
	// Artifacts are the files that it made and Discord accepted, including deleted
	// ones.
	Artifacts []Artifact
	// Confidence is how certain the model was of the answer when it was given, from 0
	// to 1, on a scale that is comparable between models. It is nil if unknown. NaN and
	// values outside that range count as unknown.
	Confidence *float64
	// Turns are the answer as it was given, with the tool calls and results that led to
	// it. They are empty if the message's text is the whole answer. Calls without
	// results and results without calls are left out of paths.
	Turns []Turn
}

// Artifact is a file that an answer made and Discord accepted.
type Artifact struct {
	Attachment graph.AttachmentID `json:"attachment"`
	Message    graph.MessageID    `json:"message"` // heddle's message that holds it
	Name       string             `json:"name"`
}

// given reports whether the answer came to a proper end.
func (a *Answer) given() bool { return a.Finish == "stop" || a.Finish == "length" }

// unknown stands for a confidence that is not known. It is below every threshold.
const unknown = -1

// certainty returns the confidence, which is known only if it lies between 0 and 1.
func (a *Answer) certainty() float64 {
	if a.Confidence == nil {
		return unknown
	}
	return share(*a.Confidence)
}

// share returns what lies between 0 and 1, and unknown for anything else.
func share(x float64) float64 {
	if x >= 0 && x <= 1 {
		return x
	}
	return unknown
}

// Lineage is what a path takes over from the path that it continues, which is that of
// the answer that Predecessor returns. The zero Lineage begins a conversation.
type Lineage struct {
	// Positions are the positions of the messages on that path, including its trigger,
	// as in Built. A message never changes its position.
	Positions map[graph.MessageID]int
	// Cut is the position below which messages were left out to fit the budget.
	Cut int
	// Checkpoint is the position below which messages were left out, as in Built.
	Checkpoint int
	// Dropped is the number of messages left out so far, as in Built.
	Dropped int
	// Files are the files made so far, as in Built, without those that are known to be
	// deleted.
	Files []Artifact
}

// Predecessor returns the answer whose path the next one continues: the one that the
// trigger replies to, or else the newest one of the conversation in the trigger's
// channel, or else the newest one elsewhere, such as in the parent of a thread. Only
// answers with a record count; recorded reports whether the answer has one that was
// sent as the given message of heddle's.
func Predecessor(g *graph.Graph, recorded func(graph.MessageID) bool) (graph.MessageID, bool) {
	var newest, elsewhere graph.MessageID
	for i := range slices.Backward(g.Conversation) {
		m := g.Conversation[i].Message
		if m.Origin != graph.OriginSelf || !recordedAny(m, recorded) {
			continue
		}
		if repliesTo(&g.Trigger, m) {
			return m.ID, true
		}
		if m.Channel == g.Trigger.Channel {
			newest = cmp.Or(newest, m.ID)
		} else {
			elsewhere = cmp.Or(elsewhere, m.ID)
		}
	}
	newest = cmp.Or(newest, elsewhere)
	return newest, newest != 0
}

func recordedAny(m *graph.Message, recorded func(graph.MessageID) bool) bool {
	return recorded(m.ID) || slices.ContainsFunc(m.Parts, recorded)
}

// repliesTo reports whether m replies to a message or a part of it, or forwards it. A
// thread's starter and the target of a link do not count.
func repliesTo(m, target *graph.Message) bool {
	return slices.ContainsFunc(m.References, func(r graph.Reference) bool {
		replies := r.Kind == graph.ReferenceReply || r.Kind == graph.ReferenceForward
		return replies && r.Message != 0 && target.Holds(r.Message)
	})
}

// explicit reports whether references of a kind are made by people on purpose.
func explicit(kind graph.ReferenceKind) bool {
	return kind != graph.ReferenceAddress && kind != graph.ReferenceInferred
}

// answer returns the record of one of heddle's own messages, under the id of any of its
// parts.
func (s *shaping) answer(m *graph.Message) (Answer, bool) {
	if m.Origin != graph.OriginSelf {
		return Answer{}, false
	}
	for _, id := range append([]graph.MessageID{m.ID}, m.Parts...) {
		if answer, ok := s.Answers[id]; ok {
			return answer, true
		}
	}
	return Answer{}, false
}

// lastEdit returns the time at which a message, or the last part of it, was last sent
// or edited.
func lastEdit(m *graph.Message) time.Time {
	times := []time.Time{m.Time, m.Edited}
	if n := len(m.Parts); n > 0 {
		times = append(times, m.Parts[n-1].Time())
	}
	return slices.MaxFunc(times, time.Time.Compare)
}

// alternatives returns the messages of a conversation that a path leaves out because
// another answer is shown: of several recorded answers to one question all but one, and
// messages that only ask for another answer. The one that stays is the answer that the
// trigger replies to, or else the one that was sent last, as that is the one that
// people build on.
func (s *shaping) alternatives(g *graph.Graph) map[graph.MessageID]bool {
	hidden := make(map[graph.MessageID]bool)
	stays := make(map[graph.MessageID]*graph.Message) // by the question
	for i := range g.Conversation {
		m := g.Conversation[i].Message
		record, recorded := s.answer(m)
		if !recorded || record.Trigger == 0 {
			continue
		}
		if m.Answers != 0 && m.Answers != record.Trigger {
			hidden[m.Answers] = true
		}
		other, among := stays[record.Trigger]
		switch {
		case !among:
		case repliesTo(&g.Trigger, other) || m.ID < other.ID && !repliesTo(&g.Trigger, m):
			hidden[m.ID] = true
			continue
		default:
			hidden[other.ID] = true
		}
		stays[record.Trigger] = m
	}
	return hidden
}
