package path

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// filter leaves out what is fulfilled: a request together with the answers to it,
// once one of them made a file that Discord still has. What the trigger replies to
// stays. An answer whose request is gone leaves alone; a request whose answer is
// gone stays.
func (s *shaping) filter() {
	made := s.correlate()
	files := s.Lineage.Files
	inSight := func(a Artifact) bool {
		return slices.ContainsFunc(s.drafts, func(d draft) bool { return d.message.Holds(a.Message) })
	}
	files = slices.DeleteFunc(slices.Clone(files), inSight) // their messages say what is still there
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

// correlation links messages without a record to the files that they made, by the time
// at which the files were posted.
type correlation struct {
	window time.Duration
	// files are the bare file messages by the answer that they came with, and
	// carried the messages that are such files.
	files   map[graph.MessageID]*graph.Message
	carried map[graph.MessageID]bool
	// asked are the messages of which the trigger replies to one that came with them.
	asked map[graph.MessageID]bool
}

func (c *correlation) repliedTo(u *unit) bool {
	return slices.ContainsFunc(u.drafts, func(d draft) bool { return c.asked[d.message.ID] })
}

// correlate finds for every message of heddle's own without a record and without
// another request that holds a file the answer right before it: the one last edited
// no more than the window earlier. An answer takes one such message.
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

// by returns the files that a message made and that Discord still has, and reports
// whether they fulfil what the message answers.
func (c *correlation) by(d *draft) (files []Artifact, fulfilled bool) {
	m := d.message
	switch {
	case m.Origin != graph.OriginSelf:
		return nil, false
	case d.recorded:
		files = recordedFiles(m, d.record.Artifacts)
		return files, len(files) > 0 && d.record.given()
	case c.carried[m.ID]:
		return nil, true // listed with the answer that it came with
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

// recordedFiles are the artifacts on record that a message still holds.
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
