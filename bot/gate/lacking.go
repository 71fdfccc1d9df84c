package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
)

const (
	// mostLacking bounds the channels for which it is remembered who was told. In a
	// channel that was forgotten, people are told again.
	mostLacking = 1024
	// mostTold bounds the people who are told about one channel.
	mostTold = 256
)

// lacking tells people who ask where heddle may not write which permissions it lacks
// there. It tells each person once, in a direct message, and logs it once, until
// different permissions are missing. It may be used by any goroutine.
//
// mu guards channels and what they hold; it is never held over I/O.
type lacking struct {
	outbox Outbox

	mu       sync.Mutex
	channels *lru.Cache[graph.ChannelID, *lack]
}

// lack is what heddle lacks in a channel, and who was told.
type lack struct {
	missing discord.Permissions
	told    map[graph.UserID]bool
	logged  bool
	refused bool // by Discord, although nothing seemed to be missing
}

func newLacking(out Outbox) *lacking {
	return &lacking{outbox: out, channels: lru.New[graph.ChannelID, *lack](mostLacking)}
}

// has notes that heddle seems to lack nothing to write in a channel.
func (l *lacking) has(channel graph.ChannelID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.channels.Peek(channel); ok && !known.refused {
		l.channels.Remove(channel)
	}
}

// refused notes that Discord refused an answer in a channel although nothing seemed to
// be missing.
func (l *lacking) refused(channel graph.ChannelID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.channels.Peek(channel); ok {
		known.refused = true
	}
}

// news reports whether to tell a person now what is missing in a channel, and whether
// to log it. It remembers both as done.
func (l *lacking) news(channel graph.ChannelID, person graph.UserID, missing discord.Permissions) (tell, log bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.channels.Get(channel)
	if !ok || known.missing != missing {
		known = &lack{missing: missing, told: make(map[graph.UserID]bool)}
		l.channels.Add(channel, known)
	}
	tell, log = person != 0 && !known.told[person] && len(known.told) < mostTold, !known.logged
	known.logged = true
	if tell {
		known.told[person] = true
	}
	return tell, log
}

// telling returns a function that tells a person who asked in a channel what is missing
// there, or nil if they were told before.
func (l *lacking) telling(at outbox.To, person graph.UserID, place guilds.Place, missing discord.Permissions) func(context.Context, *slog.Logger) error {
	tell, first := l.news(at.Channel, person, missing)
	if !tell && !first {
		return nil
	}
	return func(ctx context.Context, log *slog.Logger) error {
		log = log.With("missing", phrases.In().Permissions(missing))
		if first {
			log.WarnContext(ctx, "heddle may not answer in a channel, an admin has to grant what is missing")
		}
		if !tell {
			return nil
		}
		in := phrases.In(place.Locale)
		return l.direct(ctx, log, at, person, in.Text(phrases.LacksToAnswer, phrases.Values{
			"Where": discord.Mention(at.Channel), "Missing": in.Permissions(missing),
		}))
	}
}

// direct sends a text to a person in a direct message, in place of an answer.
func (l *lacking) direct(ctx context.Context, log *slog.Logger, at outbox.To, person graph.UserID, text string) error {
	channel, err := l.outbox.Direct(ctx, person)
	if err == nil {
		_, err = l.outbox.Reply(ctx, outbox.To{Channel: channel, Cause: outbox.Refusal(at.Trigger), Generation: at.Generation}, text)
	}
	switch {
	case errors.Is(err, outbox.ErrCannotDM):
		log.WarnContext(ctx, "whoever asked takes no direct messages and cannot be told why there is no answer")
		return nil
	case err != nil:
		return fmt.Errorf("tell somebody in a direct message why there is no answer: %w", err)
	}
	return nil
}
