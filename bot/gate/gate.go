package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Gate decides which messages that ask heddle are answered. Its methods may be called
// from any goroutine.
type Gate struct {
	people   *guilds.People
	bots     bots
	wishes   wishes
	settings Settings
	replies  *reply.Replies
	lacking  *lacking
}

// New returns a gate that turns away people who opted out, and whom the settings do not
// permit.
func New(people *guilds.People, out *reply.Replies, settings Settings) *Gate {
	asked, _ := lru.New[graph.ChannelID, []graph.MessageID](mostTalks) // the size is positive
	return &Gate{people: people, bots: bots{asked: asked}, wishes: newWishes(), settings: settings, replies: out, lacking: newLacking(out)}
}

// OptedOut reports whether a person opted out.
func (g *Gate) OptedOut(person graph.UserID) bool { return g.people.OptedOut(person) }

// People returns who opted out.
func (g *Gate) People() *guilds.People { return g.people }

// Judge returns what a message is; before are those before it, see questions.Of. It must be called
// for every message, as bots that answer each other are counted here.
func (g *Gate) Judge(m *discord.Message, before []discord.Message, place guilds.Place) questions.Verdict {
	g.bots.heard(m)
	v := questions.Of(m, before, &place, &g.settings.Questions)
	if v.Kind != questions.Nothing && m.Author.Bot && !m.ByWebhook() && !g.bots.mayAsk(m) {
		return questions.Verdict{}
	}
	if v.Part > 0 && !v.Bare && g.wishes.in(m, place.Self) != "" { // in direct messages a wish follows other words
		return questions.Verdict{Kind: questions.Asks, Question: m}
	}
	return v
}

// MayFollow reports whether the messages before a message decide what it is; see questions.MayFollow.
func (g *Gate) MayFollow(m *discord.Message, place guilds.Place) bool {
	return questions.MayFollow(m, &place, &g.settings.Questions)
}

// AnswersEdit reports whether a question that is edited at a time gets another answer.
func (g *Gate) AnswersEdit(question graph.MessageID, at time.Time) bool {
	return g.settings.Questions.AnswersEdit(question, at)
}

// TurnAway reports whether a message that asks heddle is not to be answered, and
// returns what to do instead, or nil for nothing.
//
// People who opted out are told so. A wish to opt out or in is fulfilled, whether or
// not its author may ask. Anybody else who may not ask is told so in direct messages
// only. Where heddle may not write, the asker learns in a direct message which
// permissions it lacks.
func (g *Gate) TurnAway(m *discord.Message, by Asker, place guilds.Place) (do func(context.Context, *slog.Logger) error, away bool) {
	wished := g.wishes.in(m, place.Self)
	switch {
	case wished != "" && !m.Author.Bot && !m.ByWebhook():
	case !g.Permits(by):
		if !place.Direct {
			return nil, true
		}
		return g.saying(m, place, func(context.Context) (phrases.ID, error) { return "not_permitted", nil }), true
	case g.people.OptedOut(by.User):
	case !place.MayAnswer():
		person := by.User
		if m.ByWebhook() {
			person = 0 // nobody can be told
		}
		return g.lacking.telling(replyTo(m), person, place, lack{missing: place.Lacks}), true
	default:
		g.lacking.has(m.Channel, by.User)
		return nil, false
	}
	return g.saying(m, place, func(ctx context.Context) (phrases.ID, error) { return g.fulfil(ctx, wished, by.User) }), true
}

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

// Settings are the operator's choice of who is answered, by ids on Discord, of which no two
// are equal. The zero value lets all people ask, and no bots.
type Settings struct {
	People []uint64 // people who may ask, and roles whose members may; empty: everybody
	Places []uint64 // guilds and channels in which people may ask; empty: all
	Block  []uint64 // people, roles, channels and guilds that are never answered
	// Questions decide what counts as a question.
	Questions questions.Rules
	Contact   string // whom people can ask about heddle; empty for nobody
}

// NeedsRoles reports whether the answer of Permits may depend on roles that are not known.
// Nobody has roles in a direct message.
func (g *Gate) NeedsRoles(by Asker) bool {
	return by.Guild != 0 && by.Member == nil && len(g.settings.People)+len(g.settings.Block) > 0
}

// Permits reports whether the settings let somebody ask. If their roles are not known, nobody
// may whom a blocked role might keep from it, except people who are allowed by name.
func (g *Gate) Permits(by Asker) bool {
	s := &g.settings
	people := []uint64{uint64(by.User)}
	if by.Member != nil {
		for _, role := range by.Member.Roles {
			people = append(people, uint64(role))
		}
	}
	switch {
	case anyIn(s.Block, people), !g.Serves(by):
		return false
	case g.NeedsRoles(by) && len(s.Block) > 0:
		return slices.Contains(s.People, uint64(by.User))
	}
	return by.Named || len(s.People) == 0 || anyIn(s.People, people)
}

// Serves reports whether the settings let people ask in the place of somebody who asks. In
// direct messages they may.
func (g *Gate) Serves(by Asker) bool {
	s := &g.settings
	places := []uint64{uint64(by.Guild), uint64(by.Channel), uint64(by.Parent)}
	return by.Guild == 0 || !anyIn(s.Block, places) && (len(s.Places) == 0 || anyIn(s.Places, places))
}

// anyIn reports whether one of ids is in a list.
func anyIn(list, ids []uint64) bool {
	return slices.ContainsFunc(ids, func(id uint64) bool { return slices.Contains(list, id) })
}

// Asker is who asks, and where.
type Asker struct {
	User    graph.UserID
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	Parent  graph.ChannelID // of a thread
	// Member has the person's roles. It is nil in direct messages, and for a question that was
	// asked while heddle was away.
	Member *discord.Member
	Named  bool // a bot or a webhook that may ask, whoever else may (hermes-agent#11606)
}

// botTurns is how many questions of bots are answered in a channel before a person writes
// there again. A bot that asks back once or twice is served; a loop ends before it is noise.
const botTurns = 3

// mostTalks bounds the channels in which the questions of bots are counted. In a channel that was
// forgotten bots may ask again: a bound that refused them for good would be reached some day
// (finding 4.7).
const mostTalks = 4096

// bots lets bots ask a limited number of times in a row, so that two bots that answer
// each other stop at some time. It may be used by any goroutine.
//
// mu is held while the questions of a channel are read and counted; it is never held over I/O.
type bots struct {
	mu    sync.Mutex
	asked *lru.Cache[graph.ChannelID, []graph.MessageID] // by bots, since a person said something
}

// heard notes a message. When a person writes in a channel, bots may ask there again.
func (b *bots) heard(m *discord.Message) {
	if !m.Author.Bot && m.Webhook == 0 && !m.Author.System {
		b.asked.Remove(m.Channel)
	}
}

// mayAsk reports whether a bot's question is to be answered, and counts it.
func (b *bots) mayAsk(m *discord.Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked, _ := b.asked.Get(m.Channel)
	switch {
	case slices.Contains(asked, m.ID):
		return true
	case len(asked) >= botTurns:
		return false
	}
	b.asked.Add(m.Channel, append(slices.Clip(asked), m.ID))
	return true
}

// mostTold bounds how many people are remembered as told, each in one channel. Somebody
// who was forgotten is told again.
const mostTold = 1 << 14

// lacking tells people who ask where heddle may not write which permissions it lacks
// there. It tells each person once, in a direct message, and logs it once, until
// different permissions are missing. It may be used by any goroutine.
type lacking struct {
	replies *reply.Replies
	told    *lru.Cache[asked, lack]
}

// asked is who asked, and where; nobody for the log.
type asked struct {
	channel graph.ChannelID
	person  graph.UserID
}

// lack is what heddle lacks in a channel.
type lack struct {
	missing discord.Permissions
	refused bool // Discord refused an answer, although nothing seemed to be missing
}

func newLacking(out *reply.Replies) *lacking {
	told, _ := lru.New[asked, lack](mostTold) // the size is positive
	return &lacking{replies: out, told: told}
}

// has notes that heddle seems to lack nothing to write in a channel.
func (l *lacking) has(channel graph.ChannelID, person graph.UserID) {
	for _, who := range []asked{{channel, person}, {channel, 0}} {
		if known, ok := l.told.Peek(who); ok && !known.refused {
			l.told.Remove(who)
		}
	}
}

// isNews notes that somebody is told what is missing, and reports whether they were not.
func (l *lacking) isNews(who asked, now lack) bool {
	known, ok := l.told.Get(who)
	l.told.Add(who, now)
	return !ok || known.missing != now.missing
}

// telling returns a function that tells a person who asked in a channel what is missing
// there, or nil if they were told before.
func (l *lacking) telling(at reply.To, person graph.UserID, place guilds.Place, now lack) func(context.Context, *slog.Logger) error {
	tell, first := person != 0 && l.isNews(asked{at.Channel, person}, now), l.isNews(asked{at.Channel, 0}, now)
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

// direct sends a text to a person in a direct message, in place of an answer.
func (l *lacking) direct(ctx context.Context, log *slog.Logger, at reply.To, person graph.UserID, text string) error {
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
