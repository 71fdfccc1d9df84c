package bot

import (
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// self is who heddle is on Discord.
type self struct {
	user graph.UserID
	// role is the managed role that Discord gave heddle in the message's guild;
	// the mention picker often offers it in place of the user. Zero where none is known.
	role graph.RoleID
}

// asked says whether a message asks heddle: it mentions heddle or its managed
// role, replies to heddle, or is a direct message. @everyone does not ask, and
// other bots and heddle itself are never answered.
func (s self) asked(m *discord.Message, direct bool) bool {
	if m.Author.ID == s.user || m.Author.Bot || m.Author.System || m.Webhook != 0 {
		return false
	}
	if m.Type != discord.TypeDefault && m.Type != discord.TypeReply {
		return false
	}
	return direct || s.mentionedIn(m) || s.repliedToIn(m)
}

func (s self) mentionedIn(m *discord.Message) bool {
	if slices.ContainsFunc(m.Mentions, func(u discord.User) bool { return u.ID == s.user }) {
		return true
	}
	if s.role != 0 && slices.Contains(m.MentionRoles, s.role) {
		return true
	}
	// A server that only resembles Discord may not list mentions.
	id := s.user.String()
	return strings.Contains(m.Content, "<@"+id+">") || strings.Contains(m.Content, "<@!"+id+">")
}

func (s self) repliedToIn(m *discord.Message) bool {
	return m.Type == discord.TypeReply && m.Referenced != nil && m.Referenced.Author.ID == s.user
}
