package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"heddle/graph"
)

// directories is the number of sets over which the list of all scopes is spread.
const directories = 64

func directory(i uint32) Scope { return Scope(fmt.Sprintf("_d%02d", i)) }

func directoryOf(scope Scope) Scope {
	h := fnv.New32a()
	_, _ = h.Write([]byte(scope)) // it never fails
	return directory(h.Sum32() % directories)
}

// scopes stores which scopes are in use, and in which scopes the messages of each
// channel were used.
type scopes struct{ base *base }

// introduce adds the scope of a response to the list of scopes, and to the lists of all
// channels whose messages the response was made from, so that a deletion finds it. It
// runs before the response is saved. A listed scope that is empty does no harm.
func (s *scopes) introduce(ctx context.Context, r *Response) error {
	now := s.base.now()
	s.base.forgetKnown()
	channels := []graph.ChannelID{r.Channel}
	for _, source := range r.Sources {
		channels = append(channels, source.Channel)
	}
	slices.Sort(channels)
	lists := []Scope{directoryOf(r.Scope)}
	for _, channel := range slices.Compact(channels) {
		lists = append(lists, placeScope(channel))
	}
	var changes []Change
	for _, list := range lists {
		if !s.base.known.has(string(list)+" "+string(r.Scope), now) {
			changes = append(changes, Change{list, []Op{
				{Kind: OpAdd, Name: setName, Value: string(r.Scope), TTL: 2 * s.base.lives.Response},
			}})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if err := s.base.apply(ctx, "list a scope", changes...); err != nil {
		return err
	}
	for _, change := range changes {
		s.base.known.add(string(change.Scope)+" "+string(r.Scope), now)
	}
	return nil
}

// forgetKnown clears known if the engine may have lost what was stored.
func (s *base) forgetKnown() {
	if quarantines := s.quarantines(); s.quarantined.Swap(quarantines) != quarantines || s.outage.lasts() {
		s.known.forget() // the engine may come back empty
	}
}

// scopesOf returns the scopes in which messages of a channel were used.
func (s *scopes) scopesOf(ctx context.Context, channel graph.ChannelID) ([]Scope, error) {
	return s.scopesIn(ctx, placeScope(channel))
}

// Scopes returns all scopes in which something is or was stored, sorted.
func (a *Archive) Scopes(ctx context.Context) ([]Scope, error) { return a.scopes.all(ctx) }

// all returns all scopes in which something is or was stored, sorted.
func (s *scopes) all(ctx context.Context) ([]Scope, error) {
	var all []Scope
	for i := range uint32(directories) {
		some, err := s.scopesIn(ctx, directory(i))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	return all, nil
}

func (s *scopes) scopesIn(ctx context.Context, list Scope) ([]Scope, error) {
	members, err := s.base.members(ctx, list, Query{Set: setName})
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	scopes := make([]Scope, len(members[0]))
	for i, member := range members[0] {
		scopes[i] = Scope(member.Name)
	}
	return scopes, nil
}
