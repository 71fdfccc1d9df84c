package answer

import (
	"cmp"
	"context"
	"log/slog"

	"heddle/graph"
	"heddle/store"
)

// asker returns who asks: the author of the question, or whoever asked for another
// answer to it.
func (p *Prepared) asker() graph.UserID { return cmp.Or(p.Asker, p.trigger.Author) }

// permits reports whether a stored answer may be given to whoever asks. What the
// question itself is answered from needs no second look. The channel of any other
// source must still be in the question's scope, and the asker must be permitted to read
// it now: both may have changed since the answer was made.
func (l *lookup) permits(ctx context.Context, log *slog.Logger, p *Prepared, stored *store.Response) bool {
	checked := make(map[store.SourceRef]bool)
	for _, source := range p.sources(l.guilds.Self().ID) {
		checked[identity(source)] = true
	}
	channels := make(map[graph.ChannelID]bool)
	for _, source := range stored.Sources {
		if checked[identity(source)] || channels[source.Channel] {
			continue
		}
		channels[source.Channel] = true
		if l.guilds.Scope(p.Guild, source.Channel) != p.Place.Scope {
			return false
		}
		may, err := l.guilds.MayReadHistory(ctx, p.Guild, source.Channel, p.asker())
		if err != nil {
			log.WarnContext(ctx, "it could not be decided who may read a stored answer's sources, the model is asked", "error", err)
		}
		if !may {
			return false
		}
	}
	return true
}

// identity returns what names a source, wherever on a path it stands and in whichever
// version.
func identity(source store.SourceRef) store.SourceRef {
	return store.SourceRef{Message: source.Message, Channel: source.Channel, Author: source.Author}
}

// inherit returns the sources of an answer that is given again: those of the question
// and those that the answer was made from, so that a deletion of either erases it.
func inherit(own, made []store.SourceRef) []store.SourceRef {
	known := make(map[store.SourceRef]bool, len(own))
	for _, source := range own {
		known[identity(source)] = true
	}
	for _, source := range made {
		if known[identity(source)] {
			continue
		}
		known[identity(source)] = true
		source.Position = 0 // it stands on another path
		own = append(own, source)
	}
	return own
}
