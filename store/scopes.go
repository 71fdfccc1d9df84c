package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"heddle/graph"
)

// directories is over how many sets the list of all scopes is spread.
const directories = 64

func directory(i uint32) Scope { return Scope(fmt.Sprintf("_d%02d", i)) }

func directoryOf(scope Scope) Scope {
	h := fnv.New32a()
	_, _ = h.Write([]byte(scope)) // it never fails
	return directory(h.Sum32() % directories)
}

// introduce lists the scope of a response, and for every channel whose messages
// it was made from that they are used there, so that a deletion finds it. It comes
// before the response: a scope that is listed and empty does no harm.
func (s *Store) introduce(ctx context.Context, r *Response) error {
	now := s.now()
	s.forgetKnown()
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
		if !s.known.has(string(list)+" "+string(r.Scope), now) {
			changes = append(changes, Change{list, []Op{
				{Kind: OpAdd, Name: setName, Value: string(r.Scope), TTL: 2 * s.lives.Response},
			}})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if err := s.apply(ctx, "list a scope", changes...); err != nil {
		return err
	}
	for _, change := range changes {
		s.known.add(string(change.Scope)+" "+string(r.Scope), now)
	}
	return nil
}

// forgetKnown forgets what is known to be stored where it may no longer be.
func (s *Store) forgetKnown() {
	if renewals := s.renewals(); s.renewed.Swap(renewals) != renewals || s.outage.lasts() {
		s.known.forget() // an engine that is away may be found back by the next call, and empty
	}
}

// scopesOf gives the scopes in which messages of a channel were used.
func (s *Store) scopesOf(ctx context.Context, channel graph.ChannelID) ([]Scope, error) {
	return s.scopesIn(ctx, placeScope(channel))
}

// Scopes gives all scopes that hold, or held, something, in order.
func (s *Store) Scopes(ctx context.Context) ([]Scope, error) {
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

func (s *Store) scopesIn(ctx context.Context, list Scope) ([]Scope, error) {
	members, err := s.engine.Follow(ctx, list, Query{Set: setName})
	if err := s.note(ctx, err); err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	scopes := make([]Scope, len(members[0]))
	for i, member := range members[0] {
		scopes[i] = Scope(member.Name)
	}
	return scopes, nil
}
