package guilds

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	mostNamed  = 1000             // people, roles and channels of one guild that are remembered
	mostNaming = 1000             // guilds of which names are remembered
	askAgain   = 10 * time.Minute // until somebody whose name did not come is asked for once more
	keptFor    = 24 * time.Hour   // until a stored name that is used again is stored again
	mostAsked  = 100              // people in one request, Discord's bound
)

// Names knows what people, roles and channels are called in each guild, and were called before.
// Discord names members only in events, so that the names in older messages come from what was
// stored with answers, from earlier events, or from a request through the gateway. A message keeps
// the name that it was first read with (finding 3.1). It implements fetch.Names.
//
// mu guards the fields below it; it is never held over I/O.
type Names struct {
	cache  *Cache
	people *People
	stored *store.Names
	log    *slog.Logger
	ask    wait.Signal // somebody is to be asked for
	keep   wait.Signal // something is to be stored

	mu     sync.Mutex
	guilds *lru.Cache[graph.GuildID, *lru.Cache[graph.UserID, *called]]
	newest graph.MessageID                  // no message that was named has a greater id
	wanted map[graph.GuildID][]graph.UserID // who is to be asked for
	last   request                          // what was asked for last
	until  time.Time                        // when the next request may be made
	unkept map[namedIn]struct{}             // what is to be stored
}

// called is what is known of one name.
type called struct {
	names []store.Called // oldest first; the first holds for older messages, too
	read  bool           // what was stored is among names
	told  bool           // Discord has told the name since the process began, or that there is none
	asked time.Time
	kept  time.Time // when names were stored; zero if they were not
}

// request is a request for members of a guild.
type request struct {
	guild  graph.GuildID
	people []graph.UserID
}

type namedIn struct {
	guild graph.GuildID
	of    graph.UserID // or a role or a channel
}

// NewNames returns Names that know none.
func NewNames(cache *Cache, people *People, stored *store.Store, log *slog.Logger) *Names {
	known, _ := lru.New[graph.GuildID, *lru.Cache[graph.UserID, *called]](mostNaming) // the size is positive
	n := &Names{
		cache: cache, people: people, stored: stored.Names, log: log, ask: wait.NewSignal(), keep: wait.NewSignal(),
		guilds: known, newest: graph.FirstMessageID(time.Now()), wanted: make(map[graph.GuildID][]graph.UserID), unkept: make(map[namedIn]struct{}),
	}
	people.names = n
	return n
}

// ofLocked returns what is known of a name.
func (n *Names) ofLocked(guild graph.GuildID, of graph.UserID) *called {
	in, ok := n.guilds.Get(guild)
	if !ok {
		in, _ = lru.New[graph.UserID, *called](mostNamed) // the size is positive
		n.guilds.Add(guild, in)
	}
	c, ok := in.Get(of)
	if !ok {
		c = &called{}
		in.Add(of, c)
	}
	return c
}

// at returns the name as of a message, or "".
func (c *called) at(message graph.MessageID) string {
	name := ""
	for i, one := range c.names {
		if i == 0 || one.Since <= message {
			name = one.Name
		}
	}
	return name
}

// now adds the name that somebody has from a message on.
func (c *called) now(name string, since graph.MessageID) {
	if last := len(c.names) - 1; last < 0 || since > c.names[last].Since && name != c.names[last].Name {
		c.names, c.kept = store.Rename(c.names, store.Called{Since: since, Name: name}), time.Time{}
	}
}

// Heard notes the people in an event whose names it tells. message is the event's id, or 0 for an
// event without one.
func (n *Names) Heard(guild graph.GuildID, message graph.MessageID, people ...discord.User) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if message == 0 {
		message = n.newest + 1
	}
	n.newest = max(n.newest, message)
	for _, user := range people {
		if user.ID != 0 && !n.people.OptedOut(user.ID) {
			c := n.ofLocked(guild, user.ID)
			c.now(user.DisplayName(), message)
			c.told = true
		}
	}
}

// HeardMessage notes the people whom a new message names.
func (n *Names) HeardMessage(m *discord.Message) {
	var people []discord.User
	if !m.ByWebhook() && (m.Member != nil || m.Guild == 0) {
		people = append(people, m.Author)
	}
	for _, user := range m.Mentions {
		if user.IsMember || m.Guild == 0 {
			people = append(people, user)
		}
	}
	n.Heard(m.Guild, m.ID, people...)
}

// HeardMembers notes members, and who is none.
func (n *Names) HeardMembers(chunk *discord.MembersChunk) {
	for i := range chunk.Members {
		n.Heard(chunk.Guild, 0, chunk.Members[i].User)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, person := range chunk.Missing {
		n.ofLocked(chunk.Guild, person).told = true
	}
}

// Of implements fetch.Names.
func (n *Names) Of(channel graph.ChannelID, message graph.MessageID, sign string, id uint64) (name string, waits bool) {
	guild := n.cache.GuildOf(channel)
	current := n.current(guild, channel, sign, id)
	if current == "" && sign == "#" {
		return "", false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.ofLocked(guild, graph.UserID(id))
	if current != "" {
		c.now(current, max(n.newest+1, message))
	}
	n.newest = max(n.newest, message)
	if name = c.at(message); name != "" { // unless that was heard later, and what is stored is unknown
		return name, !c.read && message < c.names[0].Since
	}
	if sign != "@" || guild == 0 || c.told {
		return "", !c.read
	}
	if time.Since(c.asked) > askAgain {
		c.asked = time.Now()
		n.wanted[guild] = append(n.wanted[guild], graph.UserID(id))
		n.ask.Set()
	}
	return "", true
}

// current returns the name that a role or a channel has now, or "".
func (n *Names) current(guild graph.GuildID, in graph.ChannelID, sign string, id uint64) string {
	n.cache.mu.RLock()
	defer n.cache.mu.RUnlock()
	switch sign {
	case "@&":
		return n.cache.reported.roleName(guild, graph.RoleID(id))
	case "#":
		return n.cache.reported.channelName(in, graph.ChannelID(id))
	}
	return ""
}

// Recall implements fetch.Names.
func (n *Names) Recall(ctx context.Context, channel graph.ChannelID, people []graph.UserID) {
	guild := n.cache.GuildOf(channel)
	n.mu.Lock()
	people = slices.DeleteFunc(slices.Clone(people), func(person graph.UserID) bool {
		return person == 0 || n.people.OptedOut(person) || n.ofLocked(guild, person).read
	})
	n.mu.Unlock()
	if len(people) == 0 {
		return
	}
	stored, err := n.stored.Of(ctx, guild, people)
	if err != nil {
		n.log.DebugContext(ctx, "what people were called could not be read, they have the names that Discord tells", "guild", guild, "error", err)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, person := range people {
		c := n.ofLocked(guild, person)
		c.names, c.read = store.Rename(stored[i], c.names...), true
	}
}

// Keep implements fetch.Names.
func (n *Names) Keep(channel graph.ChannelID, names []fetch.Named) {
	guild := n.cache.GuildOf(channel)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range names {
		of := graph.UserID(one.ID)
		if n.people.OptedOut(of) {
			continue
		}
		c := n.ofLocked(guild, of)
		if c.at(one.Message) != one.Name { // the message was rendered before the name came
			c.names, c.kept = store.Rename(c.names, store.Called{Since: one.Message, Name: one.Name}), time.Time{}
		}
		if time.Since(c.kept) > keptFor {
			n.unkept[namedIn{guild, of}] = struct{}{}
			n.keep.Set()
		}
	}
}

// Forget drops what a person is called.
func (n *Names) Forget(person graph.UserID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, in := range n.guilds.Values() {
		in.Remove(person)
	}
}

// Wanted waits until people are to be asked for, and returns some of one guild.
func (n *Names) Wanted(ctx context.Context) (graph.GuildID, []graph.UserID, error) {
	for {
		n.mu.Lock()
		pause := time.Until(n.until)
		for guild, people := range n.wanted {
			if pause > 0 {
				break
			}
			n.last = request{guild, people[:min(len(people), mostAsked)]}
			if n.wanted[guild] = people[len(n.last.people):]; len(n.wanted[guild]) == 0 {
				delete(n.wanted, guild)
			}
			n.mu.Unlock()
			return n.last.guild, n.last.people, nil
		}
		n.mu.Unlock()
		if pause <= 0 {
			pause = askAgain
		}
		if err := wait.Until(ctx, n.ask, pause); ctx.Err() != nil {
			return 0, nil, err
		}
	}
}

// Refused notes that the last request could not be made. It is repeated after a pause.
func (n *Names) Refused(pause time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.until = time.Now().Add(pause)
	if len(n.last.people) > 0 {
		n.wanted[n.last.guild] = append(n.wanted[n.last.guild], n.last.people...)
	}
	n.last = request{}
	n.ask.Set()
}

// Run stores names until ctx ends, and then those that are left.
func (n *Names) Run(ctx context.Context) {
	for ctx.Err() == nil {
		pause := keptFor
		if n.store(ctx) != nil {
			pause = store.Retry
		}
		_ = wait.Until(ctx, n.keep, pause) // the loop sees whether ctx has ended
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = n.store(ctx) // without them, answers are not given again
}

// store stores the names that are not.
func (n *Names) store(ctx context.Context) error {
	n.mu.Lock()
	unkept := n.unkept
	n.unkept = make(map[namedIn]struct{})
	n.mu.Unlock()
	for one := range unkept {
		n.mu.Lock()
		names := slices.Clone(n.ofLocked(one.guild, one.of).names)
		n.mu.Unlock()
		var err error
		if len(names) > 0 && !n.people.OptedOut(one.of) {
			err = n.stored.Add(ctx, one.guild, one.of, names)
		}
		n.mu.Lock()
		if err == nil {
			n.ofLocked(one.guild, one.of).kept = time.Now()
			delete(unkept, one)
		} else {
			for one := range unkept {
				n.unkept[one] = struct{}{}
			}
		}
		n.mu.Unlock()
		if err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	return nil
}
