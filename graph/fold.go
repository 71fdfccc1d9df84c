package graph

import (
	"cmp"
	"slices"
)

// Fold makes one Message of every answer of heddle's own that was sent in several
// Discord messages, and places every answer by what it answers. The result is
// oldest first by Position; the input is left as it is, whatever its order.
//
// Messages carry Answers where it is known. Elsewhere it follows from the replies:
// an own message that replies to an own message belongs to the same answer, and an
// own message that replies to anybody else's answers that; a reply that leads out
// of the slice is taken for one to the trigger. Own messages of one channel with
// the same trigger are one answer.
//
// A folded answer has the id, time and name of its first part, the latest edit of
// all, and their texts (a line break between), attachments and references in order,
// without the replies from part to part. Of several versions of a message the
// latest is kept, and a part that a folded answer already holds is dropped, so
// folding twice changes nothing.
func Fold(messages []Message) []Message {
	folded := latestVersions(messages)
	own := ownMessages(folded)
	if len(own) > 0 {
		folded = foldAnswers(folded, own)
		slices.SortFunc(folded, byPosition)
	}
	return folded
}

// ownMessages returns the index of each own message and of each part of one.
func ownMessages(messages []Message) map[MessageID]int {
	own := make(map[MessageID]int)
	for i := range messages {
		if messages[i].Origin == OriginSelf {
			own[messages[i].ID] = i
		}
	}
	for i := range messages {
		for _, part := range messages[i].Parts {
			own[part] = i
		}
	}
	return own
}

// latestVersions copies the messages, each id once in its latest version, by id.
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

// answerKey names an answer: by what it answers, or where nobody knows that, by
// its first part.
type answerKey struct {
	channel       ChannelID
	trigger, head MessageID
}

// foldAnswers merges the own messages among messages, which are sorted by id; own
// says where the own messages and their parts are.
func foldAnswers(messages []Message, own map[MessageID]int) []Message {
	keys := make([]answerKey, len(messages))
	answers := make(map[answerKey]int) // where the answer is in folded
	folded := make([]Message, 0, len(messages))
	for i := range messages {
		m := &messages[i]
		if m.Origin != OriginSelf {
			folded = append(folded, *m)
			continue
		}
		if own[m.ID] != i { // a folded answer holds this as a part
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
		folded[at].dropInnerReplies()
	}
	return folded
}

// keyOf follows one reply back: the keys of older messages are known by now.
func keyOf(m *Message, i int, own map[MessageID]int, keys []answerKey) answerKey {
	target := answered(m)
	if j, ok := own[target]; ok && j < i {
		return keys[j]
	} else if !ok && target != 0 {
		return answerKey{channel: m.Channel, trigger: target}
	}
	return answerKey{channel: m.Channel, head: m.ID}
}

// answered returns what an own message answers according to itself.
func answered(m *Message) MessageID {
	if m.Answers != 0 {
		return m.Answers
	}
	for _, reference := range m.References {
		if reference.Kind == ReferenceReply {
			return reference.Message
		}
	}
	return 0
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

// dropInnerReplies takes out of a folded answer the references to itself.
func (m *Message) dropInnerReplies() {
	inner := func(r Reference) bool { return r.Message != 0 && m.Holds(r.Message) }
	if slices.ContainsFunc(m.References, inner) {
		m.References = slices.DeleteFunc(slices.Clone(m.References), inner)
	}
}

// Holds reports whether id is the message's own or that of one of its parts.
func (m *Message) Holds(id MessageID) bool {
	return m.ID == id || slices.Contains(m.Parts, id)
}

func byPosition(a, b Message) int { return a.Position().Compare(b.Position()) }
