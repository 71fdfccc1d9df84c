package bot

import (
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
)

// missed receives what the reconciler found out about events that heddle missed. It uses
// only those parts of a receiver that any goroutine may use.
type missed struct{ *receiver }

// Deleted implements reconcile.Events.
func (m missed) Deleted(deleted discord.Delete) { m.deleted(deleted) }

// Edited implements reconcile.Events.
func (m missed) Edited(channel graph.ChannelID, message graph.MessageID, edited time.Time) {
	m.deletions.edited(channel, message, edited)
}

// LostChannel implements reconcile.Events.
func (m missed) LostChannel(channel graph.ChannelID) {
	gone := m.guilds.Forget(channel)
	if len(gone) == 0 {
		gone = []guilds.Lost{{Channel: channel, Scope: m.guilds.Place(channel, 0).Scope}}
	}
	for _, lost := range gone {
		m.lost(lost)
	}
}

// Left implements reconcile.Events.
func (m missed) Left(guild graph.GuildID) { m.deletions.guild(guild) }
