package path

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// Answer is what is on record of an earlier answer of heddle's own.
type Answer struct {
	Trigger graph.MessageID // the request that it answers
	// Finish is the finish reason. Only what ended with "stop" or "length" was
	// given: anything else failed, was refused or cancelled.
	Finish string
	// Artifacts are the files that it made and Discord accepted, deleted ones too.
	Artifacts []Artifact
	// Confidence is how certain the model was of the answer when it was given, from 0 to
	// 1, in a measure that is comparable between models. It is nil if unknown. Values
	// outside that range, and NaN, count as unknown.
	Confidence *float64
	// Turns are the answer as it was given, with the tool calls and results that led
	// to it; empty if the message's text is all of it. Calls without results and results
	// without calls are left out.
	Turns []Turn
}

// Artifact is a file that an answer made and Discord accepted.
type Artifact struct {
	Message    graph.MessageID // heddle's message that holds it
	Attachment graph.AttachmentID
	Name       string
}

// given reports whether the answer came to a proper end.
func (a *Answer) given() bool { return a.Finish == "stop" || a.Finish == "length" }

// certainty is the confidence where it is a share.
func (a *Answer) certainty() value {
	if a.Confidence == nil || !(*a.Confidence >= 0 && *a.Confidence <= 1) {
		return value{}
	}
	return value{share: *a.Confidence, known: true}
}

// value is what a unit is worth keeping, from 0 to 1, where it is known.
type value struct {
	share float64
	known bool
}

// reaches reports whether the value is known to be at least a threshold.
func (v value) reaches(threshold float64) bool { return v.known && v.share >= threshold }

// Lineage is what stays of the path that this one continues: the path of the answer
// that Predecessor names. The zero Lineage begins a conversation.
type Lineage struct {
	// Positions are the positions of the messages on that path, its trigger's among
	// them, as Built gave them. A message keeps its position for good.
	Positions map[graph.MessageID]int
	// Cut is the position below which messages were left out to keep the budget.
	Cut int
	// Checkpoint is the position below which messages were left out, as Built gave it.
	Checkpoint int
	// Dropped is how many messages were left out by then, as Built gave it.
	Dropped int
	// Files are the files made by then, as Built gave them, without those that are
	// known to be deleted.
	Files []Artifact
}

// Predecessor names the answer whose path the next one continues, of those that recorded
// says are on record: the one that the trigger replies to, else the newest of the
// conversation in the trigger's channel, else the newest elsewhere, such as in the channel
// of its thread. recorded is asked with the ids of heddle's own messages.
func Predecessor(g *graph.Graph, recorded func(graph.MessageID) bool) (graph.MessageID, bool) {
	var newest, elsewhere graph.MessageID
	for i := range slices.Backward(g.Conversation) {
		m := &g.Conversation[i].Message
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

// repliesTo reports whether m replies to, or forwards, a message or a part of it. A
// thread's starter is where m stands, and a link is what m speaks of: m replies to neither.
func repliesTo(m, target *graph.Message) bool {
	return slices.ContainsFunc(m.References, func(r graph.Reference) bool {
		replies := r.Kind == graph.ReferenceReply || r.Kind == graph.ReferenceForward
		return replies && r.Message != 0 && target.Holds(r.Message)
	})
}

// explicit reports whether somebody made such a reference to a message.
func explicit(kind graph.ReferenceKind) bool {
	return kind != graph.ReferenceAddress && kind != graph.ReferenceInferred
}

// answer finds what is on record of an own message, under any of its parts.
func (s *shaping) answer(m *graph.Message) (Answer, bool) {
	if m.Origin != graph.OriginSelf || len(s.Answers) == 0 {
		return Answer{}, false
	}
	if answer, ok := s.Answers[m.ID]; ok {
		return answer, true
	}
	for _, part := range m.Parts {
		if answer, ok := s.Answers[part]; ok {
			return answer, true
		}
	}
	return Answer{}, false
}

// lastEdit is when a message, or the last part of it, was last sent or edited.
func lastEdit(m *graph.Message) time.Time {
	last := m.Time
	if m.Edited.After(last) {
		last = m.Edited
	}
	if n := len(m.Parts); n > 0 {
		if sent := m.Parts[n-1].Time(); sent.After(last) {
			last = sent
		}
	}
	return last
}
