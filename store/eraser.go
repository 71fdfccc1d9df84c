package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"heddle/graph"
)

// eraser carries out an erasure in one scope. It is the only thing that erases responses.
type eraser struct {
	base  *base
	scope Scope
	of    *Erasure
	gone  []erased // what was erased

	damaged []string // the names of records that do not decode, which go with the next ones
}

// anything means all responses.
func anything(*Response) bool { return true }

// means returns which responses in a set are to be erased: all of them; those that were made
// from older versions of a message that was edited; or, in that of a deleted message of
// heddle's, those that were sent as the answer that it was a part of.
func (e *eraser) means(ctx context.Context, set string) (func(*Response) bool, error) {
	if edited := e.edited(); edited != 0 {
		return func(r *Response) bool {
			return slices.ContainsFunc(r.Sources, func(source SourceRef) bool {
				return source.Message == edited && !source.Forwarded && source.Edited.Before(e.of.Edited) // a forward stays as it is
			})
		}, nil
	}
	if set[:1] != replyName(0)[:1] {
		return anything, nil
	}
	message := graph.MessageID(idOf(set[1:]))
	shown, err := e.base.displayOf(ctx, e.scope, message)
	if err != nil {
		return nil, fmt.Errorf("find what a deleted message showed: %w", err)
	}
	parts := append(slices.Clone(shown.Parts), message)
	return func(r *Response) bool {
		return slices.ContainsFunc(r.Replies, func(reply Reply) bool { return slices.Contains(parts, reply.ID) })
	}, nil
}

// edited returns the message whose older versions are erased, or 0.
func (e *eraser) edited() graph.MessageID {
	if e.of.Edited.IsZero() {
		return 0
	}
	return e.of.Messages[0]
}

// follow erases those responses in a set that are meant, with everything that was made from
// them.
func (e *eraser) follow(ctx context.Context, set string) error {
	means, err := e.means(ctx, set)
	if err != nil {
		return err
	}
	sets, err := e.base.leading(ctx, e.scope, set)
	if err != nil {
		return fmt.Errorf("find what is derived from something deleted: %w", err)
	}
	const width = 64 // responses at a time
	for some := range slices.Chunk(sets[0], width) {
		made, err := e.made(ctx, some, means)
		if err != nil {
			return fmt.Errorf("find what is derived from something deleted: %w", err)
		}
		var all []transaction
		for _, m := range slices.Backward(made) { // an interrupted walk thus finds the rest again
			all = append(all, transaction{e.scope, func(t *tx) error {
				e.erase(t, &m)
				return nil
			}})
		}
		all = append(all, transaction{e.scope, func(t *tx) error {
			for _, name := range e.damaged {
				t.remove(name)
				t.remove(contentsName(name))
			}
			return nil
		}})
		if err := e.base.updateAll(ctx, "erase what is derived from something deleted", all...); err != nil {
			return err
		}
		e.base.erased.Add(int64(len(made)))
		e.gone, e.damaged = append(e.gone, made...), nil
	}
	return nil
}

// erased is a response that is erased, and the messages that it was sent as or shown in.
type erased struct {
	Response

	name   string
	places []graph.MessageID
}

// made returns those responses among names that are meant, with everything that was made
// from them, each before what was made from it.
func (e *eraser) made(ctx context.Context, names []string, means func(*Response) bool) (made []erased, err error) {
	seen := make(map[string]bool)
	for len(names) > 0 {
		var found []Response
		for r, err := range e.base.load(ctx, e.scope, names) {
			if err != nil && !errors.Is(err, ErrCorrupt) {
				return nil, err
			}
			switch name := recordName(r.ID); {
			case err != nil:
				e.damaged = append(e.damaged, name)
			case !seen[name] && means(&r):
				seen[name] = true
				found = append(found, r)
			}
		}
		means = anything
		places, err := e.base.places(ctx, e.scope, found)
		if err != nil {
			return nil, err
		}
		var sets []string
		for i := range found {
			made = append(made, erased{found[i], recordName(found[i].ID), places[i]})
			sets = append(sets, e.derivedFrom(&made[len(made)-1])...)
		}
		members, err := e.base.leading(ctx, e.scope, sets...)
		if err != nil {
			return nil, err
		}
		names = slices.Concat(members...)
	}
	return made, nil
}

// derivedFrom returns the sets of the responses that were made from one. The messages that
// showed the answer to an edited question show that to the new one by now. Whatever was made
// from the old answer was also made from the old question, and is found through it.
func (e *eraser) derivedFrom(m *erased) (sets []string) {
	if edited := e.edited(); edited != 0 && m.Trigger == edited {
		return nil
	}
	for _, message := range m.places {
		sets = append(sets, sourceName(message))
	}
	if m.IsSummary() {
		sets = append(sets, condensedName(m.SummaryID()))
	}
	return sets
}

// erase erases a response with its path, tools and indexes, and leaves a tombstone. An answer that it gave again is not given once more.
func (e *eraser) erase(t *tx, m *erased) {
	if t.value(m.name) == nil { // an earlier attempt erased it
		return
	}
	if m.IsSummary() {
		t.forget(forgottenFor, below(condensedName(m.SummaryID()), summaryForgotten))
	}
	t.take(answersName(m.PathHash), recordName(m.Original()))
	for _, index := range m.indexes() {
		t.take(index.set, index.member)
	}
	for _, message := range m.places {
		t.take(replyName(message), m.name)
	}
	t.remove(placesName(m.name))
	t.take(ratedName, m.name)
	t.remove(ratingsName(m.name))
	t.remove(m.name)
	t.remove(contentsName(m.name))
	e.base.bury(t, &m.Response)
}

// Place is a message of heddle's.
type Place struct {
	Scope   Scope
	Channel graph.ChannelID
	Message graph.MessageID
}

// stale returns the messages whose buttons need an update after a deletion of messages: what
// is left of deleted answers, and the other answers to their questions.
func (s *base) stale(ctx context.Context, gone []erased, deleted []graph.MessageID) ([]Place, error) {
	var stale []Place
	for i := range gone {
		g := &gone[i]
		left := slices.DeleteFunc(slices.Clone(g.places), func(part graph.MessageID) bool { return slices.Contains(deleted, part) })
		if len(left) == len(g.places) {
			left = nil // none of it was deleted: its question was
		}
		asked, err := s.in(ctx, g.Scope, askedName(g.Trigger))
		if err != nil {
			return nil, fmt.Errorf("find the other answers to a question: %w", err)
		}
		for _, r := range asked {
			if r.Generation == g.Generation && len(r.Replies) > 0 {
				left = append(left, r.Replies[0].ID)
			}
		}
		for _, message := range left {
			if at := (Place{g.Scope, g.Channel, message}); !slices.Contains(deleted, message) && !slices.Contains(stale, at) {
				stale = append(stale, at)
			}
		}
	}
	slices.SortFunc(stale, func(a, b Place) int { return cmp.Compare(a.Message, b.Message) })
	return stale, nil
}

// Extent is how much a deletion would erase.
type Extent struct {
	Answers   int // given to people, those given again included
	Summaries int
	Files     int // produced by answers; they stay on Discord
	// Channels holds the number of answers by the channel that they stand in.
	Channels map[graph.ChannelID]int
}

// Extent returns what an erasure of somebody's words, or of what is stored for a guild, would
// erase now.
func (s *Deletions) Extent(ctx context.Context, of Erasure) (Extent, error) {
	at, err := s.reach(ctx, &of)
	if err != nil {
		return Extent{}, err
	}
	all := Extent{Channels: make(map[graph.ChannelID]int)}
	for _, scope := range at.scopes {
		names, err := s.base.set(ctx, scope, at.sets[0])
		if err != nil {
			return Extent{}, fmt.Errorf("find what would be erased: %w", err)
		}
		made, err := (&eraser{base: s.base, scope: scope, of: &of}).made(ctx, names, anything)
		if err != nil {
			return Extent{}, fmt.Errorf("find what would be erased: %w", err)
		}
		for _, m := range made {
			if m.IsSummary() {
				all.Summaries++
			}
			if !m.IsAnswer() {
				continue
			}
			all.Answers++
			all.Files += len(m.Artifacts)
			all.Channels[m.Channel]++
		}
	}
	return all, nil
}
