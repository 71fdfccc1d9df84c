package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
)

// Question is what one person wants to know, in one message or several.
type Question struct {
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	ID      graph.MessageID   // names its claim and its record: the first message
	Parts   []graph.MessageID // the further messages that it stands in, oldest first
	Place   guilds.Place
	// Asker is the person who asks, if that is not the author of the question. Tools
	// read only what the asker may read.
	Asker graph.UserID
	// Spoken is the question itself if it is not in a message; otherwise nil.
	Spoken *Spoken
	// Private is set if the asker alone reads the answer.
	Private bool
}

// Spoken is a question that is not in a message.
type Spoken struct {
	Message   graph.Message
	Addresses map[graph.AttachmentID]fetch.Address // of its files, which are not on a message either
	Earlier   []graph.Message                      // what was asked and answered before, in no channel
}

// Last returns the message that an answer replies to.
func (q *Question) Last() graph.MessageID {
	if len(q.Parts) == 0 {
		return q.ID
	}
	return q.Parts[len(q.Parts)-1]
}

// AskedBy returns a person who asks the question.
func (q *Question) AskedBy(person graph.UserID) Asker {
	return Asker{Person: person, Guild: q.Guild, Scope: q.Place.Scope, Self: q.Place.Self.User, Alone: q.Private}
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

// read returns the newest version of a question, as one message. Nothing else is read with it, as
// it may show only then who asks.
func (r *Preparer) read(ctx context.Context, q Question) (graph.Message, error) {
	if q.Spoken != nil {
		return q.Spoken.Message, nil
	}
	asked, err := r.readPart(ctx, q, q.ID)
	for _, id := range q.Parts {
		if err != nil {
			break
		}
		var part graph.Message
		if part, err = r.readPart(ctx, q, id); err == nil {
			addPart(&asked, &part)
		}
	}
	return asked, err
}

// addPart adds a further message to a question. Its version is when the newest message was added or
// edited. A mention without words adds nothing to read.
func addPart(asked, part *graph.Message) {
	asked.Parts = append(slices.Clip(asked.Parts), part.ID)
	if part.AsksNothing() {
		return
	}
	own, more := len(asked.Text)-asked.Added, len(part.Text)-part.Added
	texts := []string{asked.Text[:own], part.Text[:more], asked.Text[own:], part.Text[more:]}
	for i := range texts {
		texts[i] = strings.TrimPrefix(texts[i], "\n")
	}
	empty := func(text string) bool { return text == "" }
	typed := strings.Join(slices.DeleteFunc(slices.Clone(texts[:2]), empty), "\n")
	asked.Text = strings.Join(slices.DeleteFunc(texts, empty), "\n")
	asked.Added = len(asked.Text) - len(typed)
	asked.Attachments = slices.Clip(asked.Attachments)
	for _, file := range part.Attachments {
		file.On = part.ID
		asked.Attachments = append(asked.Attachments, file)
	}
	asked.References = append(slices.Clip(asked.References), part.References...)
	for _, at := range []time.Time{part.Edited, part.ID.Time()} {
		if at.After(asked.Edited) {
			asked.Edited = at
		}
	}
}

// readPart returns the newest version of one message of a question.
func (r *Preparer) readPart(ctx context.Context, q Question, id graph.MessageID) (graph.Message, error) {
	r.deps.History.LookUp(ctx, q.Channel, id)
	if held, ok := r.deps.History.Message(q.Channel, id); ok {
		return held, nil
	}
	source := r.deps.History.Mention(fetch.Place{Channel: q.Channel, Trigger: id, NoHistory: q.Place.NoHistory}).Source(ctx)
	reading, err := source(graph.Batch{Lookups: []graph.Lookup{{Channel: q.Channel, Message: id}}})
	if err != nil {
		return graph.Message{}, fmt.Errorf("read the question %s: %w", id, err)
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
	return graph.Message{}, fmt.Errorf("read the question %s: %w", id, errUnread)
}

// mostMet bounds the channels that Discord is asked about for one question.
const mostMet = 5

// readable returns the function that reports whether a question may be answered from what is looked
// up in a channel. The asker must be allowed to read it. Unless the question's thread belongs to
// the channel, it must be in the same scope, as everybody reads the answer. An archived thread is
// met first, as links often lead to posts that are done (JavaBot#285).
func (r *Preparer) readable(ctx context.Context, q Question, asker graph.UserID) func(graph.Lookup) bool {
	met := 0
	return func(l graph.Lookup) bool {
		if !r.deps.Guilds.Knows(l.Channel) && met < mostMet {
			met++
			if _, err := r.deps.Guilds.Find(ctx, q.Guild, l.Channel); err != nil {
				r.deps.Log.DebugContext(ctx, "a channel that is linked to could not be read, the answer goes without", "trigger", q.ID, "channel", l.Channel, "error", err)
			}
		}
		at := r.deps.Guilds.Place(l.Channel, q.Guild)
		if l.Message == 0 && at.Parent == 0 || l.Channel != q.Place.Parent && at.Scope != q.Place.Scope {
			return false
		}
		readable, err := r.deps.Guilds.MayRead(ctx, q.Guild, l.Channel, asker)
		if err != nil {
			r.deps.Log.WarnContext(ctx, "it could not be found out who may read another channel, the answer goes without", "trigger", q.ID, "channel", l.Channel, "error", err)
		}
		return readable && err == nil
	}
}

// linksNotRead returns the links of a question that lead to what may not be read, or is gone. It
// does not tell which. The mention of a channel that is no thread is only a name.
func (r *Preparer) linksNotRead(p *Prepared) (all []phrases.Unread) {
	if p.Hidden || p.Alone {
		return nil
	}
	for _, link := range p.Graph.Trigger.References {
		read := slices.ContainsFunc(p.Graph.Edges, func(e graph.Edge) bool {
			return e.From == p.Graph.Trigger.ID && e.To == link.Message && (e.State == graph.ReferenceResolved || e.State == graph.ReferenceWithheld)
		})
		isName := link.Message == 0 && r.deps.Guilds.Knows(link.Channel) && r.deps.Guilds.Place(link.Channel, p.q.Guild).Parent == 0
		if link.Kind == graph.ReferenceLink && !read && !isName {
			all = append(all, phrases.Unread{Name: "…/" + cmp.Or(link.Message, graph.MessageID(link.Channel)).String(), Why: "unread_link"})
		}
	}
	return all
}

// longestAgain is the length in bytes of the longest text that is examined.
const longestAgain = 40

// AsksAgain reports whether a message asks for another answer, and returns the message
// that it replies to. It does if it replies and consists of "again", in any language
// that heddle speaks, or of 🔁.
func AsksAgain(m *graph.Message) (answer graph.MessageID, ok bool) {
	reply := slices.IndexFunc(m.References, func(r graph.Reference) bool { return r.Kind == graph.ReferenceReply })
	if reply < 0 || !saysAgain(m.Said()) {
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
