package graph

import (
	"cmp"
	"slices"
)

// Fold merges the parts of every answer of heddle's own that was sent in several
// Discord messages into one Message, and places every answer by its question. The
// result is ordered by Position, oldest first. The input may have any order and does
// not change.
//
// The question of an answer is its Answers field. If that is not set, replies show it:
// a message of heddle's that replies to one of heddle's belongs to the same answer, and
// one that replies to anybody else's answers that. A reply to a message outside the
// slice is taken as a reply to the trigger. Messages of heddle's in one channel with
// the same trigger are one answer.
//
// A merged answer has the id, time and name of its first part and the latest edit of
// all parts. It has their texts, separated by line breaks, and their attachments and
// references, in order, without the replies from part to part. Of several versions of a
// message Fold keeps the latest, and it drops a part that a merged answer already
// holds, so that folding twice changes nothing.
func Fold(messages []Message) []Message {
	folded := latestVersions(messages)
	own := make(map[MessageID]int) // the index of each of heddle's messages, and of each part of one
	for i := range folded {
		if folded[i].Origin == OriginSelf {
			own[folded[i].ID] = i
		}
	}
	for i := range folded {
		for _, part := range folded[i].Parts {
			own[part] = i
		}
	}
	if len(own) == 0 {
		return folded
	}
	folded = foldAnswers(folded, own)
	slices.SortFunc(folded, func(a, b Message) int { return a.Position().Compare(b.Position()) })
	return folded
}

// latestVersions returns a copy of messages, ordered by id, with only the latest
// version of each.
func latestVersions(messages []Message) []Message {
	sorted := slices.Clone(messages)
	slices.SortStableFunc(sorted, func(a, b Message) int {
		if c := cmp.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		if c := b.Edited.Compare(a.Edited); c != 0 {
			return c
		}
		return cmp.Compare(len(b.Parts), len(a.Parts))
	})
	return slices.CompactFunc(sorted, func(a, b Message) bool { return a.ID == b.ID })
}

// answerKey identifies an answer by its question or, if that is not known, by its first
// part.
type answerKey struct {
	channel       ChannelID
	trigger, head MessageID
}

// foldAnswers merges the messages of heddle's own. messages are sorted by id, and own
// holds the indices of heddle's messages and their parts.
func foldAnswers(messages []Message, own map[MessageID]int) []Message {
	keys := make([]answerKey, len(messages))
	answers := make(map[answerKey]int) // indices into folded
	folded := make([]Message, 0, len(messages))
	for i := range messages {
		m := &messages[i]
		if m.Origin != OriginSelf {
			folded = append(folded, *m)
			continue
		}
		if own[m.ID] != i { // a merged answer holds this message as a part
			continue
		}
		keys[i] = keyOf(m, i, own, keys)
		at, begun := answers[keys[i]]
		if begun {
			folded[at].join(m)
			continue
		}
		answers[keys[i]] = len(folded)
		folded = append(folded, *m)
		folded[len(folded)-1].Answers = keys[i].trigger
	}
	for _, at := range answers {
		m := &folded[at]
		toItself := func(r Reference) bool { return r.Message != 0 && m.Holds(r.Message) }
		if slices.ContainsFunc(m.References, toItself) {
			m.References = slices.DeleteFunc(slices.Clone(m.References), toItself)
		}
	}
	return folded
}

// keyOf returns the key of the answer that a message belongs to. It follows one reply
// back, as the keys of older messages are known already.
func keyOf(m *Message, i int, own map[MessageID]int, keys []answerKey) answerKey {
	target := m.Answers
	if target == 0 {
		if at := slices.IndexFunc(m.References, func(r Reference) bool { return r.Kind == ReferenceReply }); at >= 0 {
			target = m.References[at].Message
		}
	}
	if j, ok := own[target]; ok && j < i {
		return keys[j]
	} else if !ok && target != 0 {
		return answerKey{channel: m.Channel, trigger: target}
	}
	return answerKey{channel: m.Channel, head: m.ID}
}

// join appends a part to an answer.
func (m *Message) join(part *Message) {
	if m.Holds(part.ID) {
		return
	}
	m.Parts = append(slices.Clip(m.Parts), part.ID)
	m.Parts = append(m.Parts, part.Parts...)
	switch {
	case m.Text == "":
		m.Text = part.Text
	case part.Text != "":
		m.Text += "\n" + part.Text
	}
	m.Attachments = append(slices.Clip(m.Attachments), part.Attachments...)
	m.References = append(slices.Clip(m.References), part.References...)
	if part.Edited.After(m.Edited) {
		m.Edited = part.Edited
	}
}
