package discordtest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"heddle/graph"
)

// allowedMentions is who a message may notify; nil allows everybody.
type allowedMentions struct {
	everyone, users, roles bool
	userIDs                []graph.UserID
	roleIDs                []graph.RoleID
	repliedUser            bool
}

// parseAllowed reads allowed_mentions. Absent or null allows everybody, the
// replied-to author included; present, replied_user is false unless said.
func parseAllowed(raw json.RawMessage) (*allowedMentions, error) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil //nolint:nilnil // nil is the documented "no restriction"
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
	// A "parse" of null, as a nil slice makes it, is refused: that Discord takes
	// it for an empty list is not written anywhere.
	if json.Unmarshal(wire.Parse, &kinds) != nil || kinds == nil {
		return nil, errForm("allowed_mentions.parse", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
	}
	return a, a.allowKinds(kinds)
}

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
	return a == nil || a.users || slices.Contains(a.userIDs, id)
}

func (a *allowedMentions) allowsRole(id graph.RoleID) bool {
	return a == nil || a.roles || slices.Contains(a.roleIDs, id)
}

func (a *allowedMentions) allowsEveryone() bool { return a == nil || a.everyone }
func (a *allowedMentions) allowsReplied() bool  { return a == nil || a.repliedUser }

func newMentionPattern() *regexp.Regexp { return regexp.MustCompile(`<@([!&]?)([0-9]{1,20})>`) }

// mentionLocked sets whom m mentions, from its content and the message it
// replies to, as far as its author may and allowed lets it.
func (s *Server) mentionLocked(c *channel, m *Message, allowed *allowedMentions) {
	m.Mentions, m.MentionRoles, m.MentionEveryone = nil, nil, false
	if strings.Contains(m.Content, "<@") {
		s.mentionNamedLocked(c, m, allowed)
	}
	if c.guild != nil && allowed.allowsEveryone() && c.permissions(m.Author)&MentionEveryone != 0 {
		m.MentionEveryone = strings.Contains(m.Content, "@everyone") || strings.Contains(m.Content, "@here")
	}
	if m.Type == TypeReply && allowed.allowsReplied() {
		if target := s.targetLocked(m.Reference); target != nil && target.webhook() == "" {
			m.Mentions = appendNew(m.Mentions, target.Author)
		}
	}
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

func (s *Server) mentionNamedLocked(c *channel, m *Message, allowed *allowedMentions) {
	for _, match := range s.mentionPattern.FindAllStringSubmatch(m.Content, -1) {
		if match[1] == "&" {
			id := graph.RoleID(idOf(match[2]))
			if c.guild != nil && allowed.allowsRole(id) && c.roleMentionable(id, m.Author) {
				m.MentionRoles = appendNew(m.MentionRoles, id)
			}
			continue
		}
		id := graph.UserID(idOf(match[2]))
		if c.reaches(id) && allowed.allowsUser(id) {
			m.Mentions = appendNew(m.Mentions, id)
		}
	}
}

// roleMentionable says whether author's mention of a role counts. A bot's managed
// role can be mentioned by everybody, as the picker offers it.
func (c *channel) roleMentionable(id graph.RoleID, author graph.UserID) bool {
	r := c.guild.role(id)
	if r == nil {
		return false
	}
	return r.mentionable || r.bot != 0 || c.permissions(author)&MentionEveryone != 0
}

// reaches says whether a mention of a user counts: members of the guild, or the DM's two.
func (c *channel) reaches(id graph.UserID) bool {
	if c.guild != nil {
		return c.guild.member(id) != nil
	}
	return slices.ContainsFunc(c.recipients, func(u *user) bool { return u.id == id })
}

func (m *Message) webhook() string {
	if m.More == nil {
		return ""
	}
	return m.More.Webhook
}

// appendNew appends to a fresh copy, so that versions never share memory.
func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(slices.Clip(list), v)
}
