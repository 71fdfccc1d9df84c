package store

import (
	"context"
	"fmt"

	"heddle/graph"
)

// scopePauses holds where operators have paused heddle.
const scopePauses Scope = "_pauses"

// Pauses stores where operators have paused heddle, until they resume it.
type Pauses struct{ base *base }

// Pauses returns the part of a store that holds pauses.
func (s *Store) Pauses() *Pauses { return &Pauses{s.base} }

// Paused reports whether heddle is paused everywhere, and whether it is paused in a
// guild.
func (p *Pauses) Paused(ctx context.Context, guild graph.GuildID) (everywhere, here bool, err error) {
	values, err := p.base.get(ctx, Key{scopePauses, pauseName(0)}, Key{scopePauses, pauseName(guild)})
	if err != nil {
		return false, false, fmt.Errorf("look up whether heddle is paused: %w", err)
	}
	return values[0] != nil, guild != 0 && values[1] != nil, nil
}

// Pause pauses heddle in a guild, or everywhere if it is zero.
func (p *Pauses) Pause(ctx context.Context, guild graph.GuildID) error {
	return p.base.apply(ctx, "pause", Change{scopePauses, []Op{{Kind: OpPut, Name: pauseName(guild), Value: "paused", TTL: forever}}})
}

// Resume ends a pause, if there is one.
func (p *Pauses) Resume(ctx context.Context, guild graph.GuildID) error {
	return p.base.apply(ctx, "resume", Change{scopePauses, []Op{{Kind: OpDelete, Name: pauseName(guild)}}})
}

func pauseName(guild graph.GuildID) string { return "guild" + idBytes(guild) }
