package dispatch

import (
	"context"
	"net/url"
	"strconv"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Used remembers the channels and threads of guilds in which people asked.
type Used interface {
	Use(ctx context.Context, used store.UsedChannel) error
	// Used returns those in which people asked lately.
	Used(ctx context.Context) ([]store.UsedChannel, error)
}

// arrivals are guilds whose channels Discord has listed, kept until it is known in
// which of their channels people asked lately.
//
// mu guards guilds.
type arrivals struct {
	mu     sync.Mutex
	guilds map[graph.GuildID]map[graph.ChannelID]discord.ChannelType // the listed channels
}

func newArrivals() *arrivals {
	return &arrivals{guilds: make(map[graph.GuildID]map[graph.ChannelID]discord.ChannelType)}
}

func (a *arrivals) add(guild *discord.Guild) {
	listed := make(map[graph.ChannelID]discord.ChannelType, len(guild.Channels)+len(guild.Threads))
	for _, channels := range [][]discord.Channel{guild.Channels, guild.Threads} {
		for i := range channels {
			listed[channels[i].ID] = channels[i].Type
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.guilds[guild.ID] = listed
}

func (a *arrivals) take() map[graph.GuildID]map[graph.ChannelID]discord.ChannelType {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.guilds
	a.guilds = make(map[graph.GuildID]map[graph.ChannelID]discord.ChannelType)
	return taken
}

// startsThread reports whether a thread was started from a message, or the message
// announces one. Nothing else shows a thread that was started and archived during one
// absence.
func startsThread(m discord.Message) bool {
	return m.Type == discord.TypeThreadCreated || m.Flags&discord.FlagHasThread != 0
}

// archived returns the public threads of a channel that were archived since a time.
func (m *missed) archived(ctx context.Context, channel graph.ChannelID, since time.Time) ([]discord.Channel, error) {
	var found []discord.Channel
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for {
		raw, err := m.rest.Get(ctx, "/channels/"+channel.String()+"/threads/archived/public", query)
		if err != nil {
			return found, err
		}
		page := discord.DecodeArchived(raw)
		oldest := since
		for _, thread := range page.Threads {
			if thread.Archived.Before(since) {
				return found, nil
			}
			found, oldest = append(found, thread.Channel), thread.Archived
		}
		if !page.More || len(page.Threads) == 0 {
			return found, nil
		}
		query.Set("before", oldest.UTC().Format(time.RFC3339Nano))
	}
}
