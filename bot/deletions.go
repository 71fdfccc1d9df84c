package bot

import (
	"context"
	"sync"
	"time"

	"heddle/bot/deferred"
	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Deletions erases messages and everything that was derived from them; store.Deletions
// does.
type Deletions interface {
	Forget(ctx context.Context, scope store.Scope, channel graph.ChannelID, messages []graph.MessageID) (store.Stale, error)
	ForgetChannel(ctx context.Context, scope store.Scope, channel graph.ChannelID) error
	ForgetGuild(ctx context.Context, guild graph.GuildID) error
	// Edited notes that older versions of a message are to be erased soon.
	Edited(ctx context.Context, channel graph.ChannelID, message graph.MessageID, edited time.Time) error
}

// offering finds the messages of heddle's that depend on deleted messages;
// alternatives.Edits does. Offering returns those with buttons that offer to answer a
// deleted question.
type offering interface {
	// Answers returns the messages in which answers to deleted questions stand, as far as
	// the store knows.
	Answers(ctx context.Context, scope store.Scope, deleted []graph.MessageID) map[graph.MessageID][]graph.MessageID
	Offering(ctx context.Context, scope store.Scope, channel graph.ChannelID, deleted []graph.MessageID) []graph.MessageID
}

// righting corrects heddle's messages on Discord and returns at once; dispatch.Dispatcher
// does. PutRight corrects the buttons below answers.
type righting interface {
	// TakeBack deletes the answers to deleted questions. answers are their messages, as far
	// as the store knows.
	TakeBack(deleted discord.Delete, answers map[graph.MessageID][]graph.MessageID)
	PutRight(stale store.Stale)
}

// deletions passes deletions to the store and loses none. While the store is away, the
// deletions of a channel are collected in one write, at 8 bytes a message.
//
// mu guards waiting and edits; it is never held over I/O.
type deletions struct {
	store   Deletions
	writes  *deferred.Writes
	offers  offering
	welcome *welcome // greets in guilds that heddle joins

	mu      sync.Mutex
	waiting map[guilds.Lost][]graph.MessageID // by channel; not yet written
	edits   map[version]time.Time             // when each message was edited; not yet written
}

// version names a message whose older versions are to be erased.
type version struct {
	channel graph.ChannelID
	message graph.MessageID
}

func newDeletions(store Deletions, writes *deferred.Writes, offers offering, welcome *welcome) *deletions {
	return &deletions{store: store, writes: writes, offers: offers, welcome: welcome, waiting: make(map[guilds.Lost][]graph.MessageID), edits: make(map[version]time.Time)}
}

// messages erases messages. It deletes the answers to questions among them from Discord,
// and corrects the buttons below the answers that remain.
func (d *deletions) messages(scope store.Scope, deleted discord.Delete, below righting) {
	from := guilds.Lost{Channel: deleted.Channel, Scope: scope}
	if !d.add(from, deleted.Messages) {
		return // the waiting write includes them
	}
	var messages []graph.MessageID
	d.writes.Keep(func(ctx context.Context) error {
		if messages == nil { // otherwise the store was away when they were written
			messages = d.take(from)
		}
		answers := d.offers.Answers(ctx, scope, messages)
		offers := d.offers.Offering(ctx, scope, from.Channel, messages)
		stale, err := d.store.Forget(ctx, scope, from.Channel, messages)
		if err != nil {
			return err
		}
		for _, message := range offers {
			stale.Buttons = append(stale.Buttons, store.Place{Scope: scope, Channel: from.Channel, Message: message})
		}
		below.TakeBack(discord.Delete{Guild: deleted.Guild, Channel: from.Channel, Messages: messages}, answers)
		below.PutRight(stale)
		return nil
	})
}

// add adds messages to those that wait, and reports whether nothing else waits for the
// channel.
func (d *deletions) add(from guilds.Lost, messages []graph.MessageID) (first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, waits := d.waiting[from]
	d.waiting[from] = append(d.waiting[from], messages...)
	return !waits
}

func (d *deletions) take(from guilds.Lost) []graph.MessageID {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer delete(d.waiting, from)
	return d.waiting[from]
}

// edited schedules the erasure of the older versions of a message. Edits are collected
// like deletions.
func (d *deletions) edited(channel graph.ChannelID, message graph.MessageID, edited time.Time) {
	d.mu.Lock()
	first := len(d.edits) == 0
	d.edits[version{channel, message}] = edited
	d.mu.Unlock()
	if first {
		d.writes.Keep(d.writeEdits)
	}
}

func (d *deletions) writeEdits(ctx context.Context) error {
	for {
		of, edited, found := d.anEdit()
		if !found {
			return nil
		}
		if err := d.store.Edited(ctx, of.channel, of.message, edited); err != nil {
			return err
		}
		d.wrote(of, edited)
	}
}

func (d *deletions) anEdit() (of version, edited time.Time, found bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for of, edited := range d.edits {
		return of, edited, true
	}
	return version{}, time.Time{}, false
}

// wrote forgets an edit that was written, unless the message was edited again in the
// meantime.
func (d *deletions) wrote(of version, edited time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.edits[of].Equal(edited) {
		delete(d.edits, of)
	}
}

// channel erases what was said in a channel that heddle can no longer read.
func (d *deletions) channel(lost guilds.Lost) {
	d.writes.Keep(func(ctx context.Context) error { return d.store.ForgetChannel(ctx, lost.Scope, lost.Channel) })
}

// guild erases what was said in a guild that heddle left.
func (d *deletions) guild(guild graph.GuildID) {
	d.writes.Keep(func(ctx context.Context) error { return d.store.ForgetGuild(ctx, guild) })
}
