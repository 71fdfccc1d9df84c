package guilds

import (
	"time"

	"heddle/internal/lru"

	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// mostMembers bounds the members that are remembered. Discord is asked for others.
	mostMembers = 8192
	// memberFor is how long what an event showed of a member counts as current. Discord
	// reports no changes of members without a privileged intent.
	memberFor = time.Minute
)

// members remembers people's memberships from when they last wrote or pressed
// something, so that Discord need not be asked. It may be used by any goroutine.
type members struct {
	met *lru.Cache[memberKey, met]
}

type memberKey struct {
	guild graph.GuildID
	user  graph.UserID
}

// met is what an event showed of a member.
type met struct {
	member discord.Member
	at     time.Time
	in     graph.ChannelID
}

func newMembers() members {
	return members{lru.New[memberKey, met](mostMembers)}
}

// recent returns what an event showed of a member within memberFor.
func (m members) recent(guild graph.GuildID, user graph.UserID) (met, bool) {
	known, ok := m.met.Get(memberKey{guild, user})
	return known, ok && time.Since(known.at) < memberFor
}

// Met remembers a member who wrote or pressed something in a channel. It ignores a nil
// member, as in direct messages and over REST.
func (c *Cache) Met(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) {
	if guild != 0 && user != 0 && member != nil {
		c.members.met.Add(memberKey{guild, user}, met{*member, time.Now(), channel})
	}
}
