package answer

import (
	"time"

	"heddle/bot/limits"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
)

const (
	// mostNotified bounds the entries of each kind. People are told again of what was
	// forgotten.
	mostNotified = 4096
	// silence is the longest time for which a person in a channel is not told again of a
	// limit.
	silence = 10 * time.Minute
)

// notified remembers what people were told, so that they are not told twice: that
// heddle cannot read what was said before in a channel, and that they have reached a
// limit. It may be used by any goroutine.
type notified struct {
	denied *lru.Cache[graph.ChannelID, discord.Permissions] // the permissions that are missing
	over   *lru.Cache[refused, time.Time]
}

// refused is a person who has reached a limit in a channel.
type refused struct {
	person  graph.UserID
	channel graph.ChannelID
	limit   limits.Whose
}

func newNotified() *notified {
	return &notified{
		denied: lru.New[graph.ChannelID, discord.Permissions](mostNotified),
		over:   lru.New[refused, time.Time](mostNotified),
	}
}

// ofDenial reports whether to tell people in a channel now which permissions heddle
// lacks to read what was said before, and remembers that they were told. They are told
// again after the missing permissions have changed.
func (n *notified) ofDenial(channel graph.ChannelID, missing discord.Permissions) bool {
	if missing == 0 {
		n.denied.Remove(channel)
		return false
	}
	told, _, _ := n.denied.PeekOrAdd(channel, missing)
	if told != missing && told != 0 {
		n.denied.Add(channel, missing)
	}
	return told != missing
}

// ofLimit reports whether to tell a person in a channel of a limit now, and remembers
// that they were told until the limit ends, for ten minutes at most. A limit of a
// single answer has no end and is always told.
func (n *notified) ofLimit(person graph.UserID, channel graph.ChannelID, e *limits.ExceededError, now time.Time) bool {
	if e.Until.IsZero() {
		return true
	}
	key := refused{person, channel, e.Whose}
	if until, told := n.over.Get(key); told && now.Before(until) {
		return false
	}
	until := now.Add(silence)
	if e.Until.Before(until) {
		until = e.Until
	}
	n.over.Add(key, until)
	return true
}
