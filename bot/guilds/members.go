package guilds

import (
	"time"

	"heddle/internal/lru"

	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// mostMembers bounds the members that are remembered. Discord is asked about others.
	mostMembers = 8192
	// memberFor is how long an event is believed about a member. Discord reports no
	// changes of members without a privileged intent.
	memberFor = time.Minute
)

// members remembers who people were when they last said or pressed something, so that
// nobody waits for Discord to be asked. It may be used by any goroutine.
type members struct {
	met *lru.Cache[memberKey, met]
}

type memberKey struct {
	guild graph.GuildID
	user  graph.UserID
}

// met is what an event told about a member.
type met struct {
	member discord.Member
	at     time.Time
	in     graph.ChannelID
}

func newMembers() members {
	return members{lru.New[memberKey, met](mostMembers)}
}

// recent returns what an event told about a member within memberFor.
func (m members) recent(guild graph.GuildID, user graph.UserID) (met, bool) {
	known, ok := m.met.Get(memberKey{guild, user})
	return known, ok && time.Since(known.at) < memberFor
}

// Met takes what an event told about the member who said or pressed something in a
// channel. A nil member, as in direct messages and over REST, tells nothing.
func (c *Cache) Met(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) {
	if guild != 0 && user != 0 && member != nil {
		c.members.met.Add(memberKey{guild, user}, met{*member, time.Now(), channel})
	}
}
