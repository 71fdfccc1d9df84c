package discordtest

import "strings"

// Intents that decide which events a session gets.
const (
	IntentGuilds          = 1 << 0
	IntentGuildMembers    = 1 << 1
	IntentGuildMessages   = 1 << 9
	IntentGuildReactions  = 1 << 10
	IntentDirectMessages  = 1 << 12
	IntentDirectReactions = 1 << 13
	IntentMessageContent  = 1 << 15
	IntentGuildPolls      = 1 << 24
	IntentDirectPolls     = 1 << 25

	// knownIntents are all intents that Discord documents. Others close with 4013.
	knownIntents = 1<<27 - 1
)

// intentOf returns the intent that an event needs; 0 for none.
func intentOf(e *event) int {
	direct := e.channel == nil || e.channel.guild == nil // ephemeral messages have no channel here
	switch e.name {
	case "INTERACTION_CREATE":
		return 0
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		if direct {
			return IntentDirectMessages
		}
		return IntentGuildMessages
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE":
		if direct {
			return IntentDirectReactions
		}
		return IntentGuildReactions
	case "MESSAGE_POLL_VOTE_ADD", "MESSAGE_POLL_VOTE_REMOVE":
		if direct {
			return IntentDirectPolls
		}
		return IntentGuildPolls
	case "GUILD_MEMBER_UPDATE":
		return IntentGuildMembers
	}
	if e.guild != nil || e.channel != nil {
		return IntentGuilds
	}
	return 0
}

// isOfChannel reports whether an event is about a channel itself. A bot gets it even if it may not
// view the channel, which is then hidden.
func (e *event) isOfChannel() bool { return strings.HasPrefix(e.name, "CHANNEL_") }

// isTalk reports whether an event is about what is said in a channel.
func (e *event) isTalk() bool { return strings.HasPrefix(e.name, "MESSAGE_") }

// wants reports whether a session gets an event, by its intents, its shard, and the
// channels that its bot may see.
func (k *session) wants(e *event) bool {
	if e.only != 0 && e.only != k.bot.id {
		return false
	}
	if need := intentOf(e); k.intents&need != need && e.about != k.bot.id {
		return false
	}
	g := e.guild
	if e.channel != nil {
		p := e.channel.permissions(k.bot.id)
		if p&ViewChannel == 0 && !e.isOfChannel() || e.isTalk() && !e.channel.opens(p) {
			return false
		}
		g = e.channel.guild
	}
	if g == nil {
		return k.shard[0] == 0
	}
	return shardOf(g.id, k.shard[1]) == k.shard[0] && g.member(k.bot.id) != nil
}
