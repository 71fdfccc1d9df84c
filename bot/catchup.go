package bot

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/deferred"

	"heddle/bot/phrases"

	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// missedPages bounds how many pages of 100 messages are read of one channel to
// find what was missed there.
const missedPages = 10

// catchUp looks for mentions that heddle missed in channels of a guild. It reads
// only channels whose last message is no older than Settings.CatchUp. The claims of
// the mentions tell which of them were answered already.
func (r *receiver) catchUp(guild graph.GuildID, channels []discord.Channel) {
	b := r.bot
	since := b.now().Add(-b.settings.CatchUp)
	for _, channel := range channels {
		if !channel.Last.Time().After(since) {
			continue
		}
		r.catchUpChannel(guild, channel.ID, since)
	}
}

func (r *receiver) catchUpChannel(guild graph.GuildID, channel graph.ChannelID, since time.Time) {
	b := r.bot
	err := r.queues.push(channel, job{run: func(ctx context.Context) {
		if err := b.answerMissed(ctx, guild, channel, since); err != nil && !discord.IsForbidden(err) {
			b.log.WarnContext(ctx, "a channel could not be caught up", "channel", channel, "error", err)
		}
	}})
	if err != nil {
		b.log.Warn("a channel could not be caught up", "channel", channel, "error", err)
	}
}

// missedDirects is in how many direct messages is looked for what was missed, those
// of late first: each costs a read.
const missedDirects = 250

// catchUpDirects looks for what people told heddle alone while it was away, where
// they had talked to it before: Discord lists no direct messages. Who did so for
// the first time has to ask again.
func (r *receiver) catchUpDirects() {
	b := r.bot
	if b.settings.CatchUp <= 0 {
		return
	}
	since := b.now().Add(-b.settings.CatchUp)
	b.writes.Add(func(ctx context.Context) error {
		channels, err := b.directs.Directs(ctx)
		if err != nil {
			return err //nolint:wrapcheck // the writer tells of it
		}
		for _, channel := range channels[:min(len(channels), missedDirects)] {
			r.catchUpChannel(0, channel, since)
		}
		return nil
	})
}

// answerMissed answers what asked heddle in a channel since a time.
func (b *Bot) answerMissed(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, since time.Time) error {
	missed, err := b.missed(ctx, channel, graph.FirstMessageID(since))
	if err != nil {
		return err
	}
	remembered := b.rememberedFrom(ctx)
	for _, message := range missed {
		where := b.guilds.Place(channel, guild)
		if !where.IsAsked(&message) || message.ID.Time().Before(remembered) && answeredIn(where.Self.User, missed, message.ID) {
			continue
		}
		b.handle(ctx, mention{guild: guild, channel: channel, id: message.ID, place: where})
	}
	return nil
}

// rememberedFrom is from when on the store knows which mentions were answered. Where it
// cannot be asked it knows none.
func (b *Bot) rememberedFrom(ctx context.Context) time.Time {
	since, err := b.waiting.Since(ctx)
	if err != nil {
		return b.now()
	}
	return since
}

// answeredIn says whether heddle has answered a message to its end, by what is said
// after it: of what is older than the store only Discord knows.
func answeredIn(self graph.UserID, messages []discord.Message, trigger graph.MessageID) bool {
	return slices.ContainsFunc(messages, func(m discord.Message) bool {
		return m.Author.ID == self && m.Reference != nil && !m.Reference.Forward && m.Reference.Message == trigger && !growing(m.Content)
	})
}

// growing says whether a message of heddle's is the beginning of an answer that was
// broken off: it still ends with what shows that more is to come.
func growing(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(last, outbox.DefaultIndicator) || phrases.IsDoing(last)
}

// missed reads the messages of a channel from an id on, oldest first, as far as
// missedPages reach.
func (b *Bot) missed(ctx context.Context, channel graph.ChannelID, from graph.MessageID) ([]discord.Message, error) {
	newest, err := b.history.Newest(ctx, channel)
	if err != nil {
		return nil, fmt.Errorf("read what was missed: %w", err)
	}
	messages := slices.Clone(newest)
	for pages := 1; len(newest) == pageSize && pages < missedPages; pages++ {
		oldest := newest[len(newest)-1].ID
		if oldest < from {
			break
		}
		raw, err := b.rest.Get(ctx, "/channels/"+channel.String()+"/messages", url.Values{
			"before": {oldest.String()}, "limit": {strconv.Itoa(pageSize)},
		})
		if err != nil {
			return nil, fmt.Errorf("read what was missed: %w", err)
		}
		page, err := discord.DecodePage(raw)
		if err != nil {
			return nil, fmt.Errorf("read what was missed: %w", err)
		}
		newest = page.Messages
		messages = append(messages, newest...)
	}
	slices.SortFunc(messages, func(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(messages, func(m discord.Message) bool { return m.ID < from }), nil
}

// pageSize is how many messages Discord gives at once.
const pageSize = 100

// catchUpWaiting answers the mentions that an earlier process left in the store,
// as soon as that can be reached.
func (r *receiver) catchUpWaiting() {
	b := r.bot
	b.writes.Add(func(ctx context.Context) error {
		waiting, err := b.waiting.Pending(ctx)
		if err != nil {
			return err //nolint:wrapcheck // the writer tells of it
		}
		for _, channel := range channelsOf(waiting) {
			_ = r.queues.push(channel, b.answerWaiting(channel)) // a full queue looks by itself
		}
		return nil
	})
}

// answerWaiting is the job that answers what waits in the store for a channel.
func (b *Bot) answerWaiting(channel graph.ChannelID) job {
	return job{run: func(ctx context.Context) {
		b.writes.Flush(ctx)
		waiting, err := b.waiting.Pending(ctx)
		if err != nil {
			b.log.Log(ctx, level(err), "waiting mentions could not be read", "channel", channel, "error", err)
			b.later.add(b.now().Add(deferred.Retry), channel, b.answerWaiting(channel))
			return
		}
		for _, p := range waiting {
			if p.Channel != channel {
				continue
			}
			b.handle(ctx, mention{guild: p.Guild, channel: channel, id: p.Trigger, place: b.guilds.Place(channel, p.Guild)})
			if err := b.waiting.Remove(ctx, p); err != nil {
				b.log.Log(ctx, level(err), "a waiting mention could not be settled", "trigger", p.Trigger, "error", err)
			}
		}
	}}
}

// channelsOf lists the channels in which something waits, each once.
func channelsOf(waiting []store.Pending) []graph.ChannelID {
	var channels []graph.ChannelID
	for _, p := range waiting {
		channels = append(channels, p.Channel)
	}
	slices.Sort(channels)
	return slices.Compact(channels)
}
