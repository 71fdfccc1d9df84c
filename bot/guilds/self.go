package guilds

import (
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// Self is heddle's account in one guild.
type Self struct {
	User graph.UserID
	// Role is the managed role that Discord gave heddle in the guild, or 0 if none is
	// known. The mention picker often offers it in place of the user.
	Role graph.RoleID
}

// IsAsked reports whether a message in this place asks heddle: it mentions heddle or
// its managed role, replies to heddle, or is a direct message. @everyone does not ask.
// heddle answers neither other bots nor itself.
func (p *Place) IsAsked(m *discord.Message) bool {
	if m.Author.ID == p.Self.User || m.Author.Bot || m.Author.System || m.Webhook != 0 {
		return false
	}
	if m.Type != discord.TypeDefault && m.Type != discord.TypeReply {
		return false
	}
	return p.Direct || p.Self.mentionedIn(m) || p.Self.repliedToIn(m)
}

// IsAskedByBot reports whether a bot's message asks heddle, by mentioning it in the
// text. A mere reply does not, because bots reply to everything that is written to
// them.
func (p *Place) IsAskedByBot(m *discord.Message) bool {
	if !m.Author.Bot || m.Author.ID == p.Self.User || m.Webhook != 0 || m.Type != discord.TypeDefault && m.Type != discord.TypeReply {
		return false
	}
	id := p.Self.User.String()
	return containsAny(discord.Prose(m.Content), []string{"<@" + id + ">", "<@!" + id + ">"})
}

// mentionedIn reports whether a message mentions heddle. A mention in the text counts
// even if it is not listed, because servers that imitate Discord may not list it. A
// mention that is shown as it was typed, such as one in code, does not count even if it
// is listed. A mention that is listed and not in the content does count: it is a reply
// that pings.
func (s Self) mentionedIn(m *discord.Message) bool {
	id := s.User.String()
	user := []string{"<@" + id + ">", "<@!" + id + ">"}
	role := []string{"<@&" + s.Role.String() + ">"}
	prose := discord.Prose(m.Content)
	listed := slices.ContainsFunc(m.Mentions, func(u discord.User) bool { return u.ID == s.User })
	listedRole := s.Role != 0 && slices.Contains(m.MentionRoles, s.Role)
	return containsAny(prose, user) || listed && !containsAny(m.Content, user) ||
		listedRole && (containsAny(prose, role) || !containsAny(m.Content, role))
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func (s Self) repliedToIn(m *discord.Message) bool {
	return m.Type == discord.TypeReply && m.Referenced != nil && m.Referenced.Author.ID == s.User
}
