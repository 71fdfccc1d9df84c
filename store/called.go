package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"heddle/graph"
)

// Names stores what people, roles and channels were called in the messages that answers were
// made from, so that a message has the same name, and its path the same hash, after a restart
// (finding 3.1). They are erased with their guild, and a person's when that person opts out.
type Names struct{ base *base }

// Called is a name that somebody or something has from a message on.
type Called struct {
	Since graph.MessageID `json:"since"`
	Name  string          `json:"name"`
}

// mostCalled bounds the names that are stored of one person, role or channel.
const mostCalled = 8

// Rename returns names with further ones, oldest first, without those that repeat the one
// before. Of many, the latest stay.
func Rename(names []Called, more ...Called) []Called {
	names = append(slices.Clone(names), more...)
	slices.SortStableFunc(names, func(a, b Called) int { return cmp.Compare(a.Since, b.Since) })
	names = slices.CompactFunc(names, func(a, b Called) bool { return a.Name == b.Name || a.Since == b.Since })
	return slices.Clone(names[max(0, len(names)-mostCalled):])
}

// scopeNames holds the names. A name is no secret among the members of its guild.
const scopeNames Scope = "_names"

// The entries of scopeNames.
func calledName(guild graph.GuildID, of graph.UserID) string {
	return "n" + idBytes(guild) + idBytes(of)
}                                               // value: names
func calledInName(of graph.UserID) string       { return "p" + idBytes(of) }    // set: guilds
func calledHereName(guild graph.GuildID) string { return "g" + idBytes(guild) } // set: whoever has names

// Of returns the names of people in a guild, in this order, oldest first.
func (n *Names) Of(ctx context.Context, guild graph.GuildID, of []graph.UserID) ([][]Called, error) {
	values, err := n.base.values(ctx, scopeNames, each(of, func(one graph.UserID) string { return calledName(guild, one) })...)
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	all := make([][]Called, len(of))
	for i, value := range values {
		if value != nil && json.Unmarshal(value, &all[i]) != nil {
			n.base.reject(ctx, fmt.Errorf("%w: a name does not decode", ErrCorrupt))
		}
	}
	return all, nil
}

// Add stores names in addition to those that are there.
func (n *Names) Add(ctx context.Context, guild graph.GuildID, of graph.UserID, names []Called) error {
	ttl := 2 * n.base.lives.Response // longer than what is made from them
	return n.base.write(ctx, "store a name", scopeNames, func(t *tx) {
		var known []Called
		_ = json.Unmarshal(t.value(calledName(guild, of)), &known) // what is absent or damaged is replaced
		encoded, _ := json.Marshal(Rename(known, names...))        // it never fails: these are ids and texts
		t.put(calledName(guild, of), string(encoded), ttl)
		t.add(calledInName(of), idBytes(guild), ttl)
		t.add(calledHereName(guild), idBytes(of), ttl)
	})
}

// nameless erases the names of a person who opts out.
func nameless(of graph.UserID) transaction {
	return transaction{scopeNames, func(t *tx) error {
		for _, guild := range t.members(calledInName(of))[0] {
			t.remove(calledName(graph.GuildID(idOf(guild)), of))
			t.take(calledInName(of), guild)
			t.take(calledHereName(graph.GuildID(idOf(guild))), idBytes(of))
		}
		return nil
	}}
}

// Forget erases the names of a person who opted out.
func (n *Names) Forget(ctx context.Context, person graph.UserID) error {
	return n.base.updateAll(ctx, "forget a name", nameless(person))
}

// forget erases the names in a guild.
func (n *Names) forget(ctx context.Context, guild graph.GuildID) error {
	return n.base.write(ctx, "forget the names in a guild", scopeNames, func(t *tx) {
		for _, member := range t.members(calledHereName(guild))[0] {
			of := graph.UserID(idOf(member))
			t.remove(calledName(guild, of))
			t.take(calledInName(of), idBytes(guild))
			t.take(calledHereName(guild), member)
		}
	})
}
