package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
)

// Question is a message that asks heddle.
type Question struct {
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	ID      graph.MessageID
	Place   guilds.Place
	// Asker is the person who asks, if that is not the author of the question. Tools
	// read only what the asker may read.
	Asker graph.UserID
	// Spoken is the question itself if it is not in a message; otherwise nil.
	Spoken *Spoken
}

// Spoken is a question that is not in a message.
type Spoken struct {
	Message   graph.Message
	Addresses map[graph.AttachmentID]string // of its files, which are not on a message either
	Earlier   []graph.Message               // what was asked and answered before, in no channel
}

// AskedBy returns a person who asks the question.
func (q *Question) AskedBy(person graph.UserID) Asker {
	return Asker{Person: person, Guild: q.Guild, Scope: q.Place.Scope, Self: q.Place.Self.User}
}

// Why a question is not answered.
var (
	// ErrQuestionGone means that the question was deleted.
	ErrQuestionGone = errors.New("the question was deleted")
	// ErrOptedOut means that a question is by somebody who opted out.
	ErrOptedOut = errors.New("the question is by somebody who opted out")
	// ErrPaused means that an operator has paused heddle.
	ErrPaused = errors.New("an operator has paused heddle")
)

// errUnread means that Discord did not return the question.
var errUnread = errors.New("the question could not be read")

// Read returns the newest version of a question. It fails with ErrQuestionGone if
// the question was deleted.
func (r *Preparer) Read(ctx context.Context, q Question) (graph.Message, error) {
	r.deps.Writes.Await(ctx, q.Place.Scope) // so that nothing is read that was deleted before
	return r.read(ctx, q)
}

// read returns the newest version of a question. Nothing else is read with it, as it may
// show only then who asks.
func (r *Preparer) read(ctx context.Context, q Question) (graph.Message, error) {
	if q.Spoken != nil {
		return q.Spoken.Message, nil
	}
	r.deps.History.LookUp(ctx, q.Channel, q.ID)
	if held, ok := r.deps.History.Message(q.Channel, q.ID); ok {
		return held, nil
	}
	source := r.deps.History.Mention(fetch.Place{Channel: q.Channel, Trigger: q.ID, NoHistory: q.Place.NoHistory}).Source(ctx)
	reading, err := source(graph.Batch{Lookups: []graph.Lookup{{Channel: q.Channel, Message: q.ID}}})
	if err != nil {
		return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, err)
	}
	switch found := reading.Found[0]; found.State {
	case graph.ReferenceResolved:
		return found.Message, nil
	case graph.ReferenceDeleted:
		return graph.Message{}, ErrQuestionGone
	case graph.ReferenceWithheld:
		return graph.Message{}, ErrOptedOut
	case graph.ReferenceNotLoaded, graph.ReferenceUnreadable:
	}
	return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, errUnread)
}

// mayUse reports whether a question may be answered from a channel that is not its own.
// The asker must be allowed to read it. Unless the question's thread belongs to it, it
// must be in the same scope, as everybody reads the answer.
func (r *Preparer) mayUse(ctx context.Context, q Question, asker graph.UserID, channel graph.ChannelID) bool {
	if channel != q.Place.Parent && r.deps.Guilds.Scope(q.Guild, channel) != q.Place.Scope {
		return false
	}
	readable, err := r.deps.Guilds.MayRead(ctx, q.Guild, channel, asker)
	if err != nil {
		r.deps.Log.WarnContext(ctx, "it could not be found out who may read another channel, the answer goes without", "trigger", q.ID, "channel", channel, "error", err)
	}
	return readable && err == nil
}

// longestAgain is the length in bytes of the longest text that is examined.
const longestAgain = 40

// AsksAgain reports whether a message asks for another answer, and returns the message
// that it replies to. It does if it replies and consists of "again", in any language
// that heddle speaks, or of 🔁.
func AsksAgain(m *graph.Message) (answer graph.MessageID, ok bool) {
	reply := slices.IndexFunc(m.References, func(r graph.Reference) bool { return r.Kind == graph.ReferenceReply })
	if reply < 0 || !saysAgain(m.Text) {
		return 0, false
	}
	return m.References[reply].Message, true
}

// saysAgain reports whether a text, apart from mentions, only asks for another answer.
func saysAgain(text string) bool {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(word string) bool { return strings.HasPrefix(word, "@") })
	said := strings.TrimRight(strings.Join(words, " "), ".!。！")
	if len(said) > longestAgain {
		return false
	}
	return said == "🔁" || said == "🔄" || slices.Contains(phrases.Words("again_words"), said)
}
