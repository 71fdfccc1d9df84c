// Package sources decides what may become of something that was made from messages, such
// as an answer or a summary. The messages that it was made from come in, and the person
// who asks. What goes out is whether it may be used for that person, and which messages
// erase it when they are deleted. The package keeps nothing.
//
// What heddle itself said in a channel was made from messages, too. A Reader is therefore
// the one way in which the rooms read what was said.
package sources

import (
	"context"
	"log/slog"
	"slices"

	"heddle/graph"
	"heddle/store"
)

// Channels decides which channels people may read; guilds.Cache does.
type Channels interface {
	Scope(guild graph.GuildID, channel graph.ChannelID) store.Scope
	MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
}

// People knows who opted out; gate.People does.
type People interface {
	// Refresh updates the list. After an error, the previous list remains in force.
	Refresh(ctx context.Context) error
	// Known reports whether the list has been read.
	Known() bool
	// OptedOut reports whether a person has opted out, so that nothing they write may
	// be used.
	OptedOut(person graph.UserID) bool
}

// Everybody is a People of whom nobody opts out.
type Everybody struct{}

// Refresh does nothing.
func (Everybody) Refresh(context.Context) error { return nil }

// Known returns true.
func (Everybody) Known() bool { return true }

// OptedOut returns false.
func (Everybody) OptedOut(graph.UserID) bool { return false }

// Asker is a person who asks for something that was made from messages.
type Asker struct {
	Person graph.UserID  // zero for everybody in the scope
	Guild  graph.GuildID // where they ask; zero in a direct message
	Scope  store.Scope   // of the channel where they ask
	Self   graph.UserID  // heddle's own account
	// Own are the sources that the question itself is answered from. They need no further
	// check.
	Own []store.SourceRef
}

// Rule decides what may be used. Its methods may be called from any goroutine.
type Rule struct {
	People   People
	Channels Channels
	Log      *slog.Logger
}

// AnyOut reports whether the author of any of made has opted out.
func (r *Rule) AnyOut(made []store.SourceRef) bool {
	return slices.ContainsFunc(made, func(s store.SourceRef) bool { return r.People.OptedOut(s.Author) })
}

// MayUse reports whether something may be used for an asker: nobody whose words it was
// made from has opted out, and the asker may read all of it. The channel of each source
// must still be in the asker's scope, and the asker must be allowed to read it now, as
// both may have changed since. A forward is read where it stands, whatever its original's
// channel. What cannot be decided is not used.
func (r *Rule) MayUse(ctx context.Context, asker Asker, made []store.SourceRef) bool {
	if r.AnyOut(made) {
		return false
	}
	checked := make(map[store.SourceRef]bool)
	for _, source := range asker.Own {
		checked[identity(source)] = true
	}
	readable := make(map[graph.ChannelID]bool)
	for _, source := range made {
		if source.Forwarded || readable[source.Channel] || checked[identity(source)] {
			continue
		}
		if readable[source.Channel] = r.mayRead(ctx, asker, source.Channel); !readable[source.Channel] {
			return false
		}
	}
	return true
}

// mayRead reports whether an asker may read a channel of their scope.
func (r *Rule) mayRead(ctx context.Context, asker Asker, channel graph.ChannelID) bool {
	if r.Channels.Scope(asker.Guild, channel) != asker.Scope {
		return false
	}
	if asker.Person == 0 {
		return true
	}
	may, err := r.Channels.MayRead(ctx, asker.Guild, channel, asker.Person)
	if err != nil {
		r.Log.WarnContext(ctx, "it could not be decided who may read the sources of something stored, it is not used", "error", err)
	}
	return may
}

// Ref returns a message as a source.
func Ref(m *graph.Message) store.SourceRef {
	return store.SourceRef{Message: m.ID, Channel: m.Channel, Author: m.Author, Edited: m.Edited}
}

// Forwarded returns the originals of what a message forwards.
func Forwarded(m *graph.Message) (all []store.SourceRef) {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceForward && r.State != graph.ReferenceDeleted && r.State != graph.ReferenceWithheld {
			all = append(all, store.SourceRef{Message: r.Message, Channel: r.Channel, Author: r.User, Forwarded: true})
		}
	}
	return all
}

// identity returns what identifies a source, whatever its version and its position on a
// path.
func identity(source store.SourceRef) store.SourceRef {
	return store.SourceRef{Message: source.Message, Channel: source.Channel, Author: source.Author, Forwarded: source.Forwarded}
}

// Inherit returns the sources of something that is given again: its own and those that
// it was made from. A deletion of any of them erases it.
func Inherit(own, made []store.SourceRef) []store.SourceRef {
	known := make(map[store.SourceRef]bool, len(own))
	for _, source := range own {
		known[identity(source)] = true
	}
	for _, source := range made {
		if !known[identity(source)] {
			known[identity(source)] = true
			source.Position = 0 // its position is on another path
			own = append(own, source)
		}
	}
	return own
}

// Named returns everybody whose words something was made from, once for each channel. It
// is what something else inherits that quotes it: deletions of single messages reach that
// through what it quotes.
func Named(made []store.SourceRef) []store.SourceRef {
	var named []store.SourceRef
	known := make(map[store.SourceRef]bool)
	for _, source := range made {
		ref := store.SourceRef{Channel: source.Channel, Author: source.Author, Forwarded: source.Forwarded}
		if !known[ref] {
			known[ref] = true
			named = append(named, ref)
		}
	}
	return named
}
