package discordtest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"heddle/graph"
	"heddle/internal/waittest"
)

// ChannelKind is Discord's channel type.
type ChannelKind int

// The kinds of channels.
const (
	Text          ChannelKind = 0
	DM            ChannelKind = 1
	Voice         ChannelKind = 2
	Announcement  ChannelKind = 5
	PublicThread  ChannelKind = 11
	PrivateThread ChannelKind = 12
	Stage         ChannelKind = 13
	Forum         ChannelKind = 15
	Media         ChannelKind = 16
)

// world holds people, places and messages. Its monitor guards all of them, including
// the values that it points at.
type world struct {
	mu           *waittest.Monitor
	clock        func() time.Time
	answerWithin time.Duration
	base         string        // what the addresses of attachments begin with, up to the path
	signatures   atomic.Uint32 // makes every address another one; it needs no lock
	emit         func(event)   // passes an event on to the gateway

	ids          snowflakes
	users        map[graph.UserID]*user
	bots         map[string]*bot // by token
	guilds       map[graph.GuildID]*guild
	channels     map[graph.ChannelID]*channel
	interactions map[string]*interaction            // by token
	loose        map[graph.AttachmentID]*Attachment // that came with commands
	sites        map[string]*Attachment             // what the media proxy finds, by address
	watchers     map[*Watcher]struct{}
}

type user struct {
	id        graph.UserID
	name      string
	global    string // the display name; empty for none
	locale    string // empty for en-US
	bot       *bot   // nil for people
	closedDMs bool
}

type bot struct {
	*user
	token       string
	application graph.UserID
	noContent   bool // the portal's Message Content switch is off

	commands     []Command      // of all guilds
	installedFor []graph.UserID // the people who installed the application for themselves
	forUsers     bool           // people may install the application for themselves
}

type guild struct {
	id       graph.GuildID
	name     string
	locale   string // empty for en-US
	owner    graph.UserID
	roles    []*role // the first is @everyone
	members  []*member
	channels []*channel // in the order they were made, without threads
	threads  []*channel

	indexing  int     // searches that are still answered as while the index is built
	indexWait float64 // seconds that such an answer asks to wait
}

type role struct {
	id          graph.RoleID
	name        string
	permissions Permission
	mentionable bool
	bot         graph.UserID // of a managed role
}

type member struct {
	user     *user
	nick     string         // empty for none
	everyone graph.RoleID   // the guild's role of everyone
	roles    []graph.RoleID // without it
	joined   time.Time
	muted    time.Time // the end of a timeout
}

type channel struct {
	world      *world
	id         graph.ChannelID
	guild      *guild // nil in a DM
	kind       ChannelKind
	name       string
	parent     *channel
	overwrites []Overwrite
	recipients []*user // of a DM
	messages   messageLog
	thread     *threadState // nil for all but threads
	topic      string
	tags       []Tag      // of a forum, for its posts
	followers  []follower // of an announcement channel
	adult      bool       // age-restricted
	nonces     map[nonceKey]graph.MessageID
	behind     time.Duration // how far its time is behind that of the world
}

// newWorld returns a world without users and guilds. mu guards all of it.
func newWorld(mu *waittest.Monitor, o Options, base string) *world {
	w := &world{
		mu: mu, clock: o.Clock, base: base, answerWithin: o.AnswerWithin,
		users:        map[graph.UserID]*user{},
		bots:         map[string]*bot{},
		guilds:       map[graph.GuildID]*guild{},
		channels:     map[graph.ChannelID]*channel{},
		interactions: map[string]*interaction{}, loose: map[graph.AttachmentID]*Attachment{},
		watchers: map[*Watcher]struct{}{},
	}
	if w.answerWithin == 0 {
		w.answerWithin = defaultAnswerWithin
	}
	return w
}

func (w *world) nextID() uint64 { return w.ids.next(w.clock()) }

// timeIn returns the time in a channel.
func timeIn(c *channel) time.Time { return c.world.clock().Add(-c.behind) }

// idIn returns the id of a message that is written in a channel now.
func idIn(c *channel) graph.MessageID {
	if now := timeIn(c); now.Before(c.world.clock()) {
		return graph.MessageID(c.world.ids.at(now))
	}
	return graph.MessageID(c.world.nextID())
}

// find returns the message that a reference points at; nil if it is gone.
func (w *world) find(r *Reference) *Message {
	if c := w.channels[r.Channel]; c != nil {
		return c.messages.find(r.Message)
	}
	return nil
}

// guildsOf returns the guilds that a bot is a member of.
func (w *world) guildsOf(b *bot) []*guild {
	var all []*guild
	for _, g := range w.guilds {
		if g.member(b.id) != nil {
			all = append(all, g)
		}
	}
	return all
}

// botWith returns the bot with a token, which may follow "Bot "; nil if there is none.
func (w *world) botWith(token string) *bot { return w.bots[strings.TrimPrefix(token, "Bot ")] }

// happened passes a happening to the watchers and wakes every await.
func (w *world) happened(h Happening) {
	for watcher := range w.watchers {
		watcher.queue = append(watcher.queue, h)
	}
	w.mu.Wake()
}

func (g *guild) member(id graph.UserID) *member {
	for _, m := range g.members {
		if m.user.id == id {
			return m
		}
	}
	return nil
}

func (g *guild) role(id graph.RoleID) *role {
	for _, r := range g.roles {
		if r.id == id {
			return r
		}
	}
	return nil
}

// must returns what is held under an id. It panics if there is nothing, because that is a bug
// in a test.
func must[K, V any](held map[graph.ID[K]]*V, id graph.ID[K]) *V {
	if v := held[id]; v != nil {
		return v
	}
	panic(fmt.Sprintf("discordtest: %T has no %s", held, id))
}

// mustMember returns a member. It panics if there is none, as must does.
func (g *guild) mustMember(id graph.UserID) *member {
	if m := g.member(id); m != nil {
		return m
	}
	panic(fmt.Sprintf("discordtest: user %s is no member of guild %s", id, g.id))
}
