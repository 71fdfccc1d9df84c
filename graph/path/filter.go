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
		d.made = recordedFiles(m, d.record.Artifacts)
		d.fulfilled = len(d.made) > 0 && d.record.given()
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

// unrecorded reports whether it is a message of heddle's own without a record.
func (d *draft) unrecorded() bool { return d.message.Origin == graph.OriginSelf && !d.recorded }

// before returns the answer that a file belongs to: of those within the window that have no
// file yet, the one that was edited last, or nil.
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

// recordedFiles returns the recorded artifacts that a message still holds.
func recordedFiles(m *graph.Message, artifacts []Artifact) []Artifact {
	return slices.DeleteFunc(slices.Clone(artifacts), func(a Artifact) bool {
		return !slices.ContainsFunc(m.Attachments, func(held graph.Attachment) bool { return held.ID == a.Attachment })
	})
}

func allFiles(m *graph.Message) []Artifact {
	files := make([]Artifact, len(m.Attachments))
	for i, a := range m.Attachments {
		files[i] = Artifact{Message: m.ID, Attachment: a.ID, Name: a.Name}
	}
	return files
}
