package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

const (
	// pageSize is how many messages Discord returns at once.
	pageSize = 100
	// missedDirects bounds the direct messages that are caught up on, the latest first,
	// as each costs a request.
	missedDirects = 250
)

// CatchUp answers the missed questions that can be found without a guild: those that
// wait in the store, and those in direct messages. CatchUpChannels answers those of
// guilds.
func (d *Dispatcher) CatchUp() {
	d.stored.catchUp()
	d.stored.resumeTaken()
	d.absence.directs()
}

// CatchUpGuild answers the questions that were missed in the channels and threads of a
// guild, including threads that were archived in the meantime.
func (d *Dispatcher) CatchUpGuild(guild *discord.Guild) { d.absence.guild(guild) }

// CatchUpChannels answers the questions that were missed in channels of a guild. It
// reads only channels with messages within Settings.CatchUp that this process did not
// hear. Claims keep answered questions from being answered again.
func (d *Dispatcher) CatchUpChannels(guild graph.GuildID, channels []discord.Channel) {
	d.absence.channels(guild, channels)
}

// answerMissed answers the questions that were missed in an overdue channel, and
// completes or ends the answers that broke off in the meantime.
func (d *Dispatcher) answerMissed(ctx context.Context, o overdue) error {
	guild, channel := o.guild, o.channel
	known, err := d.intake.meet(ctx, guild, channel)
	switch {
	case discord.IsNotFound(err), err == nil && !known:
		return nil
	case err != nil:
		return err
	}
	messages, err := d.asking.missed.read(ctx, channel, o.from)
	if err != nil {
		return err
	}
	first, _ := slices.BinarySearchFunc(messages, o.from, func(m discord.Message, from graph.MessageID) int { return cmp.Compare(m.ID, from) })
	unheard := messages[first:]
	if slices.ContainsFunc(unheard, startsThread) {
		d.absence.archived(store.UsedChannel{Guild: guild, Channel: channel}, d.asking.missed.archivedPublic, o.from.Time())
	}
	remembered := d.absence.rememberedFrom(ctx)
	for _, m := range unheard {
		place := d.intake.guilds.Place(channel, guild)
		if !d.intake.asks(&m, place) {
			continue
		}
		stands := d.asking.missed.standingIn(messages, place.Self.User, m.ID)
		if m.ID.Time().Before(remembered) && stands.state >= unclear {
			continue
		}
		if err := d.intake.identify(ctx, guild, &m); err != nil {
			return err
		}
		if t, away := d.intake.turnsAway(d.log, &m, guild, place, store.TriggerClaim(m.ID)); away {
			if t != nil {
				d.tasks.perform(ctx, t)
			}
			continue
		}
		telemetry.Count(ctx, telemetry.CaughtUp)
		q := conversation.Question{Guild: guild, Channel: channel, ID: m.ID, Place: place}
		d.tasks.perform(ctx, d.asking.taskFrom(q, asker{guild, m.Author.ID}, &stands))
	}
	place := d.intake.guilds.Place(channel, guild)
	for _, question := range d.asking.missed.abandoned(messages, place.Self.User, o.from) {
		if d.asking.missed.isQuestion(ctx, channel, question, func(m *discord.Message) bool { return d.intake.asks(m, place) }) {
			q := conversation.Question{Guild: guild, Channel: channel, ID: question, Place: place}
			stands := d.asking.missed.standingIn(messages, place.Self.User, question)
			d.tasks.perform(ctx, d.asking.taskFrom(q, asker{guild: guild}, &stands))
		}
	}
	return nil
}

// rememberedFrom returns the time since which the store knows which questions were
// answered. It is now if the store cannot be reached.
func (a *absence) rememberedFrom(ctx context.Context) time.Time {
	since, err := a.backlog.Since(ctx)
	if err != nil {
		return a.missed.rest.Now()
	}
	return since
}

// Pages reads the newest messages of channels; fetch.History does.
type Pages interface {
	// Newest returns the newest messages of a channel, the newest first.
	Newest(ctx context.Context, channel graph.ChannelID) (discord.Page, error)
}

// Clock returns Discord's time, which the ids of messages contain. This machine's clock
// may be wrong.
type Clock interface {
	Now() time.Time
}

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	Clock
	// Delay returns how long a request to the route would have to wait now.
	Delay(method, path string) time.Duration
	room
}

// missed reads the messages that heddle missed.
type missed struct {
	history Pages
	rest    REST
	buttons bool // every whole answer has buttons below its last message
}

// read returns all messages of a channel from an id on, oldest first, and older ones
// that came with them.
func (m *missed) read(ctx context.Context, channel graph.ChannelID, from graph.MessageID) ([]discord.Message, error) {
	page, err := m.history.Newest(ctx, channel)
	if err != nil {
		return nil, fmt.Errorf("read what was missed: %w", err)
	}
	messages := slices.Clone(page.Messages)
	for page.Count >= pageSize && len(page.Messages) > 0 {
		oldest := slices.MinFunc(page.Messages, byID).ID
		if oldest < from {
			break
		}
		if page, err = m.page(ctx, channel, url.Values{"before": {oldest.String()}}); err != nil {
			return nil, fmt.Errorf("read what was missed: %w", err)
		}
		messages = append(messages, page.Messages...)
	}
	slices.SortFunc(messages, byID)
	return messages, nil
}

// readAfter returns all messages of a channel after an id, oldest first.
func (m *missed) readAfter(ctx context.Context, channel graph.ChannelID, after graph.MessageID) ([]discord.Message, error) {
	var messages []discord.Message
	for {
		page, err := m.page(ctx, channel, url.Values{"after": {after.String()}})
		if err != nil {
			return nil, err
		}
		messages = append(messages, page.Messages...)
		if page.Count < pageSize || len(page.Messages) == 0 {
			slices.SortFunc(messages, byID)
			return messages, nil
		}
		after = slices.MaxFunc(page.Messages, byID).ID
	}
}

// page returns a page of the messages of a channel.
func (m *missed) page(ctx context.Context, channel graph.ChannelID, query url.Values) (discord.Page, error) {
	query.Set("limit", strconv.Itoa(pageSize))
	raw, err := m.rest.Get(ctx, "/channels/"+channel.String()+"/messages", query)
	if err != nil {
		return discord.Page{}, err
	}
	return discord.DecodePage(raw)
}

func byID(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) }
