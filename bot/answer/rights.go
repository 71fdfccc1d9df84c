package answer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"heddle/graph"
	"heddle/store"
)

// rights is what of a question's surroundings whoever asks may read.
type rights struct {
	known  bool // it was found out
	own    bool // what was said before in the question's channel
	parent bool // what was said in the channel that its thread belongs to
	// elsewhere reports whether an answer may be made from what was said in another channel.
	elsewhere func(graph.ChannelID) bool
}

// rightsOf finds out rights.
type rightsOf struct {
	guilds Members
	logger *slog.Logger
}

// of returns what whoever asks a question may read: Question.Asker or, without one, its
// author. If neither is known, nor are the rights.
func (r *rightsOf) of(ctx context.Context, q Question, author graph.UserID) (may rights, err error) {
	asker := cmp.Or(q.Asker, author)
	if asker == 0 {
		return rights{}, nil
	}
	may.known = true
	if may.own, err = r.guilds.MayRead(ctx, q.Guild, q.Channel, asker); err == nil && may.own && q.Place.Parent != 0 {
		may.parent, err = r.guilds.MayRead(ctx, q.Guild, q.Place.Parent, asker)
	}
	if err != nil {
		return rights{}, fmt.Errorf("find out what the asker of %s may read: %w", q.ID, err)
	}
	may.elsewhere = func(channel graph.ChannelID) bool { return may.own && r.elsewhere(ctx, q, asker, channel) }
	return may, nil
}

// elsewhere reports whether a question may be answered from what was said in a channel that
// is neither its own nor its parent: in one of the same scope, as everybody reads the
// answer, and if both the asker and heddle may read that channel's history.
func (r *rightsOf) elsewhere(ctx context.Context, q Question, asker graph.UserID, channel graph.ChannelID) bool {
	if r.guilds.Scope(q.Guild, channel) != q.Place.Scope {
		return false
	}
	readable, err := r.guilds.MayReadHistory(ctx, q.Guild, channel, asker)
	if err != nil {
		r.logger.WarnContext(ctx, "it could not be found out who may read the channel that a link leads to, the link is not followed", "trigger", q.ID, "error", err)
		return false
	}
	return readable
}

// asker returns who asks: the author of the question, or whoever asked for another
// answer to it.
func (p *Prepared) asker() graph.UserID { return cmp.Or(p.Asker, p.trigger.Author) }

// permits reports whether a stored answer may be given to whoever asks. None is given
// that was made from the words of somebody who opted out. What the
// question itself is answered from needs no second look. The channel of any other
// source must still be in the question's scope, and the asker must be permitted to read
// it now: both may have changed since the answer was made.
func (l *lookup) permits(ctx context.Context, log *slog.Logger, p *Prepared, stored *store.Response) bool {
	if anyOut(l.people, stored.Sources) {
		return false
	}
	return mayBeGiven(ctx, log, l.guilds, p.Question, p.asker(), p.sources(l.guilds.Self().ID), stored)
}

// mayBeGiven reports whether whoever asks a question, which is answered from own, may read
// everything else that something stored was made from.
func mayBeGiven(
	ctx context.Context, log *slog.Logger, guilds Guilds, q Question, asker graph.UserID, own []store.SourceRef, stored *store.Response,
) bool {
	checked := make(map[store.SourceRef]bool)
	for _, source := range own {
		checked[identity(source)] = true
	}
	channels := make(map[graph.ChannelID]bool)
	for _, source := range stored.Sources {
		if checked[identity(source)] || channels[source.Channel] {
			continue
		}
		channels[source.Channel] = true
		if guilds.Scope(q.Guild, source.Channel) != q.Place.Scope {
			return false
		}
		may, err := guilds.MayRead(ctx, q.Guild, source.Channel, asker)
		if err != nil {
			log.WarnContext(ctx, "it could not be decided who may read the sources of something stored, the model is asked", "error", err)
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
