package store

import (
	"fmt"
	"strconv"
	"strings"

	"heddle/graph"
)

// Scope is the prefix of every stored key. Nothing is found across scopes. All channels
// of a guild that @everyone may read share a scope. Every other channel and every
// direct message has its own, and a thread has that of its parent.
type Scope string

// maxScope is the greatest length of a scope, in bytes.
const maxScope = 64

// The store's own scopes start with an underscore. The scopes of callers must not.
const (
	// ScopeMeta holds entries about the store as a whole. Its keys are the same in
	// every schema.
	ScopeMeta Scope = "_meta"

	scopePending Scope = "_pending"
	scopeTaken   Scope = "_taken"
	scopeDirect  Scope = "_direct"
	// scopeUsed lists the channels of guilds in which people asked lately.
	scopeUsed Scope = "_used"
	// scopeRead holds up to where channels were read after an absence.
	scopeRead Scope = "_read"
	// scopePeers holds the processes that share a store.
	scopePeers Scope = "_peers"
	// scopeEdited lists what was edited recently.
	scopeEdited Scope = "_edited"
	// scopePeople holds who opted out, and which people and guilds are being erased.
	scopePeople Scope = "_people"
	scopeShards Scope = "_shards"
)

// GuildScope returns the scope of the channels of a guild that @everyone may read.
func GuildScope(guild graph.GuildID) Scope { return Scope("g" + guild.String()) }

// ChannelScope returns the scope of a channel that not everyone may read, or, without a
// guild, of a direct message.
func ChannelScope(guild graph.GuildID, channel graph.ChannelID) Scope {
	if guild == 0 {
		return Scope("d" + channel.String())
	}
	return GuildScope(guild) + Scope(".c"+channel.String())
}

// Guild returns the guild that the scope belongs to, or 0 for a direct message.
func (s Scope) Guild() graph.GuildID {
	digits, _, _ := strings.Cut(strings.TrimPrefix(string(s), "g"), ".")
	id, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || !s.of(graph.GuildID(id)) {
		return 0
	}
	return graph.GuildID(id)
}

// of reports whether the scope belongs to a guild: its own, or that of one of its
// channels.
func (s Scope) of(guild graph.GuildID) bool {
	shared := GuildScope(guild)
	return s == shared || strings.HasPrefix(string(s), string(shared)+".")
}

// isOf reports whether the scope is a channel's own.
func (s Scope) isOf(channel graph.ChannelID) bool {
	return s == ChannelScope(0, channel) || strings.HasSuffix(string(s), ".c"+channel.String())
}

func (s Scope) check() error {
	if s == "" || len(s) > maxScope || s[0] == '_' {
		return fmt.Errorf("scope %q: it must have 1 to %d characters and not start with an underscore", string(s), maxScope)
	}
	for _, c := range []byte(s) {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", rune(c)) {
			return fmt.Errorf("scope %q: it may hold letters, digits, dots and dashes only", string(s))
		}
	}
	return nil
}
