package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"heddle/graph"
)

// OptOuts stores the ids of people who opted out. Nothing that they write may be used
// until they opt in. The ids do not expire.
type OptOuts struct{ base *base }

// OptedOut is the sorted list of people who opted out. Version is different after every
// change.
type OptedOut struct {
	Version string
	People  []graph.UserID
}

// The entries of scopePeople.
const (
	optedOutName = "out"     // set: who opted out
	versionName  = "version" // value: the version of that set
	erasingName  = "erasing" // set: the erasures that have not ended
)

// Add records that a person opted out.
func (o *OptOuts) Add(ctx context.Context, person graph.UserID) error {
	return o.base.updateAll(ctx, "record that a person opted out", transaction{scopePeople, func(t *tx) error {
		t.optOut(person)
		return nil
	}}, nameless(person))
}

// Remove records that a person opted in.
func (o *OptOuts) Remove(ctx context.Context, person graph.UserID) error {
	return o.base.write(ctx, "record that a person opted in", scopePeople, func(t *tx) {
		t.take(optedOutName, idBytes(person))
		t.put(versionName, rand.Text(), forever)
	})
}

// optOut opts a person out, in scopePeople.
func (t *tx) optOut(person graph.UserID) {
	t.add(optedOutName, idBytes(person), forever)
	t.put(versionName, rand.Text(), forever)
}

// Version returns the version of the list; "" if nobody ever opted out or it is damaged.
func (o *OptOuts) Version(ctx context.Context) (string, error) {
	values, err := o.base.values(ctx, scopePeople, versionName)
	if err != nil {
		return "", fmt.Errorf("look for people who opted out: %w", err)
	}
	return string(values[0]), nil
}

// All returns the list. If it changes during the call, the version returned is that
// before the change. All fails with ErrCorrupt if a part is damaged: nobody knows whose id it was.
func (o *OptOuts) All(ctx context.Context) (OptedOut, error) {
	var version []byte
	var members []string
	torn := false
	err := o.base.read(ctx, scopePeople, func(t *tx) {
		version, members = t.value(versionName), t.members(optedOutName)[0]
		torn = t.torn
	})
	if err == nil && torn {
		err = fmt.Errorf("%w: an id does not decode; restore a backup", ErrCorrupt)
		o.base.reject(ctx, err)
	}
	if err != nil {
		return OptedOut{}, fmt.Errorf("list who opted out: %w", err)
	}
	all := OptedOut{Version: string(version)}
	for _, member := range members {
		all.People = append(all.People, graph.UserID(idOf(member)))
	}
	slices.Sort(all.People)
	return all, nil
}

// Overrides stores the settings that admins override for guilds and channels, and where
// operators have paused heddle. They do not expire, and are erased with their guild.
type Overrides struct{ base *base }

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
	return Override{
		MinLinear: cmp.Or(o.MinLinear, under.MinLinear), MaxTotal: cmp.Or(o.MaxTotal, under.MaxTotal),
		TimeThreshold: cmp.Or(o.TimeThreshold, under.TimeThreshold), Model: cmp.Or(o.Model, under.Model), Persona: cmp.Or(o.Persona, under.Persona),
	}
}

// Overridden is a place with its override.
type Overridden struct {
	Guild   graph.GuildID   // zero for a direct message
	Channel graph.ChannelID // zero for all channels of the guild
	Override
}

// scopeOverrides holds what admins and operators chose. It does not depend on who may read
// a channel, so overrides stay when that changes.
const scopeOverrides Scope = "_overrides"

// overrideName returns the name of the override of a channel, or of a whole guild if
// channel is zero.
func overrideName(guild graph.GuildID, channel graph.ChannelID) string {
	return "i" + idBytes(guild) + idBytes(channel)
}

// Of returns the overrides of a guild and of some of its channels, in this order.
func (o *Overrides) Of(ctx context.Context, guild graph.GuildID, channels ...graph.ChannelID) ([]Override, error) {
	return o.read(ctx, each(channels, func(channel graph.ChannelID) string { return overrideName(guild, channel) }))
}

func (o *Overrides) read(ctx context.Context, names []string) ([]Override, error) {
	values, err := o.base.values(ctx, scopeOverrides, names...)
	if err != nil {
		return nil, fmt.Errorf("read admins' overrides: %w", err)
	}
	all := make([]Override, len(names))
	for i, value := range values {
		if value != nil && json.Unmarshal(value, &all[i]) != nil {
			all[i] = Override{}
			o.base.reject(ctx, fmt.Errorf("%w: an override does not decode", ErrCorrupt))
		}
	}
	return all, nil
}

// Set stores the override of a place, and replaces an earlier one. The zero Override
// removes it.
func (o *Overrides) Set(ctx context.Context, chosen Overridden) error {
	encoded, err := json.Marshal(chosen.Override)
	if err != nil {
		return fmt.Errorf("encode an override: %w", err)
	}
	name := overrideName(chosen.Guild, chosen.Channel)
	return o.base.write(ctx, "store what admins chose", scopeOverrides, func(t *tx) {
		if chosen.Override == (Override{}) {
			t.remove(name)
			t.take(setName, name)
			return
		}
		t.put(name, string(encoded), forever)
		t.add(setName, name, forever)
	})
}

// All returns all overrides, ordered by guild and channel.
func (o *Overrides) All(ctx context.Context) ([]Overridden, error) {
	names, err := o.base.set(ctx, scopeOverrides, setName)
	if err != nil {
		return nil, fmt.Errorf("list admins' overrides: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return len(name) != 1+2*idSize })
	slices.Sort(names)
	chosen, err := o.read(ctx, names)
	if err != nil {
		return nil, err
	}
	var all []Overridden
	for i, name := range names {
		if chosen[i] != (Override{}) {
			all = append(all, Overridden{graph.GuildID(idOf(name[1 : 1+idSize])), graph.ChannelID(idOf(name[1+idSize:])), chosen[i]})
		}
	}
	return all, nil
}

// forget removes the overrides and the pause of a guild.
func (o *Overrides) forget(ctx context.Context, guild graph.GuildID) error {
	return o.base.write(ctx, "forget what admins of a guild chose", scopeOverrides, func(t *tx) {
		t.remove(pauseName(guild))
		for _, name := range t.members(setName)[0] {
			if len(name) == 1+2*idSize && graph.GuildID(idOf(name[1:1+idSize])) == guild {
				t.remove(name)
				t.take(setName, name)
			}
		}
	})
}

func pauseName(guild graph.GuildID) string { return "e" + idBytes(guild) }

// Paused reports whether heddle is paused everywhere, and whether it is paused in a
// guild.
func (o *Overrides) Paused(ctx context.Context, guild graph.GuildID) (everywhere, here bool, err error) {
	values, err := o.base.values(ctx, scopeOverrides, pauseName(0), pauseName(guild))
	if err != nil {
		return false, false, fmt.Errorf("look up whether heddle is paused: %w", err)
	}
	return len(values[0]) > 0, guild != 0 && len(values[1]) > 0, nil // what is damaged is no pause
}

// Pause pauses heddle in a guild, or everywhere if it is zero, until Resume.
func (o *Overrides) Pause(ctx context.Context, guild graph.GuildID) error {
	return o.base.write(ctx, "pause", scopeOverrides, func(t *tx) { t.put(pauseName(guild), "paused", forever) })
}

// Resume ends a pause, if there is one.
func (o *Overrides) Resume(ctx context.Context, guild graph.GuildID) error {
	return o.base.write(ctx, "resume", scopeOverrides, func(t *tx) { t.remove(pauseName(guild)) })
}
