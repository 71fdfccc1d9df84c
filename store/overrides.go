package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heddle/graph"
)

// Overrides stores what admins chose in place of what heddle is set to. It does not
// expire, and is erased with its guild.
type Overrides struct {
	base   *base
	scopes *scopes
}

// Overrides returns the part of a store that knows what admins chose.
func (s *Store) Overrides() *Overrides { return &Overrides{s.base, &scopes{s.base}} }

// Override is what is chosen for a channel, or for all channels of a guild. A zero field
// chooses nothing.
type Override struct {
	MinLinear     *int   `json:"min_linear,omitempty"`
	MaxTotal      *int   `json:"max_total,omitempty"`
	TimeThreshold string `json:"time_threshold,omitempty"` // a Go duration, or "auto"
	Model         string `json:"model,omitempty"`
	Persona       string `json:"persona,omitempty"`
}

// Overlaid returns what holds where o is chosen for a channel, and under for its guild.
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

// Overridden is a place with what is chosen for it.
type Overridden struct {
	Guild   graph.GuildID   // zero for a direct message
	Channel graph.ChannelID // zero for all channels of the guild
	Override
}

// overrideScope returns the scope that holds what is chosen in a guild. What is chosen for
// a channel stays when it opens or closes.
func overrideScope(guild graph.GuildID, channel graph.ChannelID) Scope {
	if guild == 0 {
		return ChannelScope(0, channel)
	}
	return GuildScope(guild)
}

// Of returns what is chosen for a guild and for some of its channels, in their order.
func (o *Overrides) Of(ctx context.Context, guild graph.GuildID, channels ...graph.ChannelID) ([]Override, error) {
	keys := make([]Key, len(channels))
	for i, channel := range channels {
		keys[i] = Key{overrideScope(guild, channel), overrideName(channel)}
	}
	values, err := o.base.get(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read what admins chose: %w", err)
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

// Set stores what is chosen for a place, in place of what was. The zero Override removes
// it.
func (o *Overrides) Set(ctx context.Context, chosen Overridden) error {
	key := Key{overrideScope(chosen.Guild, chosen.Channel), overrideName(chosen.Channel)}
	if chosen.Override == (Override{}) {
		return o.base.apply(ctx, "remove what admins chose", Change{key.Scope, []Op{
			{Kind: OpDelete, Name: key.Name}, {Kind: OpRemove, Name: overridesName, Value: key.Name},
		}})
	}
	payload, err := json.Marshal(chosen.Override)
	if err != nil {
		return fmt.Errorf("encode what admins chose: %w", err)
	}
	return o.base.apply(ctx, "store what admins chose",
		Change{directoryOf(key.Scope), []Op{{Kind: OpAdd, Name: setName, Value: string(key.Scope), TTL: forever}}},
		Change{key.Scope, []Op{
			{Kind: OpPut, Name: key.Name, Value: seal(key, payload), TTL: forever},
			{Kind: OpAdd, Name: overridesName, Value: key.Name, TTL: forever},
		}})
}

// All returns everything that is chosen, ordered by guild and channel.
func (o *Overrides) All(ctx context.Context) ([]Overridden, error) {
	scopes, err := o.scopes.all(ctx)
	if err != nil {
		return nil, err
	}
	var all []Overridden
	for _, scope := range slices.Compact(scopes) {
		members, err := o.base.members(ctx, scope, Query{Set: overridesName, Names: true})
		if err != nil {
			return nil, fmt.Errorf("list what admins chose: %w", err)
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
		return Override{}, fmt.Errorf("%w: what admins chose does not decode", ErrCorrupt)
	}
	return chosen, nil
}

// overrideName names what is chosen for a channel, or for a whole guild if it is zero.
func overrideName(channel graph.ChannelID) string { return overridesName + idBytes(channel) }

// overriddenBy returns the channel that a name of overrideName is for.
func overriddenBy(name string) (graph.ChannelID, bool) {
	id, is := strings.CutPrefix(name, overridesName)
	return graph.ChannelID(idOf(id)), is && len(id) == idSize
}
