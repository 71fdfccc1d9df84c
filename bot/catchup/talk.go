package catchup

import (
	"cmp"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/store"
)

// talk is a talk of a stretch together with its description.
type talk struct {
	graph.Talk

	scope    store.Scope     // of its channel
	fresh    int             // index of the first message within the stretch; earlier ones lead up to it
	concerns bool            // it names or answers the asker
	thread   graph.ChannelID // that was started from a message of the talk; 0 for none
	described
}

// described is the model's description of a talk. It is zero if there is none.
type described struct {
	Title string `json:"title"`
	About string `json:"about"`
	Open  string `json:"open"`
}

// newTalk returns a talk for a person to read, or nil if all of its messages are before
// from. Messages of heddle's alone, such as an earlier list of talks, are no talk either.
func newTalk(parted graph.Talk, from graph.Position, person graph.UserID) *talk {
	t := &talk{Talk: parted, fresh: -1}
	byID := make(map[graph.MessageID]graph.UserID, len(parted.Messages))
	for i := range t.Messages {
		m := &t.Messages[i]
		byID[m.ID] = m.Author
		if m.Position().Compare(from) < 0 {
			continue
		}
		if t.fresh < 0 {
			t.fresh = i
		}
		for _, r := range m.References {
			names := r.Kind == graph.ReferenceAddress && r.User == person
			answers := r.Kind == graph.ReferenceReply && byID[r.Message] == person
			t.concerns = t.concerns || m.Author != person && (names || answers)
		}
	}
	people := func(m graph.Message) bool { return m.Origin != graph.OriginSelf }
	if t.fresh < 0 || !slices.ContainsFunc(t.Messages, people) {
		return nil
	}
	return t
}

// from returns the message that the talk's link leads to, which is the first of the
// stretch.
func (t *talk) from() *graph.Message { return &t.Messages[t.fresh] }

// messagesNew returns the number of the talk's messages in the stretch.
func (t *talk) messagesNew() int { return len(t.Messages) - t.fresh }

// isAside reports whether the talk is a single message that nobody answered.
func (t *talk) isAside() bool { return len(t.Messages) == 1 && !t.concerns }

// names returns the names of the people in the talk, in the order of their first
// messages.
func (t *talk) names() []string {
	var names []string
	for _, person := range t.People() {
		at := slices.IndexFunc(t.Messages, func(m graph.Message) bool { return m.Author == person })
		names = append(names, t.Messages[at].Name)
	}
	return names
}

// sorted orders talks: those that concern the person first, then by how much was said, then
// by when they began. What nobody answered comes last.
func sorted(talks []*talk) []*talk {
	first := func(yes bool) int {
		if yes {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(talks, func(a, b *talk) int {
		return cmp.Or(
			cmp.Compare(first(a.concerns), first(b.concerns)),
			cmp.Compare(first(!a.isAside()), first(!b.isAside())),
			cmp.Compare(b.messagesNew(), a.messagesNew()),
			a.from().Position().Compare(b.from().Position()),
		)
	})
	return talks
}

// words returns what a message says, or what it holds.
func words(m *graph.Message) string {
	if text := strings.TrimSpace(m.Text); text != "" {
		return text
	}
	var files []string
	for i := range m.Attachments {
		files = append(files, m.Attachments[i].Name)
	}
	return strings.Join(files, ", ")
}
