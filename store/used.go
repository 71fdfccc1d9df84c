package store

import (
	"context"
	"encoding/binary"
	"time"

	"heddle/graph"
)

// directs returns the set of direct messages in which heddle talked.
func (b *Backlog) directs() *lately { return &lately{b.base, scopeDirect, b.base.lives.Direct, idSize} }

// Direct records that heddle talked in a direct message. Without the record heddle
// could not find it after an absence, because Discord does not list direct messages.
func (b *Backlog) Direct(ctx context.Context, channel graph.ChannelID) error {
	return b.directs().add(ctx, idBytes(channel))
}

// Directs returns the direct messages in which heddle talked within Lifetimes.Direct,
// roughly the latest first. Some may be up to an eighth older.
func (b *Backlog) Directs(ctx context.Context) ([]graph.ChannelID, error) {
	members, err := b.directs().list(ctx)
	channels := make([]graph.ChannelID, len(members))
	for i, member := range members {
		channels[i] = graph.ChannelID(binary.BigEndian.Uint64([]byte(member)))
	}
	return channels, err
}

// usedFor is how long a used channel is remembered.
const usedFor = 24 * time.Hour

// UsedChannel is a channel or a thread of a guild in which people asked.
type UsedChannel struct {
	Guild   graph.GuildID
	Channel graph.ChannelID
}

// uses returns the set of channels of guilds in which people asked.
func (b *Backlog) uses() *lately { return &lately{b.base, scopeUsed, usedFor, 2 * idSize} }

// Use records that people asked in a channel of a guild.
func (b *Backlog) Use(ctx context.Context, used UsedChannel) error {
	return b.uses().add(ctx, idBytes(used.Guild)+idBytes(used.Channel))
}

// Used returns the channels of guilds in which people asked within a day, roughly the
// latest first. Some may be up to three hours older.
func (b *Backlog) Used(ctx context.Context) ([]UsedChannel, error) {
	members, err := b.uses().list(ctx)
	channels := make([]UsedChannel, len(members))
	for i, member := range members {
		channels[i] = UsedChannel{
			graph.GuildID(binary.BigEndian.Uint64([]byte(member))),
			graph.ChannelID(binary.BigEndian.Uint64([]byte(member[idSize:]))),
		}
	}
	return channels, err
}
