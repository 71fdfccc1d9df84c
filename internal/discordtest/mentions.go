package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"heddle/graph"
)

// allowedMentions decides whom a message may notify: kinds of mentions, and single users
// and roles.
type allowedMentions struct {
	Parse       []string                 `json:"parse"`
	Users       []incoming[graph.UserID] `json:"users"`
	Roles       []incoming[graph.RoleID] `json:"roles"`
	RepliedUser bool                     `json:"replied_user"`
}

// allowAll allows every mention, that of the author replied to included.
func allowAll() *allowedMentions {
	return &allowedMentions{Parse: []string{"users", "roles", "everyone"}, RepliedUser: true}
}

// parseAllowed reads allowed_mentions. If it is absent or null, everything is
// allowed. If it is there, replied_user is false by default.
func parseAllowed(raw json.RawMessage) (*allowedMentions, error) {
	if isNull(raw) {
		return allowAll(), nil
	}
	a := &allowedMentions{}
	if json.Unmarshal(raw, a) != nil {
		return nil, errForm("allowed_mentions", "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
	}
	return a, nil
}

// allows reports whether a may notify those of a kind.
func (a *allowedMentions) allows(kind string) bool { return slices.Contains(a.Parse, kind) }

// mentionPattern finds mentions of users and roles in a message's content.
var mentionPattern = regexp.MustCompile(`<@([!&]?)([0-9]{1,20})>`)

// mark sets the mentions of m: those in its content and the author that it replies to,
// as far as m's author may mention them and a allows them.
func (a *allowedMentions) mark(c *channel, m *Message) {
	m.Mentions, m.MentionRoles, m.MentionEveryone = nil, nil, false
	if strings.Contains(m.Content, "<@") {
		a.markNamed(c, m)
	}
	if c.guild != nil && a.allows("everyone") && c.permissions(m.Author)&MentionEveryone != 0 {
		m.MentionEveryone = strings.Contains(m.Content, "@everyone") || strings.Contains(m.Content, "@here")
	}
	if m.Type == TypeReply && a.RepliedUser {
		if target := c.world.find(m.Reference); target != nil && target.Webhook == "" {
			m.Mentions = appendNew(m.Mentions, target.Author)
		}
	}
	for _, id := range m.Mentions {
		m.Pings.Users = appendNew(m.Pings.Users, id)
	}
	for _, id := range m.MentionRoles {
		m.Pings.Roles = appendNew(m.Pings.Roles, id)
	}
	m.Pings.Everyone = m.Pings.Everyone || m.MentionEveryone
}

// markNamed records whom the mentions in a message's text ping.
func (a *allowedMentions) markNamed(c *channel, m *Message) {
	for _, match := range mentionPattern.FindAllStringSubmatch(m.Content, -1) {
		if match[1] == "&" {
			id := graph.RoleID(idOf(match[2]))
			if c.guild != nil && (a.allows("roles") || slices.Contains(a.Roles, incoming[graph.RoleID]{id})) && c.roleMentionable(id, m.Author) {
				m.MentionRoles = appendNew(m.MentionRoles, id)
			}
			continue
		}
		id := graph.UserID(idOf(match[2]))
		if c.reaches(id) && (a.allows("users") || slices.Contains(a.Users, incoming[graph.UserID]{id})) {
			m.Mentions = appendNew(m.Mentions, id)
		}
	}
}

// roleMentionable reports whether author's mention of a role counts. Everybody may
// mention a bot's managed role, as Discord's clients offer it.
func (c *channel) roleMentionable(id graph.RoleID, author graph.UserID) bool {
	r := c.guild.role(id)
	if r == nil {
		return false
	}
	return r.mentionable || r.bot != 0 || c.permissions(author)&MentionEveryone != 0
}

// reaches reports whether a mention of a user counts: of a member of the guild, or
// of one of the two in a DM.
func (c *channel) reaches(id graph.UserID) bool {
	if c.guild != nil {
		return c.guild.member(id) != nil
	}
	return slices.ContainsFunc(c.recipients, func(u *user) bool { return u.id == id })
}

// appendNew returns a copy of list with v appended, unless list contains v. It copies
// because versions of a message must not share memory that changes.
func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(slices.Clip(list), v)
}
