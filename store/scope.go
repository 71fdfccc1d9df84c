package store

import (
	"fmt"
	"strings"

	"heddle/graph"
)

// Scope is the hard prefix of every stored key: nothing is ever found from
// another scope. A guild's channels that @everyone may read share one; any other
// channel and every direct message is its own, and a thread has its parent's.
type Scope string

// maxScope is the longest scope, in bytes.
const maxScope = 64

// The scopes of the store itself. No caller's scope starts with an underscore.
const (
	// ScopeMeta holds what is known of the store as a whole. Its keys are the same
	// in every schema.
	ScopeMeta Scope = "_meta"

	scopePending Scope = "_pending"
	scopeDirect  Scope = "_direct"
	// scopeForgotten lists who was forgotten lately.
	scopeForgotten Scope = "_forgotten"
)

// GuildScope is shared by the channels of a guild that @everyone may read.
func GuildScope(guild graph.GuildID) Scope { return Scope("g" + guild.String()) }

// ChannelScope is the scope of a channel that stands alone: one that not everyone
// may read, or, without a guild, a direct message.
func ChannelScope(guild graph.GuildID, channel graph.ChannelID) Scope {
	if guild == 0 {
		return Scope("d" + channel.String())
	}
	return GuildScope(guild) + Scope(".c"+channel.String())
}

// of reports whether the scope belongs to a guild, its lone channels included.
func (s Scope) of(guild graph.GuildID) bool {
	shared := GuildScope(guild)
	return s == shared || strings.HasPrefix(string(s), string(shared)+".")
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
