package gate

import (
	"slices"

	"heddle/graph"
	"heddle/internal/discord"
)

// List is an allow list and a block list. An empty allow list allows everything that is
// not blocked.
type List[ID comparable] struct {
	Allow, Block []ID
}

// blocks reports whether one of ids is blocked.
func (l *List[ID]) blocks(ids ...ID) bool { return anyIn(l.Block, ids) }

// names reports whether one of ids is on the allow list.
func (l *List[ID]) names(ids ...ID) bool { return anyIn(l.Allow, ids) }

// permits reports whether ids are allowed and none of them is blocked.
func (l *List[ID]) permits(ids ...ID) bool {
	return !l.blocks(ids...) && (len(l.Allow) == 0 || l.names(ids...))
}

func anyIn[ID comparable](list, ids []ID) bool {
	var none ID
	return slices.ContainsFunc(ids, func(id ID) bool { return id != none && slices.Contains(list, id) })
}

// Settings are the operator's choice of who is answered. The zero value lets all people
// ask, and no bots.
type Settings struct {
	Users    List[graph.UserID]
	Roles    List[graph.RoleID]
	Channels List[graph.ChannelID]
	Guilds   List[graph.GuildID]
	// Bots are the bots that may ask, by mentioning heddle.
	Bots []graph.UserID
	// BotTurns is how many questions of bots are answered in a channel until a person
	// says something there.
	BotTurns int
	Contact  string // whom people can ask about heddle; empty for nobody
}

// Asker is who asks, and where.
type Asker struct {
	User    graph.UserID
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	Parent  graph.ChannelID // of a thread
	Roles   []graph.RoleID
	// Member is set if Roles are known. They are not known in direct messages, nor for
	// a question that was asked while heddle was away.
	Member bool
}

// AskerOf returns the asker who is user in a place. A nil member means that their roles
// are not known.
func AskerOf(user graph.UserID, guild graph.GuildID, channel, parent graph.ChannelID, member *discord.Member) Asker {
	by := Asker{User: user, Guild: guild, Channel: channel, Parent: parent}
	if member != nil {
		by.Member, by.Roles = true, member.Roles
	}
	return by
}

// needsRoles reports whether the answer of permits depends on roles that are not known.
// Nobody has roles in a direct message.
func (s *Settings) needsRoles(by Asker) bool {
	return by.Guild != 0 && !by.Member && len(s.Roles.Allow)+len(s.Roles.Block) > 0
}

// permits reports whether somebody may ask. If their roles are not known, permits
// assumes the blocked roles and none of the allowed ones.
func (s *Settings) permits(by Asker) bool {
	if by.Guild != 0 && (!s.Guilds.permits(by.Guild) || !s.Channels.permits(by.Channel, by.Parent)) {
		return false
	}
	if s.Users.names(by.User) {
		return !s.Users.blocks(by.User) && !s.Roles.blocks(by.Roles...)
	}
	unknown := s.needsRoles(by) && len(s.Roles.Block) > 0
	if unknown || s.Users.blocks(by.User) || s.Roles.blocks(by.Roles...) {
		return false
	}
	return len(s.Users.Allow)+len(s.Roles.Allow) == 0 || s.Roles.names(by.Roles...)
}
