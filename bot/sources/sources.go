// Package sources decides what may become of something that was made from messages, such
// as an answer or a summary. The messages that it was made from come in, and the person
// who asks. What goes out is whether that person may be given it, and which messages
// erase it when they are deleted. The package keeps nothing.
package sources

import (
	"context"
	"log/slog"
	"slices"

	"heddle/graph"
	"heddle/store"
)

// People knows who opted out; gate.People does.
type People interface {
	// OptedOut reports whether a person has opted out, so that nothing they write may
	// be used.
	OptedOut(person graph.UserID) bool
}

// AnyOut reports whether the author of any of sources has opted out.
func AnyOut(people People, sources []store.SourceRef) bool {
	return slices.ContainsFunc(sources, func(s store.SourceRef) bool { return people.OptedOut(s.Author) })
}

// Channels decides which channels people may read; guilds.Permissions does.
type Channels interface {
	Scope(guild graph.GuildID, channel graph.ChannelID) store.Scope
	MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
}

// Asker is a person who asks for something that was made from messages.
type Asker struct {
	Person graph.UserID
	Guild  graph.GuildID // where they ask; zero in a direct message
	Scope  store.Scope   // of the channel where they ask
	// Own are the sources that the question itself is answered from. They need no further
	// check.
	Own []store.SourceRef
}

// MayBeGiven reports whether an asker may read everything that something was made from.
// The channel of each source must still be in the asker's scope, and the asker must be
// allowed to read it now, as both may have changed since. What cannot be decided is not
// given.
func MayBeGiven(ctx context.Context, log *slog.Logger, channels Channels, asker Asker, made []store.SourceRef) bool {
	checked := make(map[store.SourceRef]bool)
	for _, source := range asker.Own {
		checked[identity(source)] = true
	}
	seen := make(map[graph.ChannelID]bool)
	for _, source := range made {
		if checked[identity(source)] || seen[source.Channel] {
			continue
		}
		seen[source.Channel] = true
		if channels.Scope(asker.Guild, source.Channel) != asker.Scope {
			return false
		}
		may, err := channels.MayRead(ctx, asker.Guild, source.Channel, asker.Person)
		if err != nil {
			log.WarnContext(ctx, "it could not be decided who may read the sources of something stored, the model is asked", "error", err)
		}
		if !may {
			return false
		}
	}
	return true
}

// identity returns what identifies a source, whatever its version and its position on a
// path.
func identity(source store.SourceRef) store.SourceRef {
	return store.SourceRef{Message: source.Message, Channel: source.Channel, Author: source.Author}
}

// Inherit returns the sources of something that is given again: its own and those that
// it was made from. A deletion of any of them erases it.
func Inherit(own, made []store.SourceRef) []store.SourceRef {
	known := make(map[store.SourceRef]bool, len(own))
	for _, source := range own {
		known[identity(source)] = true
	}
	for _, source := range made {
		if known[identity(source)] {
			continue
		}
		known[identity(source)] = true
		source.Position = 0 // its position is on another path
		own = append(own, source)
	}
	return own
}
