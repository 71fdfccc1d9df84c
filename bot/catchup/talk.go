package catchup

import (
	"cmp"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/store"
)

// talk is a talk of a stretch, with what is told of it.
type talk struct {
	graph.Talk

	scope    store.Scope // of its channel
	fresh    int         // index of the first message of the stretch; those before led up to it
	concerns bool        // it names or answers whoever asks
	described
}

// described is what the model says of a talk. It is zero for a talk that it was not asked
// about.
type described struct {
	Title string `json:"title"`
	About string `json:"about"`
	Open  string `json:"open"`
}

// newTalk returns what a person is told of a talk of which something was said from a
// position on, and nil if nothing was.
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
	if t.fresh < 0 {
		return nil
	}
	return t
}

// from returns the message that the talk's link leads to: the first of the stretch.
func (t *talk) from() *graph.Message { return &t.Messages[t.fresh] }

// messagesNew returns how many messages of the stretch are in the talk.
func (t *talk) messagesNew() int { return len(t.Messages) - t.fresh }

// isAside reports whether the talk is a single message that nobody answered.
func (t *talk) isAside() bool { return len(t.Messages) == 1 && !t.concerns }

// names returns the names of who took part, in the order of their first messages.
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
