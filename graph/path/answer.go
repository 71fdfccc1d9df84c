package path

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// Answer is the record of an earlier answer of heddle's own.
type Answer struct {
	Trigger graph.MessageID // its question
	// Finish is the finish reason. Only answers that ended with "stop" or "length"
	// count as given. All others failed, were refused or were cancelled.
	Finish string
	// Artifacts are its files that Discord accepted, including deleted ones.
	Artifacts []Artifact
	// Confidence is how certain the model was of the answer when it was given, from 0
	// to 1, on a scale that is comparable between models. It is nil if unknown. NaN and
	// values outside that range count as unknown.
	Confidence *float64
	// Turns are the answer as it was given, with its tool calls and their results. They
	// are empty if the message's text is the whole answer. Calls without results and
	// results without calls are left out of paths.
	Turns []Turn
}

// Artifact is a file that an answer made and Discord accepted.
type Artifact struct {
	Attachment graph.AttachmentID `json:"attachment"`
	Message    graph.MessageID    `json:"message"` // heddle's message that holds it
	Name       string             `json:"name"`
}

// unknown stands for a confidence that is not known. It is below every threshold.
const unknown = -1

// certainty returns the confidence, which is known only if it lies between 0 and 1.
func (a *Answer) certainty() float64 {
	if a.Confidence == nil {
		return unknown
	}
	return share(*a.Confidence)
}

// share returns x if it lies between 0 and 1, and otherwise unknown.
func share(x float64) float64 {
	if x >= 0 && x <= 1 {
		return x
	}
	return unknown
}

// Lineage is what a path takes over from its predecessor: the path of the answer that
// Predecessor returns. The zero Lineage begins a conversation.
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
	// Files are the files made so far, as in Built, without those known to be deleted.
	Files []Artifact
}

// mostLikely is the greatest probability of a continuation that is no reply to the answer.
const mostLikely = 0.99

// Predecessor returns the answer whose path the next one continues: the one that the
// trigger replies to, or else the newest one of the conversation in the trigger's
// channel, or else the newest one elsewhere, such as in the parent of a thread. Only
// answers with a record count that more likely belong to the conversation than not; recorded
// reports whether the answer has one that was sent as the given message of heddle's. The
// probability is that of the continuation, 1 for a reply and 0 if there is no predecessor.
func Predecessor(g *graph.Graph, recorded func(graph.MessageID) bool) (answer graph.MessageID, probability float64) {
	var newest, elsewhere *graph.Node
	for i := range slices.Backward(g.Conversation) {
		n := &g.Conversation[i]
		m := n.Message
		if m.Origin != graph.OriginSelf || !recorded(m.ID) && !slices.ContainsFunc(m.Parts, recorded) {
			continue
		}
		if repliesTo(&g.Trigger, m) {
			return m.ID, 1
		}
		switch {
		case n.Probability < 0.5:
		case m.Channel == g.Trigger.Channel:
			newest = cmp.Or(newest, n)
		default:
			elsewhere = cmp.Or(elsewhere, n)
		}
	}
	if newest = cmp.Or(newest, elsewhere); newest == nil {
		return 0, 0
	}
	return newest.Message.ID, min(newest.Probability, mostLikely)
}

// repliesTo reports whether m replies to a message or a part of it, or forwards it. A
// thread's starter and the target of a link do not count.
func repliesTo(m, target *graph.Message) bool {
	return slices.ContainsFunc(m.References, func(r graph.Reference) bool {
		replies := r.Kind == graph.ReferenceReply || r.Kind == graph.ReferenceForward
		return replies && r.Message != 0 && target.Holds(r.Message)
	})
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

// lastEdit returns the time of the last edit of a message or, if that is later, of sending
// its last part.
func lastEdit(m *graph.Message) time.Time {
	times := []time.Time{m.Time, m.Edited}
	if n := len(m.Parts); n > 0 {
		times = append(times, m.Parts[n-1].Time())
	}
	return slices.MaxFunc(times, time.Time.Compare)
}

// alternatives returns the messages of a conversation that give way to another answer: of
// several recorded answers to one question all but one, and messages that only ask for
// another answer. The answer that the trigger replies to stays, or else the last one, as
// people continue from that.
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

// filter leaves out fulfilled requests: a request with its answers, once one of them made
// a file that Discord still has. What the trigger replies to stays. If the request is
// gone, such an answer is left out by itself; a request without its answer stays.
func (s *shaping) filter() {
	for i := range s.drafts {
		s.drafts[i].recallFiles(s.ArtifactWindow)
	}
	s.correlate()
	inSight := func(a Artifact) bool {
		return slices.ContainsFunc(s.drafts, func(d draft) bool { return d.message.Holds(a.Message) })
	}
	files := slices.DeleteFunc(slices.Clone(s.Lineage.Files), inSight) // the messages that hold them show which ones still exist
	s.leave(LeftFulfilled, func(_ int, u *unit) bool {
		fulfilled, asked := false, u.repliedTo
		for i := range u.drafts {
			d := &u.drafts[i]
			fulfilled, asked = fulfilled || d.fulfilled, asked || d.asked
			files = append(files, d.made...)
		}
		return fulfilled && !asked
	})
	slices.SortStableFunc(files, func(a, b Artifact) int { return cmp.Compare(a.Message, b.Message) })
	s.built.Files = slices.CompactFunc(files, func(a, b Artifact) bool { return a == b })
}

// recallFiles records the files that an answer made and Discord still has. Without a
// record, those count that it held no later than the window after its last edit.
func (d *draft) recallFiles(window time.Duration) {
	m := d.message
	switch {
	case m.Origin != graph.OriginSelf:
	case d.recorded:
		d.made = slices.DeleteFunc(slices.Clone(d.record.Artifacts), func(a Artifact) bool {
			return !slices.ContainsFunc(m.Attachments, func(held graph.Attachment) bool { return held.ID == a.Attachment })
		})
		d.fulfilled = len(d.made) > 0 && (d.record.Finish == "stop" || d.record.Finish == "length")
	case m.Answers != 0:
		latest := lastEdit(m).Add(window)
		if slices.ContainsFunc(m.Attachments, func(a graph.Attachment) bool { return !a.ID.Time().After(latest) }) {
			d.made, d.fulfilled = allFiles(m), true
		}
	}
}

// correlate assigns files to answers without a record, by the times at which they were
// posted. A message of heddle's that only holds a file, without a record and without a
// request of its own, belongs to the answer right before it if that was last edited no
// more than the window earlier. Each answer takes at most one such message.
func (s *shaping) correlate() {
	trigger := s.trigger.drafts[0].message
	for i := range s.drafts {
		file := &s.drafts[i]
		if !file.unrecorded() || len(file.message.Attachments) == 0 || file.message.Answers != 0 {
			continue
		}
		answer := s.before(file.message, s.drafts[:i])
		if answer == nil {
			continue
		}
		answer.made, answer.fulfilled, file.fulfilled = allFiles(file.message), true, true
		if repliesTo(trigger, file.message) || repliesTo(trigger, answer.message) {
			answer.asked, file.asked = true, true
		}
	}
}

// unrecorded reports whether d is a message of heddle's own without a record.
func (d *draft) unrecorded() bool { return d.message.Origin == graph.OriginSelf && !d.recorded }

// before returns the answer that a file belongs to: of the answers without a file that are
// within the window the one edited last, or nil.
func (s *shaping) before(file *graph.Message, drafts []draft) (nearest *draft) {
	for i := range drafts {
		a := &drafts[i]
		if !a.unrecorded() || len(a.message.Attachments) > 0 || a.fulfilled || a.message.Channel != file.Channel {
			continue
		}
		after := file.Time.Sub(lastEdit(a.message))
		if after < 0 || after > s.ArtifactWindow {
			continue
		}
		if nearest == nil || !lastEdit(a.message).Before(lastEdit(nearest.message)) {
			nearest = a
		}
	}
	return nearest
}

func allFiles(m *graph.Message) []Artifact {
	files := make([]Artifact, len(m.Attachments))
	for i, a := range m.Attachments {
		files[i] = Artifact{Message: m.ID, Attachment: a.ID, Name: a.Name}
	}
	return files
}
