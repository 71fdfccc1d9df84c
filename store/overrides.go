package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heddle/graph"
)

// Overrides stores the settings that admins override for guilds and channels. They do
// not expire, and are erased with their guild.
type Overrides struct {
	base   *base
	scopes *scopes
}

// Overrides returns the part of a store that holds admins' overrides.
func (s *Store) Overrides() *Overrides { return &Overrides{s.base, &scopes{s.base}} }

// Override holds the settings for a channel, or for all channels of a guild. A zero field
// overrides nothing.
type Override struct {
	MinLinear     *int   `json:"min_linear,omitempty"`
	MaxTotal      *int   `json:"max_total,omitempty"`
	TimeThreshold string `json:"time_threshold,omitempty"` // a Go duration, or "auto"
	Model         string `json:"model,omitempty"`
	Persona       string `json:"persona,omitempty"`
}

// Overlaid returns the override that applies to a channel with the override o in a
// guild with the override under.
func Overlaid(o, under Override) Override {
	if o.MinLinear == nil {
		o.MinLinear = under.MinLinear
	}
	if o.MaxTotal == nil {
		o.MaxTotal = under.MaxTotal
	}
	for _, field := range []struct{ value, under *string }{
		{&o.TimeThreshold, &under.TimeThreshold}, {&o.Model, &under.Model}, {&o.Persona, &under.Persona},
	} {
		if *field.value == "" {
			*field.value = *field.under
		}
	}
	return o
}

// Overridden is a place with its override.
type Overridden struct {
	Guild   graph.GuildID   // zero for a direct message
	Channel graph.ChannelID // zero for all channels of the guild
	Override
}

// overrideScope returns the scope that holds the overrides of a guild and its channels,
// or of a direct message. It does not depend on who may read a channel, so overrides
// stay when that changes.
func overrideScope(guild graph.GuildID, channel graph.ChannelID) Scope {
	if guild == 0 {
		return ChannelScope(0, channel)
	}
	return GuildScope(guild)
}

// Of returns the overrides of a guild and of some of its channels, in this order.
func (o *Overrides) Of(ctx context.Context, guild graph.GuildID, channels ...graph.ChannelID) ([]Override, error) {
	keys := make([]Key, len(channels))
	for i, channel := range channels {
		keys[i] = Key{overrideScope(guild, channel), overrideName(channel)}
	}
	values, err := o.base.get(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read admins' overrides: %w", err)
	}
	all := make([]Override, len(channels))
	for i, value := range values {
		if value == nil {
			continue
		}
		if all[i], err = decodeOverride(keys[i], value); err != nil {
			o.base.reject(ctx, err)
		}
	}
	return all, nil
}

// Set stores the override of a place, and replaces an earlier one. The zero Override
// removes it.
func (o *Overrides) Set(ctx context.Context, chosen Overridden) error {
	key := Key{overrideScope(chosen.Guild, chosen.Channel), overrideName(chosen.Channel)}
	if chosen.Override == (Override{}) {
		return o.base.apply(ctx, "remove what admins chose", Change{key.Scope, []Op{
			{Kind: OpDelete, Name: key.Name}, {Kind: OpRemove, Name: overridesName, Value: key.Name},
		}})
	}
	payload, err := json.Marshal(chosen.Override)
	if err != nil {
		return fmt.Errorf("encode an override: %w", err)
	}
	return o.base.apply(ctx, "store what admins chose",
		Change{directoryOf(key.Scope), []Op{{Kind: OpAdd, Name: setName, Value: string(key.Scope), TTL: forever}}},
		Change{key.Scope, []Op{
			{Kind: OpPut, Name: key.Name, Value: seal(key, payload), TTL: forever},
			{Kind: OpAdd, Name: overridesName, Value: key.Name, TTL: forever},
		}})
}

// All returns all overrides, ordered by guild and channel.
func (o *Overrides) All(ctx context.Context) ([]Overridden, error) {
	scopes, err := o.scopes.all(ctx)
	if err != nil {
		return nil, err
	}
	var all []Overridden
	for _, scope := range slices.Compact(scopes) {
		members, err := o.base.members(ctx, scope, Query{Set: overridesName, Names: true})
		if err != nil {
			return nil, fmt.Errorf("list admins' overrides: %w", err)
		}
		var channels []graph.ChannelID
		for _, member := range members[0] {
			if channel, ok := overriddenBy(member.Name); ok {
				channels = append(channels, channel)
			}
		}
		slices.Sort(channels)
		chosen, err := o.Of(ctx, scope.Guild(), channels...)
		if err != nil {
			return nil, err
		}
		for i, channel := range channels {
			if chosen[i] != (Override{}) {
				all = append(all, Overridden{scope.Guild(), channel, chosen[i]})
			}
		}
	}
	return all, nil
}

func decodeOverride(key Key, value []byte) (chosen Override, err error) {
	payload, err := unseal(key, value)
	if err != nil {
		return Override{}, err
	}
	if json.Unmarshal(payload, &chosen) != nil {
		return Override{}, fmt.Errorf("%w: an override does not decode", ErrCorrupt)
	}
	return chosen, nil
}

// overrideName returns the name of the override of a channel, or of a whole guild if
// channel is zero.
func overrideName(channel graph.ChannelID) string { return overridesName + idBytes(channel) }

// overriddenBy is the inverse of overrideName.
func overriddenBy(name string) (graph.ChannelID, bool) {
	id, is := strings.CutPrefix(name, overridesName)
	return graph.ChannelID(idOf(id)), is && len(id) == idSize
}
