package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"heddle/graph"
)

// allowedMentions decides whom a message may notify.
type allowedMentions struct {
	everyone, users, roles bool
	userIDs                []graph.UserID
	roleIDs                []graph.RoleID
	repliedUser            bool
}

// allowAll allows every mention, that of the author replied to included.
func allowAll() *allowedMentions {
	return &allowedMentions{everyone: true, users: true, roles: true, repliedUser: true}
}

// parseAllowed reads allowed_mentions. If it is absent or null, everything is
// allowed. If it is there, replied_user is false by default.
func parseAllowed(raw json.RawMessage) (*allowedMentions, error) {
	if isNull(raw) {
		return allowAll(), nil
	}
	var wire struct {
		Parse       json.RawMessage          `json:"parse"`
		Users       []incoming[graph.UserID] `json:"users"`
		Roles       []incoming[graph.RoleID] `json:"roles"`
		RepliedUser bool                     `json:"replied_user"`
	}
	if json.Unmarshal(raw, &wire) != nil {
		return nil, errForm("allowed_mentions", "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
	}
	a := &allowedMentions{userIDs: plainIDs(wire.Users), roleIDs: plainIDs(wire.Roles), repliedUser: wire.RepliedUser}
	if len(wire.Users) > 100 || len(wire.Roles) > 100 {
		return nil, errForm("allowed_mentions", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
	}
	var kinds []string
	if wire.Parse == nil {
		return a, nil
	}
	// A "parse" of null, which is how a nil slice is encoded, is refused. Discord does
	// not document that it accepts null as an empty list.
	if json.Unmarshal(wire.Parse, &kinds) != nil || kinds == nil {
		return nil, errForm("allowed_mentions.parse", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
	}
	return a, a.allowKinds(kinds)
}

// allowKinds reads the list "parse". A kind excludes the list of ids of the same kind.
func (a *allowedMentions) allowKinds(kinds []string) error {
	for _, kind := range kinds {
		switch {
		case kind == "everyone":
			a.everyone = true
		case kind == "users" && len(a.userIDs) == 0:
			a.users = true
		case kind == "roles" && len(a.roleIDs) == 0:
			a.roles = true
		case kind == "users" || kind == "roles":
			return errForm("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
				"parse:[\""+kind+"\"] and "+kind+": [ids...] are mutually exclusive.")
		default:
			return errForm("allowed_mentions.parse", "BASE_TYPE_CHOICES", "Value must be one of {'users', 'roles', 'everyone'}.")
		}
	}
	return nil
}

func (a *allowedMentions) allowsUser(id graph.UserID) bool {
	return a.users || slices.Contains(a.userIDs, id)
}

func (a *allowedMentions) allowsRole(id graph.RoleID) bool {
	return a.roles || slices.Contains(a.roleIDs, id)
}

// mentionPattern finds mentions of users and roles in a message's content.
var mentionPattern = regexp.MustCompile(`<@([!&]?)([0-9]{1,20})>`)

// mark sets the mentions of m: those in its content and the author that it replies to,
// as far as m's author may mention them and a allows them.
func (a *allowedMentions) mark(c *channel, m *Message) {
	m.Mentions, m.MentionRoles, m.MentionEveryone = nil, nil, false
	if strings.Contains(m.Content, "<@") {
		a.markNamed(c, m)
	}
	if c.guild != nil && a.everyone && c.permissions(m.Author)&MentionEveryone != 0 {
		m.MentionEveryone = strings.Contains(m.Content, "@everyone") || strings.Contains(m.Content, "@here")
	}
	if m.Type == TypeReply && a.repliedUser {
		if target := c.world.find(m.Reference); target != nil && target.webhook() == "" {
			m.Mentions = appendNew(m.Mentions, target.Author)
		}
	}
	m.ping()
}

// ping adds the mentions of m to those that it has notified.
func (m *Message) ping() {
	if len(m.Mentions) == 0 && len(m.MentionRoles) == 0 && !m.MentionEveryone {
		return
	}
	more := m.more()
	for _, id := range m.Mentions {
		more.Pings.Users = appendNew(more.Pings.Users, id)
	}
	for _, id := range m.MentionRoles {
		more.Pings.Roles = appendNew(more.Pings.Roles, id)
	}
	more.Pings.Everyone = more.Pings.Everyone || m.MentionEveryone
}

// markNamed records whom the mentions in a message's text ping.
func (a *allowedMentions) markNamed(c *channel, m *Message) {
	for _, match := range mentionPattern.FindAllStringSubmatch(m.Content, -1) {
		if match[1] == "&" {
			id := graph.RoleID(idOf(match[2]))
			if c.guild != nil && a.allowsRole(id) && c.roleMentionable(id, m.Author) {
				m.MentionRoles = appendNew(m.MentionRoles, id)
			}
			continue
		}
		id := graph.UserID(idOf(match[2]))
		if c.reaches(id) && a.allowsUser(id) {
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

// webhook returns the name under which a webhook sent m; empty if none did.
func (m *Message) webhook() string {
	if m.More == nil {
		return ""
	}
	return m.More.Webhook
}

// appendNew returns a copy of list with v appended, unless list contains v. It copies
// because versions of a message must not share memory that changes.
func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(slices.Clip(list), v)
}
