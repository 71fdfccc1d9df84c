package conversation

import (
	"fmt"

	"heddle/bot/guilds"
	"heddle/bot/sources"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
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
	// Chosen are the settings to answer with, in place of those in effect in the
	// question's channel; nil for those.
	Chosen *store.Override
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
func (q *Question) AskedBy(person graph.UserID) sources.Asker {
	return sources.Asker{Person: person, Guild: q.Guild, Scope: q.Place.Scope}
}

// read returns the newest version of the question.
func (q *Question) read(source graph.Source) (graph.Message, error) {
	if q.Spoken != nil {
		return q.Spoken.Message, nil
	}
	reading, err := source.Read(graph.Batch{Lookups: []graph.Lookup{{Channel: q.Channel, Message: q.ID}}})
	if err != nil {
		return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, err)
	}
	switch found := reading.Found[0]; found.State {
	case graph.ReferenceResolved:
		return found.Message, nil
	case graph.ReferenceDeleted:
		return graph.Message{}, work.ErrQuestionGone
	case graph.ReferenceWithheld:
		return graph.Message{}, work.ErrOptedOut
	case graph.ReferenceNotLoaded, graph.ReferenceUnreadable:
	}
	return graph.Message{}, fmt.Errorf("read the question %s: %w", q.ID, errUnread)
}

// addresses returns the addresses of files that are not on a message.
func (q *Question) addresses() map[graph.AttachmentID]string {
	if q.Spoken == nil {
		return nil
	}
	return q.Spoken.Addresses
}
