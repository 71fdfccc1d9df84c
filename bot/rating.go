package bot

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"heddle/bot/deferred"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// reacted follows what people think of heddle's answers: 👍 and 👎 on any part of
// one rate it, until they are taken back.
func (r *receiver) reacted(name string, data json.RawMessage) error {
	b := r.bot
	reaction, err := discord.DecodeReaction(data)
	if err != nil {
		return err //nolint:wrapcheck // logged with the event's name
	}
	good, tone, rates := verdict(reaction.Emoji)
	if name != "MESSAGE_REACTION_REMOVE_ALL" && !rates || !b.mayRate(&reaction) {
		return nil
	}
	scope := b.guilds.Place(reaction.Channel, reaction.Guild).Scope
	message := reaction.Message
	rating := store.Rating{Message: message, Person: reaction.User, Good: good, Tone: tone, At: b.now()}
	b.afterAnswers(r.queues, reaction.Channel, func(ctx context.Context) error {
		switch name {
		case "MESSAGE_REACTION_ADD":
			err := b.ratings.Rate(ctx, scope, rating)
			if errors.Is(err, store.ErrForgotten) {
				return nil // it is no answer, or one that is not known any more
			}
			return err //nolint:wrapcheck // the writer tells of it
		default:
			return b.ratings.Unrate(ctx, scope, message, func(given store.Rating) bool {
				return (rating.Person == 0 || given.Person == rating.Person) &&
					(!rates || given.Good == rating.Good && given.Tone == rating.Tone)
			})
		}
	})
	return nil
}

// mayRate says whether a reaction can be a person's to an answer of heddle's, as far
// as that can be told without asking anybody.
func (b *Bot) mayRate(r *discord.Reaction) bool {
	self := b.guilds.Self().ID
	if r.Bot || r.User == self || r.Author != 0 && r.Author != self {
		return false
	}
	held, known := b.history.Message(r.Channel, r.Message)
	return !known || held.Origin == graph.OriginSelf
}

// afterAnswers writes something to the store once the answers are over that are
// under way or wait in a channel: until then the store does not know them. However
// much there is to write, it takes one place in the channel's queue.
func (b *Bot) afterAnswers(q *queues, channel graph.ChannelID, do deferred.Write) {
	if !b.behind.add(channel, do) {
		return
	}
	release := func() {
		for _, do := range b.behind.take(channel) {
			b.writes.Add(do)
		}
	}
	if q.push(channel, job{run: func(context.Context) { release() }, leave: release}) != nil {
		release()
	}
}

// behind holds what is to be written behind the answers of a channel.
//
// mu guards waiting; it is never held over I/O.
type behind struct {
	mu      sync.Mutex
	waiting map[graph.ChannelID][]deferred.Write
}

func newBehind() *behind { return &behind{waiting: make(map[graph.ChannelID][]deferred.Write)} }

// add says whether nothing else waits in the channel.
func (b *behind) add(channel graph.ChannelID, do deferred.Write) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[channel] = append(b.waiting[channel], do)
	return len(b.waiting[channel]) == 1
}

func (b *behind) take(channel graph.ChannelID) []deferred.Write {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer delete(b.waiting, channel)
	return b.waiting[channel]
}

// verdict reads an emoji as a rating: 👍 or 👎, in any skin tone.
func verdict(emoji string) (good bool, tone byte, ok bool) {
	const variation, lightest, darkest = '\uFE0F', '\U0001F3FB', '\U0001F3FF'
	rest, good := strings.CutPrefix(emoji, "👍")
	if !good {
		if rest, ok = strings.CutPrefix(emoji, "👎"); !ok {
			return false, 0, false
		}
	}
	for _, r := range rest {
		switch {
		case r >= lightest && r <= darkest && tone == 0:
			tone = byte(r - lightest + 1)
		case r != variation:
			return false, 0, false
		}
	}
	return good, tone, true
}
