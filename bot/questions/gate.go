package questions

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
)

// Gate decides which messages that ask heddle are answered. Its methods may be called
// from any goroutine.
type Gate struct {
	people   *guilds.People
	bots     bots
	wishes   wishes
	settings GateSettings
	replies  *reply.Replies
	lacking  *lacking
}

// NewGate returns a gate that turns away people who opted out, and whom the settings do not
// permit.
func NewGate(people *guilds.People, out *reply.Replies, settings GateSettings) *Gate {
	asked, _ := lru.New[graph.ChannelID, []graph.MessageID](mostTalks) // the sizes are positive
	refused, _ := lru.New[graph.MessageID, struct{}](mostTalks)
	return &Gate{people: people, bots: bots{asked: asked, refused: refused}, wishes: newWishes(), settings: settings, replies: out, lacking: newLacking(out)}
}

// OptedOut reports whether a person opted out.
func (g *Gate) OptedOut(person graph.UserID) bool { return g.people.OptedOut(person) }

// People returns who opted out.
func (g *Gate) People() *guilds.People { return g.people }

// Judge returns what a message is; before are those before it, see Of. It must be called
// for every message, as bots that answer each other are counted here.
func (g *Gate) Judge(m *discord.Message, before []discord.Message, place guilds.Place) Verdict {
	g.bots.heard(m)
	v := Of(m, before, &place, &g.settings.Questions)
	if v.Kind != Nothing && m.Author.Bot && !m.ByWebhook() && !g.bots.mayAsk(m) {
		return Verdict{}
	}
	if v.Part > 0 && !v.Bare && g.wishes.in(m, place.Self) != "" { // in direct messages a wish follows other words
		return Verdict{Kind: Asks, Question: m}
	}
	return v
}

// MayFollow reports whether the messages before a message decide what it is; see MayFollow.
func (g *Gate) MayFollow(m *discord.Message, place guilds.Place) bool {
	return MayFollow(m, &place, &g.settings.Questions)
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

// GateSettings are the operator's choice of who is answered, by ids on Discord, of which no two
// are equal. The zero value lets all people ask, and no bots.
type GateSettings struct {
	People []uint64 // people who may ask, and roles whose members may; empty: everybody
	Places []uint64 // guilds and channels in which people may ask; empty: all
	Block  []uint64 // people, roles, channels and guilds that are never answered
	// Questions decide what counts as a question.
	Questions Rules
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
	// refused are not answered when they are edited, either: buttons may follow an answer that another
	// heddle gave, once a person said something.
	refused *lru.Cache[graph.MessageID, struct{}]
}

// heard notes a message. When a person writes in a channel, bots may ask there again. A message that is
// read later than it was heard does not undo what was counted since.
func (b *bots) heard(m *discord.Message) {
	if m.Author.Bot || m.Webhook != 0 || m.Author.System {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if asked, known := b.asked.Peek(m.Channel); known {
		b.asked.Add(m.Channel, slices.DeleteFunc(slices.Clone(asked), func(id graph.MessageID) bool { return id < m.ID }))
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
	case b.refused.Contains(m.ID), len(asked) >= botTurns:
		b.refused.Add(m.ID, struct{}{})
		return false
	}
	b.asked.Add(m.Channel, append(slices.Clip(asked), m.ID))
	return true
}
