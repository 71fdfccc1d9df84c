package store

import (
	"context"
	"fmt"
	"slices"

	"heddle/graph"
)

// Extent is how much a deletion would erase.
type Extent struct {
	Answers   int // given to people, those given again included
	Summaries int
	Files     int // produced by answers; they stay on Discord
	Ratings   int // given by the person, and those of what would be erased
	Vectors   int // embeddings of exchanges
	// Channels holds the number of answers by the channel that they stand in.
	Channels map[graph.ChannelID]int
}

// Extents computes what deletions would erase.
type Extents struct {
	base    *base
	scopes  *scopes
	ratings *Ratings
}

// OfAuthor returns what Deletions.ForgetAuthor would erase now.
func (s *Extents) OfAuthor(ctx context.Context, author graph.UserID) (Extent, error) {
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return Extent{}, err
	}
	return s.extent(ctx, scopes, func(r Rating) bool { return r.Person == author }, authorName(author))
}

// OfGuild returns what Deletions.ForgetGuild would erase now.
func (s *Extents) OfGuild(ctx context.Context, guild graph.GuildID) (Extent, error) {
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return Extent{}, err
	}
	scopes = slices.DeleteFunc(scopes, func(scope Scope) bool { return !scope.of(guild) })
	return s.extent(ctx, scopes, func(Rating) bool { return false }, responsesName, vectorPrefix)
}

// extent counts the responses in scopes that sets lead to, with everything derived from
// them, and the ratings for which theirs returns true.
func (s *Extents) extent(ctx context.Context, scopes []Scope, theirs func(Rating) bool, sets ...string) (Extent, error) {
	all := Extent{Channels: make(map[graph.ChannelID]int)}
	for _, scope := range scopes {
		erased, err := all.add(ctx, s.base, scope, sets)
		if err != nil {
			return Extent{}, fmt.Errorf("find what would be erased: %w", err)
		}
		rated, err := s.ratings.Of(ctx, scope)
		if err != nil {
			return Extent{}, err
		}
		for id, ratings := range rated {
			for _, rating := range ratings {
				if erased[recordName(id)] || theirs(rating) {
					all.Ratings++
				}
			}
		}
	}
	return all, nil
}

// add counts what sets of a scope lead to, and returns the names of the records that it
// met.
func (e *Extent) add(ctx context.Context, base *base, scope Scope, sets []string) (met map[string]bool, err error) {
	met = make(map[string]bool)
	followed := make(map[string]bool)
	var vectors []Key
	for open := slices.Clone(sets); len(open) > 0; {
		const width = 64
		round := open[:min(width, len(open))]
		open = slices.Clone(open[len(round):])
		queries := make([]Query, len(round))
		for i, name := range round {
			queries[i] = Query{Set: name}
		}
		members, err := base.members(ctx, scope, queries...)
		if err != nil {
			return nil, err
		}
		places, err := base.places(ctx, scope, members)
		if err != nil {
			return nil, err
		}
		for _, member := range slices.Concat(members...) {
			if met[member.Name] {
				continue
			}
			met[member.Name] = true
			if isVector(member.Name) {
				vectors = append(vectors, Key{scope, member.Name})
			}
			if member.Value == nil {
				continue
			}
			r, err := decodeRecord(Key{scope, member.Name}, member.Value)
			if err != nil {
				base.reject(ctx, err)
				continue
			}
			e.count(&r.Response)
			further := slices.DeleteFunc(r.derivedFrom(places[member.Name]), func(set string) bool { return followed[set] })
			for _, set := range further {
				followed[set] = true
			}
			open = append(open, further...)
		}
	}
	return met, e.addVectors(ctx, base, vectors)
}

// addVectors counts those of vectors that are stored.
func (e *Extent) addVectors(ctx context.Context, base *base, vectors []Key) error {
	for some := range slices.Chunk(vectors, 256) {
		values, err := base.get(ctx, some...)
		if err != nil {
			return err
		}
		e.Vectors += len(slices.DeleteFunc(values, func(value []byte) bool { return value == nil }))
	}
	return nil
}

// count counts one response.
func (e *Extent) count(r *Response) {
	switch {
	case r.Gone():
	case r.IsSummary():
		e.Summaries++
	default:
		e.Answers++
		e.Files += len(r.Artifacts)
		e.Channels[r.Channel]++
	}
}
