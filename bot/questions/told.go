package questions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/text/unicode/norm"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// saying returns a function that replies to a message with the phrase that done
// returns.
func (g *Gate) saying(m *discord.Message, place guilds.Place, done func(context.Context) (phrases.ID, error)) func(context.Context, *slog.Logger) error {
	to := replyTo(m)
	return func(ctx context.Context, log *slog.Logger) error {
		said, err := done(ctx)
		if err != nil {
			log.Log(ctx, store.LogLevel(err), "a person's wish about what heddle reads could not be fulfilled whole, they are told", "error", err)
			said = "wish_failed"
		}
		text := phrases.In(place.Locale).Say(phrases.Phrase{ID: said}.OrAsk(g.settings.Contact))
		_, err = g.replies.Reply(ctx, to, text)
		switch {
		case errors.Is(err, reply.ErrNoPermission):
			return g.lacking.direct(ctx, log, to, m.Author.ID, text)
		case err != nil:
			return fmt.Errorf("tell somebody why they are not answered: %w", err)
		}
		return nil
	}
}

// replyTo returns the destination of a reply to a message.
func replyTo(m *discord.Message) reply.To {
	to := reply.To{Channel: m.Channel, Trigger: m.ID}
	if !m.Edited.IsZero() { // its first version may have been answered already
		to.Generation = int(m.Edited.Unix())
	}
	return to
}

// Refused tells the asker, if known, that Discord does not let heddle answer in a
// place. If heddle seems to have every permission that it needs, Refused names the
// permission to send messages.
func (g *Gate) Refused(ctx context.Context, log *slog.Logger, at reply.To, person graph.UserID, place guilds.Place) error {
	now := lack{place.Lacks | place.Writes(), place.MayAnswer()}
	if tell := g.lacking.telling(at, person, place, now); tell != nil {
		return tell(ctx, log)
	}
	return nil
}

// mostTold bounds how many people are remembered as told, each in one channel. Somebody
// who was forgotten is told again.
const mostTold = 1 << 14

// lacking tells people who ask where heddle may not write which permissions it lacks
// there. It tells each person once, in a direct message, and logs it once, until
// different permissions are missing. It may be used by any goroutine.
type lacking struct {
	replies *reply.Replies
	told    *lru.Cache[toldTo, lack]
}

// toldTo is who asked, and where; nobody for the log.
type toldTo struct {
	channel graph.ChannelID
	person  graph.UserID
}

// lack is what heddle lacks in a channel.
type lack struct {
	missing discord.Permissions
	refused bool // Discord refused an answer, although nothing seemed to be missing
}

func newLacking(out *reply.Replies) *lacking {
	told, _ := lru.New[toldTo, lack](mostTold) // the size is positive
	return &lacking{replies: out, told: told}
}

// has notes that heddle seems to lack nothing to write in a channel.
func (l *lacking) has(channel graph.ChannelID, person graph.UserID) {
	for _, who := range []toldTo{{channel, person}, {channel, 0}} {
		if known, ok := l.told.Peek(who); ok && !known.refused {
			l.told.Remove(who)
		}
	}
}

// isNews notes that somebody is told what is missing, and reports whether they were not.
func (l *lacking) isNews(who toldTo, now lack) bool {
	known, ok := l.told.Get(who)
	l.told.Add(who, now)
	return !ok || known.missing != now.missing
}

// telling returns a function that tells a person who asked in a channel what is missing
// there, or nil if they were told before.
func (l *lacking) telling(at reply.To, person graph.UserID, place guilds.Place, now lack) func(context.Context, *slog.Logger) error {
	tell, first := person != 0 && l.isNews(toldTo{at.Channel, person}, now), l.isNews(toldTo{at.Channel, 0}, now)
	if !tell && !first {
		return nil
	}
	return func(ctx context.Context, log *slog.Logger) error {
		log = log.With("missing", phrases.In().Permissions(now.missing))
		if first {
			log.WarnContext(ctx, "heddle may not answer in a channel, an admin has to grant what is missing")
		}
		if !tell {
			return nil
		}
		in := phrases.In(place.Locale)
		return l.direct(ctx, log, at, person, in.Text("lacks_to_answer", phrases.Values{
			"Where": discord.Mention(at.Channel), "Missing": in.Permissions(now.missing),
		}))
	}
}

// unheard is the reaction to a question that is answered in a direct message alone.
const unheard = "🔇"

// direct sends a text to a person in a direct message, in place of an answer. As that may land in
// a request inbox, heddle also reacts to the question, if it may.
func (l *lacking) direct(ctx context.Context, log *slog.Logger, at reply.To, person graph.UserID, text string) error {
	if err := l.replies.React(ctx, at.Channel, at.Trigger, unheard); err != nil {
		log.DebugContext(ctx, "heddle may not react to a question either", "error", err)
	}
	channel, err := l.replies.Direct(ctx, person)
	if err == nil {
		_, err = l.replies.Reply(ctx, reply.To{Channel: channel, Cause: reply.Refusal(at.Trigger), Generation: at.Generation}, text)
	}
	switch {
	case errors.Is(err, reply.ErrCannotDM):
		log.WarnContext(ctx, "whoever asked takes no direct messages and cannot be told why there is no answer")
		return nil
	case err != nil:
		return fmt.Errorf("tell somebody in a direct message why there is no answer: %w", err)
	}
	return nil
}

// wishes are the words that state what a person asks of heddle about their own messages, if
// a message holds nothing else but the mention. They are those of all languages, as people may
// use any of them anywhere. A wish goes by the phrase that confirms it.
type wishes struct {
	words map[string]phrases.ID
	// please are the words that may precede or follow a wish.
	please []string
}

func newWishes() wishes {
	w := wishes{words: make(map[string]phrases.ID), please: phrases.Words("please_words")}
	for id, wished := range map[phrases.ID]phrases.ID{
		"opt_in_words": "opted_in", "opt_out_words": "opted_out", "forget_me_words": "forgotten",
	} {
		for _, words := range phrases.Words(id) {
			w.words[words] = wished
		}
	}
	return w
}

// longestWish is the length in bytes of the longest message that is examined.
const longestWish = 100

// in returns the wish that a message states, or "". The message must hold nothing else but
// heddle's mention, or that of its role.
func (w wishes) in(m *discord.Message, self guilds.Self) phrases.ID {
	content := m.Content
	for _, mention := range []string{"<@" + self.User.String() + ">", "<@!" + self.User.String() + ">", "<@&" + self.Role.String() + ">"} {
		content = strings.ReplaceAll(content, mention, " ")
	}
	if len(content) > longestWish {
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(content)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	said := strings.Join(words, " ")
	for _, please := range w.please {
		said = strings.TrimSuffix(strings.TrimPrefix(said, please+" "), " "+please)
	}
	return w.words[said]
}

// fulfil carries out a wish and returns the phrase that confirms it.
func (g *Gate) fulfil(ctx context.Context, wished phrases.ID, person graph.UserID) (phrases.ID, error) {
	fulfil, known := map[phrases.ID]func(context.Context, graph.UserID) error{
		"opted_in": g.people.OptIn, "opted_out": g.people.OptOut, "forgotten": g.people.Forget,
	}[wished]
	if !known {
		return "not_read", nil
	}
	return wished, fulfil(ctx, person)
}
