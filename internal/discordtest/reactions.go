package discordtest

import (
	"slices"
	"strings"
	"unicode"

	"heddle/graph"
)

// Reaction is one emoji on a message and who put it there, in order.
type Reaction struct {
	Emoji string         `json:"emoji"` // of Unicode, as guilds have none of their own here
	Users []graph.UserID `json:"users"`
}

// React puts an emoji on a message as somebody. A second time changes nothing.
func (t *Chat) React(id graph.ChannelID, message graph.MessageID, who graph.UserID, emoji string) error {
	return t.with(id, message, func(c *channel, m *Message) error { return reactions{c, m}.add(who, emoji) })
}

// Unreact takes an emoji back as somebody. It is no error if it was not there.
func (t *Chat) Unreact(id graph.ChannelID, message graph.MessageID, who graph.UserID, emoji string) error {
	return t.with(id, message, func(c *channel, m *Message) error {
		reactions{c, m}.remove(who, emoji)
		return nil
	})
}

// putReaction puts an emoji on a message as the bot, which may do so if it may read the history.
func putReaction(c *call) (any, error) {
	ch, m, p, err := c.message()
	if err != nil {
		return nil, err
	}
	emoji := c.request.PathValue("emoji")
	if needs := AddReactions | ReadMessageHistory; p&needs != needs && (p&ReadMessageHistory == 0 || (reactions{ch, m}).find(emoji) < 0) {
		return nil, errMissingPermissions()
	}
	return noContent{}, reactions{ch, m}.add(c.bot.id, emoji)
}

// deleteReaction takes the bot's own emoji back.
func deleteReaction(c *call) (any, error) {
	ch, m, _, err := c.message()
	if err != nil {
		return nil, err
	}
	reactions{ch, m}.remove(c.bot.id, c.request.PathValue("emoji"))
	return noContent{}, nil
}

// reactions changes the reactions of a message in a channel.
type reactions struct {
	channel *channel
	message *Message
}

// find returns the index of an emoji among the message's reactions; -1 if nobody used it.
func (r reactions) find(emoji string) int {
	return slices.IndexFunc(r.message.Reactions, func(one Reaction) bool { return one.Emoji == emoji })
}

// add adds a reaction as Discord does, with its errors.
func (r reactions) add(who graph.UserID, emoji string) error {
	at, all := r.find(emoji), slices.Clone(r.message.Reactions)
	switch {
	case !isEmoji(emoji):
		return errBadRequest(10014, "Unknown Emoji")
	case at >= 0 && slices.Contains(all[at].Users, who):
		return nil
	}
	if at < 0 {
		at, all = len(all), append(all, Reaction{Emoji: emoji})
	}
	all[at].Users = appendNew(all[at].Users, who)
	r.keep(all)
	r.notify("MESSAGE_REACTION_ADD", emoji, who)
	return nil
}

// remove takes one reaction back, if it is there.
func (r reactions) remove(who graph.UserID, emoji string) {
	at, all := r.find(emoji), slices.Clone(r.message.Reactions)
	if at < 0 || !slices.Contains(all[at].Users, who) {
		return
	}
	all[at].Users = slices.DeleteFunc(slices.Clone(all[at].Users), func(u graph.UserID) bool { return u == who })
	if len(all[at].Users) == 0 {
		all = slices.Delete(all, at, at+1)
	}
	r.keep(all)
	r.notify("MESSAGE_REACTION_REMOVE", emoji, who)
}

// keep stores a version of the message with other reactions, which does not count as an
// edit.
func (r reactions) keep(all []Reaction) {
	changed := *r.message
	changed.Reactions = all
	r.channel.messages = r.channel.messages.with(&changed)
	r.channel.world.happened(Happening{Kind: Reacted, Channel: r.channel.id, Message: changed})
}

// notify sends an event.
func (r reactions) notify(name, emoji string, who graph.UserID) {
	body := r.channel.place()
	body["message_id"], body["emoji"] = r.message.ID, object{"id": nil, "name": emoji}
	body["user_id"], body["burst"], body["type"] = who, false, 0
	if name == "MESSAGE_REACTION_ADD" {
		if r.message.Webhook == "" {
			body["message_author_id"] = r.message.Author
		}
		if r.channel.guild != nil {
			if from := r.channel.guild.member(who); from != nil {
				body["member"] = wireMemberOf(from)
			}
		}
	}
	r.channel.world.emit(event{name: name, channel: r.channel, render: func(viewer) any { return body }})
}

// isEmoji reports whether text is an emoji of Unicode, which is a symbol or a digit in a
// keycap.
func isEmoji(text string) bool {
	return len([]rune(text)) <= 12 && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.So, unicode.Sk) || r == 0x20E3
	})
}

// wireReactions returns the reactions to a message as a viewer gets them. It counts them, and
// tells which are the viewer's own.
func wireReactions(m *Message, v viewer) []object {
	var all []object
	for _, r := range m.Reactions {
		all = append(all, object{
			"count": len(r.Users), "count_details": object{"normal": len(r.Users), "burst": 0}, "me_burst": false, "burst_colors": []any{},
			"me": v.bot != nil && slices.Contains(r.Users, v.bot.id), "emoji": object{"id": nil, "name": r.Emoji},
		})
	}
	return all
}
