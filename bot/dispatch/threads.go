package dispatch

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// mostPrivate bounds the archived private threads of a channel that are looked at.
const mostPrivate = 5 * pageSize

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
	guilds map[graph.GuildID]map[graph.ChannelID]listed
}

// listed is a channel or an active thread as Discord listed it.
type listed struct {
	kind discord.ChannelType
	last graph.MessageID
}

func newArrivals() *arrivals {
	return &arrivals{guilds: make(map[graph.GuildID]map[graph.ChannelID]listed)}
}

func (a *arrivals) add(guild *discord.Guild) {
	all := make(map[graph.ChannelID]listed, len(guild.Channels)+len(guild.Threads))
	for _, channels := range [][]discord.Channel{guild.Channels, guild.Threads} {
		for i := range channels {
			all[channels[i].ID] = listed{channels[i].Type, channels[i].Last}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.guilds[guild.ID] = all
}

func (a *arrivals) take() map[graph.GuildID]map[graph.ChannelID]listed {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.guilds
	a.guilds = make(map[graph.GuildID]map[graph.ChannelID]listed)
	return taken
}

// liveliest returns the channels with threads, the one with the newest message first, and
// no more than most of them.
func liveliest(arrived map[graph.GuildID]map[graph.ChannelID]listed, most int) []store.UsedChannel {
	var found []store.UsedChannel
	last := make(map[graph.ChannelID]graph.MessageID)
	for guild, channels := range arrived {
		for id, channel := range channels {
			if channel.kind.HasThreads() {
				found, last[id] = append(found, store.UsedChannel{Guild: guild, Channel: id}), channel.last
			}
		}
	}
	slices.SortFunc(found, func(a, b store.UsedChannel) int {
		return cmp.Or(cmp.Compare(last[b.Channel], last[a.Channel]), cmp.Compare(b.Channel, a.Channel))
	})
	return found[:min(most, len(found))]
}

// startsThread reports whether a thread was started from a message, or the message
// announces one. Nothing else shows a thread that was started and archived during one
// absence.
func startsThread(m discord.Message) bool {
	return m.Type == discord.TypeThreadCreated || m.Flags&discord.FlagHasThread != 0
}

// archive lists the threads of a channel that were archived since a time.
type archive func(ctx context.Context, channel graph.ChannelID, since time.Time) ([]discord.Channel, error)

// archiveOf returns what lists the archived threads of a kind of channel: the public ones
// and, where there may be any, the private ones that heddle is a member of.
func (r *reader) archiveOf(kind discord.ChannelType) archive {
	if kind != discord.ChannelText {
		return r.archivedPublic
	}
	return func(ctx context.Context, channel graph.ChannelID, since time.Time) ([]discord.Channel, error) {
		found, err := r.archivedPublic(ctx, channel, since)
		if err != nil {
			return found, err
		}
		private, err := r.archivedPrivate(ctx, channel, since)
		return append(found, private...), err
	}
}

// archivedPublic returns the public threads of a channel that were archived since a time.
func (r *reader) archivedPublic(ctx context.Context, channel graph.ChannelID, since time.Time) ([]discord.Channel, error) {
	var found []discord.Channel
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for {
		page, err := r.threads(ctx, channel, "/threads/archived/public", query)
		if err != nil {
			return found, err
		}
		oldest := since
		for _, thread := range page.Threads { // the one archived last comes first
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

// archivedPrivate returns the private threads of a channel that were archived since a
// time and that heddle is a member of. It looks at no more than the mostPrivate newest
// ones, as Discord lists them by when they began.
func (r *reader) archivedPrivate(ctx context.Context, channel graph.ChannelID, since time.Time) ([]discord.Channel, error) {
	var found []discord.Channel
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for range mostPrivate / pageSize {
		page, err := r.threads(ctx, channel, "/users/@me/threads/archived/private", query)
		if err != nil {
			return found, err
		}
		for _, thread := range page.Threads {
			if !thread.Archived.Before(since) {
				found = append(found, thread.Channel)
			}
		}
		if !page.More || len(page.Threads) == 0 {
			return found, nil
		}
		query.Set("before", page.Threads[len(page.Threads)-1].ID.String())
	}
	return found, nil
}

// threads returns a page of a list of archived threads.
func (r *reader) threads(ctx context.Context, channel graph.ChannelID, list string, query url.Values) (discord.ArchivedPage, error) {
	raw, err := r.rest.Get(ctx, "/channels/"+channel.String()+list, query)
	if err != nil {
		return discord.ArchivedPage{}, err
	}
	return discord.DecodeArchived(raw), nil
}
