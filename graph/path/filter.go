package path

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// filter leaves out what is fulfilled: a request together with its answers, once one of
// them made a file that Discord still has. Whatever the trigger replies to stays. If
// the request is gone, such an answer is left out by itself; a request whose answer is
// gone stays.
func (s *shaping) filter() {
	made := s.correlate()
	files := s.Lineage.Files
	inSight := func(a Artifact) bool {
		return slices.ContainsFunc(s.drafts, func(d draft) bool { return d.message.Holds(a.Message) })
	}
	files = slices.DeleteFunc(slices.Clone(files), inSight) // the messages that hold them show which ones still exist
	s.leave(LeftFulfilled, func(_ int, u *unit) bool {
		fulfilled := false
		for i := range u.drafts {
			artifacts, done := made.by(&u.drafts[i])
			fulfilled = fulfilled || done
			files = append(files, artifacts...)
		}
		return fulfilled && !u.repliedTo && !made.repliedTo(u)
	})
	slices.SortStableFunc(files, func(a, b Artifact) int { return cmp.Compare(a.Message, b.Message) })
	s.built.Files = slices.CompactFunc(files, func(a, b Artifact) bool { return a == b })
}

// correlation links answers without a record to the files that they made, by the times
// at which the files were posted.
type correlation struct {
	window time.Duration
	// files are the messages with a file and nothing else, by the answer that they
	// belong to. carried marks those messages.
	files   map[graph.MessageID]*graph.Message
	carried map[graph.MessageID]bool
	// asked marks the answers whose file messages the trigger replies to.
	asked map[graph.MessageID]bool
}

func (c *correlation) repliedTo(u *unit) bool {
	return slices.ContainsFunc(u.drafts, func(d draft) bool { return c.asked[d.message.ID] })
}

// correlate assigns files to answers without a record. A message of heddle's that only
// holds a file, without a record and without a request of its own, belongs to the
// answer right before it if that was last edited no more than the window earlier. Each
// answer takes at most one such message.
func (s *shaping) correlate() correlation {
	c := correlation{window: s.ArtifactWindow}
	var answers []*graph.Message
	for i := range s.drafts {
		d := &s.drafts[i]
		switch {
		case d.recorded || d.message.Origin != graph.OriginSelf:
		case len(d.message.Attachments) == 0:
			answers = append(answers, d.message)
		case d.message.Answers == 0:
			c.assign(d.message, answers, s.trigger.drafts[0].message)
		}
	}
	return c
}

// assign assigns a file to an answer before it: of those within the window that have no
// file yet, to the one that was edited last.
func (c *correlation) assign(file *graph.Message, answers []*graph.Message, trigger *graph.Message) {
	var nearest *graph.Message
	for _, a := range answers {
		after := file.Time.Sub(lastEdit(a))
		if a.Channel != file.Channel || after < 0 || after > c.window || c.files[a.ID] != nil {
			continue
		}
		if nearest == nil || !lastEdit(a).Before(lastEdit(nearest)) {
			nearest = a
		}
	}
	if nearest == nil {
		return
	}
	if c.files == nil {
		c.files = make(map[graph.MessageID]*graph.Message)
		c.carried, c.asked = make(map[graph.MessageID]bool), make(map[graph.MessageID]bool)
	}
	c.files[nearest.ID] = file
	c.carried[file.ID] = true
	if repliesTo(trigger, file) || repliesTo(trigger, nearest) {
		c.asked[file.ID], c.asked[nearest.ID] = true, true
	}
}

// by returns the files that a message made and Discord still has, and reports whether
// they fulfil the message's request.
func (c *correlation) by(d *draft) (files []Artifact, fulfilled bool) {
	m := d.message
	switch {
	case m.Origin != graph.OriginSelf:
		return nil, false
	case d.recorded:
		files = recordedFiles(m, d.record.Artifacts)
		return files, len(files) > 0 && d.record.given()
	case c.carried[m.ID]:
		return nil, true // counted with the answer that it belongs to
	case c.files[m.ID] != nil:
		return allFiles(c.files[m.ID]), true
	case m.Answers != 0:
		latest := lastEdit(m).Add(c.window)
		if slices.ContainsFunc(m.Attachments, func(a graph.Attachment) bool { return !a.ID.Time().After(latest) }) {
			return allFiles(m), true
		}
	}
	return nil, false
}

// recordedFiles returns the recorded artifacts that a message still holds.
func recordedFiles(m *graph.Message, artifacts []Artifact) []Artifact {
	var files []Artifact
	for _, a := range artifacts {
		if slices.ContainsFunc(m.Attachments, func(held graph.Attachment) bool { return held.ID == a.Attachment }) {
			files = append(files, a)
		}
	}
	return files
}

func allFiles(m *graph.Message) []Artifact {
	files := make([]Artifact, len(m.Attachments))
	for i, a := range m.Attachments {
		files[i] = Artifact{Message: m.ID, Attachment: a.ID, Name: a.Name}
	}
	return files
}
