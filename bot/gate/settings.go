package gate

import "heddle/graph"

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
