package guilds

import (
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
)

const (
	// mostMembers bounds the members that are remembered. Discord is asked about
	// others.
	mostMembers = 8192
	// memberFor is how long a membership that came with an event counts as current. It
	// is short because Discord does not report changes of members without a privileged
	// intent.
	memberFor = time.Minute
)

// members remembers people's memberships from when they last wrote or pressed
// something, so that Discord need not be asked. It may be used by several goroutines at
// once.
type members struct {
	met *lru.Cache[memberKey, met]
}

type memberKey struct {
	guild graph.GuildID
	user  graph.UserID
}

// met is a membership as an event showed it.
type met struct {
	member discord.Member
	at     time.Time
	in     graph.ChannelID
}

func newMembers() members {
	return members{lru.New[memberKey, met](mostMembers)}
}

// recent returns a membership that an event showed within the last memberFor.
func (m members) recent(guild graph.GuildID, user graph.UserID) (met, bool) {
	known, ok := m.met.Get(memberKey{guild, user})
	return known, ok && time.Since(known.at) < memberFor
}

// forget forgets a membership that has changed.
func (m members) forget(guild graph.GuildID, user graph.UserID) {
	m.met.Remove(memberKey{guild, user})
}

// Met remembers a member who wrote or pressed something in a channel. It ignores a nil
// member, as in direct messages and over REST.
func (c *Cache) Met(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) {
	if guild != 0 && user != 0 && member != nil {
		c.members.met.Add(memberKey{guild, user}, met{*member, time.Now(), channel})
	}
}
