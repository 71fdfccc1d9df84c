package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"heddle/graph"
)

// maxReactions is how many different emojis a message may have.
const maxReactions = 20

// Reaction is one emoji on a message and who put it there, the first first.
type Reaction struct {
	Emoji string // as it stands in the routes: "👍", or "name:id" of a guild's own
	Users []graph.UserID
}

// Reactions are what people and bots put on m.
func (m *Message) Reactions() []Reaction {
	if m.More == nil {
		return nil
	}
	return m.More.Reactions
}

// React has somebody put an emoji on a message. Doing so again changes nothing. The
// permissions of people are not checked.
func (s *Server) React(id graph.ChannelID, message graph.MessageID, who graph.UserID, emoji string) error {
	return s.changeReactions(id, message, func(c *channel, m *Message) error {
		return s.reactLocked(c, m, who, emoji)
	})
}

// Unreact has somebody take an emoji back. What was not there is no error.
func (s *Server) Unreact(id graph.ChannelID, message graph.MessageID, who graph.UserID, emoji string) error {
	return s.changeReactions(id, message, func(c *channel, m *Message) error {
		s.unreactLocked(c, m, who, emoji)
		return nil
	})
}

// ClearReactions takes all reactions from a message, as a moderator can.
func (s *Server) ClearReactions(id graph.ChannelID, message graph.MessageID) error {
	return s.changeReactions(id, message, func(c *channel, m *Message) error {
		s.clearReactionsLocked(c, m)
		return nil
	})
}

// ClearReaction takes one emoji from a message, as a moderator can.
func (s *Server) ClearReaction(id graph.ChannelID, message graph.MessageID, emoji string) error {
	return s.changeReactions(id, message, func(c *channel, m *Message) error {
		s.clearReactionLocked(c, m, emoji)
		return nil
	})
}

func (s *Server) changeReactions(id graph.ChannelID, message graph.MessageID, change func(*channel, *Message) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.channels[id]
	if c == nil {
		return fmt.Errorf("react to message %s: %w", message, errUnknownChannel())
	}
	m := c.messages.find(message)
	if m == nil {
		return fmt.Errorf("react to message %s: %w", message, errUnknownMessage())
	}
	if err := change(c, m); err != nil {
		return fmt.Errorf("react to message %s: %w", message, err)
	}
	return nil
}

// findReaction is the place of an emoji among a message's reactions, -1 if nobody used it.
func findReaction(m *Message, emoji string) int {
	return slices.IndexFunc(m.Reactions(), func(r Reaction) bool { return r.Emoji == emoji })
}

func (s *Server) reactLocked(c *channel, m *Message, who graph.UserID, emoji string) error {
	at := findReaction(m, emoji)
	switch {
	case !isEmoji(emoji):
		return errBadRequest(10014, "Unknown Emoji")
	case c.thread != nil && c.thread.archived:
		return errBadRequest(50083, "Thread is archived")
	case at < 0 && len(m.Reactions()) >= maxReactions:
		return errBadRequest(30010, "Maximum number of reactions reached (20)")
	case at >= 0 && slices.Contains(m.Reactions()[at].Users, who):
		return nil
	}
	all := slices.Clone(m.Reactions())
	if at < 0 {
		at, all = len(all), append(all, Reaction{Emoji: emoji})
	}
	all[at].Users = append(slices.Clone(all[at].Users), who)
	s.keepReactionsLocked(c, m, all)
	s.reactionEventLocked("MESSAGE_REACTION_ADD", c, m, emoji, who)
	return nil
}

// unreactLocked says whether there was something to take back.
func (s *Server) unreactLocked(c *channel, m *Message, who graph.UserID, emoji string) bool {
	at := findReaction(m, emoji)
	if at < 0 || !slices.Contains(m.Reactions()[at].Users, who) {
		return false
	}
	all := slices.Clone(m.Reactions())
	all[at].Users = slices.DeleteFunc(slices.Clone(all[at].Users), func(u graph.UserID) bool { return u == who })
	if len(all[at].Users) == 0 {
		all = slices.Delete(all, at, at+1)
	}
	s.keepReactionsLocked(c, m, all)
	s.reactionEventLocked("MESSAGE_REACTION_REMOVE", c, m, emoji, who)
	return true
}

func (s *Server) clearReactionsLocked(c *channel, m *Message) {
	if len(m.Reactions()) == 0 {
		return
	}
	s.keepReactionsLocked(c, m, nil)
	s.reactionEventLocked("MESSAGE_REACTION_REMOVE_ALL", c, m, "", 0)
}

func (s *Server) clearReactionLocked(c *channel, m *Message, emoji string) {
	at := findReaction(m, emoji)
	if at < 0 {
		return
	}
	s.keepReactionsLocked(c, m, slices.Delete(slices.Clone(m.Reactions()), at, at+1))
	s.reactionEventLocked("MESSAGE_REACTION_REMOVE_EMOJI", c, m, emoji, 0)
}

// keepReactionsLocked stores a version of m with other reactions. That is no edit.
func (s *Server) keepReactionsLocked(c *channel, m *Message, all []Reaction) {
	changed := *m
	changed.more().Reactions = all
	c.put(&changed)
	s.happenedLocked(Happening{Kind: Reacted, Channel: c.id, Message: changed})
}

// reactionEventLocked tells everybody. Emoji and who are left out where they are
// empty, as Discord does when more than one reaction goes.
func (s *Server) reactionEventLocked(name string, c *channel, m *Message, emoji string, who graph.UserID) {
	body := map[string]any{"channel_id": c.id, "message_id": m.ID}
	if c.guild != nil {
		body["guild_id"] = c.guild.id
	}
	if emoji != "" {
		body["emoji"] = wireEmojiOf(emoji)
	}
	if who != 0 {
		body["user_id"], body["burst"], body["type"] = who, false, 0
	}
	if name == "MESSAGE_REACTION_ADD" {
		if m.webhook() == "" {
			body["message_author_id"] = m.Author
		}
		if c.guild != nil {
			if from := c.guild.member(who); from != nil {
				body["member"] = s.wireMember(from, true)
			}
		}
	}
	s.dispatchLocked(event{name: name, channel: c, render: func(viewer) any { return body }})
}

type wireEmoji struct {
	ID   *string `json:"id"`
	Name string  `json:"name"`
}

func wireEmojiOf(emoji string) wireEmoji {
	if name, id, own := strings.Cut(emoji, ":"); own {
		return wireEmoji{ID: &id, Name: name}
	}
	return wireEmoji{Name: emoji}
}

// isEmoji tells an emoji from a word: "name:id", or one of the emojis of Unicode,
// which are symbols, or a digit before the sign that makes a key of it.
func isEmoji(text string) bool {
	if name, id, own := strings.Cut(text, ":"); own {
		return name != "" && idOf(id) != 0
	}
	return len([]rune(text)) <= 12 && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.So, unicode.Sk) || r == 0x20E3
	})
}

type wireReaction struct {
	Count        int             `json:"count"`
	CountDetails map[string]int  `json:"count_details"`
	Me           bool            `json:"me"`
	MeBurst      bool            `json:"me_burst"`
	BurstColors  json.RawMessage `json:"burst_colors"`
	Emoji        wireEmoji       `json:"emoji"`
}

func wireReactions(m *Message, v viewer) []wireReaction {
	var all []wireReaction
	for _, r := range m.Reactions() {
		all = append(all, wireReaction{
			Count: len(r.Users), CountDetails: map[string]int{"normal": len(r.Users), "burst": 0},
			Me: v.bot != nil && slices.Contains(r.Users, v.bot.id), BurstColors: json.RawMessage("[]"), Emoji: wireEmojiOf(r.Emoji),
		})
	}
	return all
}
