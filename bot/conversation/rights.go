package conversation

import (
	"context"
	"log/slog"
	"slices"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/store"
)

// Asker is a person who asks for something that was made from messages.
type Asker struct {
	Person graph.UserID  // zero for everybody in the scope
	Guild  graph.GuildID // where they ask; zero in a direct message
	Scope  store.Scope   // of the channel where they ask
	Self   graph.UserID  // heddle's own account
	// Alone is set if they alone read what is made. Then it may be made from other channels of the
	// guild that they may read, except for age-restricted ones.
	Alone bool
	// Own are the sources that the question itself is answered from. They need no further
	// check.
	Own []store.SourceRef
}

// Rights decide what may become of something that was made from messages, such as an answer or a
// summary: for whom it may be used. The methods may be called from any goroutine.
type Rights struct {
	People *guilds.People
	Guilds *guilds.Cache
	Log    *slog.Logger
}

// AnyOut reports whether the author of any of made has opted out.
func (r *Rights) AnyOut(made []store.SourceRef) bool {
	return slices.ContainsFunc(made, func(s store.SourceRef) bool { return r.People.OptedOut(s.Author) })
}

// MayUse reports whether something may be used for an asker: nobody whose words it was
// made from has opted out, and the asker may read all of it. The channel of each source
// must still be in the asker's scope, and the asker must be allowed to read it now, as
// both may have changed since. A forward is read where it stands, whatever its original's
// channel. What cannot be decided is not used.
func (r *Rights) MayUse(ctx context.Context, asker Asker, made []store.SourceRef) bool {
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

// mayRead reports whether an asker may read a channel of their scope, or of another one if they
// alone read what is made.
func (r *Rights) mayRead(ctx context.Context, asker Asker, channel graph.ChannelID) bool {
	if at := r.Guilds.Place(channel, asker.Guild); at.Scope != asker.Scope && (!asker.Alone || at.AgeRestricted || r.Guilds.GuildOf(channel) != asker.Guild) {
		return false
	}
	if asker.Person == 0 {
		return true
	}
	may, err := r.Guilds.MayRead(ctx, asker.Guild, channel, asker.Person)
	if err != nil {
		r.Log.WarnContext(ctx, "it could not be decided who may read the sources of something stored, it is not used", "error", err)
	}
	return may
}

// sourceOf returns a message as a source.
func sourceOf(m *graph.Message) store.SourceRef {
	return store.SourceRef{Message: m.ID, Channel: m.Channel, Author: m.Author, Edited: m.Edited}
}

// forwarded returns the originals of what a message forwards.
func forwarded(m *graph.Message) (all []store.SourceRef) {
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

// named returns everybody whose words something was made from, once for each channel. It
// is what something else inherits that quotes it: deletions of single messages reach that
// through what it quotes.
func named(made []store.SourceRef) []store.SourceRef {
	var all []store.SourceRef
	known := make(map[store.SourceRef]bool)
	for _, source := range made {
		ref := store.SourceRef{Channel: source.Channel, Author: source.Author, Forwarded: source.Forwarded}
		if !known[ref] {
			known[ref] = true
			all = append(all, ref)
		}
	}
	return all
}
