package store

import (
	"strconv"
	"time"

	"heddle/graph"
)

// ClaimKey names something that is to be done once, by whichever process claims it
// first. Keys that different constructors return are never equal.
type ClaimKey struct{ scope Scope }

// TriggerClaim returns the key under which a trigger is answered.
func TriggerClaim(trigger graph.MessageID) ClaimKey { return ClaimKey{Scope("_t" + trigger.String())} }

// EditClaim returns the key under which the edit of a question at a time is handled.
func EditClaim(question graph.MessageID, at time.Time) ClaimKey {
	return ClaimKey{Scope("_e" + question.String() + "." + strconv.FormatInt(at.UnixMicro(), 10))}
}

// DisplayClaim returns the key under which the answer whose first message is head is
// changed.
func DisplayClaim(head graph.MessageID) ClaimKey { return ClaimKey{Scope("_h" + head.String())} }

// InteractionClaim returns the key under which an interaction, such as the press of a
// button, is answered.
func InteractionClaim[K any](interaction graph.ID[K]) ClaimKey {
	return ClaimKey{Scope("_i" + interaction.String())}
}

// StopClaim returns the key under which an attempt at an answer is stopped.
func StopClaim(attempt string) ClaimKey { return ClaimKey{Scope("_s" + attempt)} }

// WelcomeClaim returns the key under which hello is said in a guild that was joined at a
// time.
func WelcomeClaim(guild graph.GuildID, joined time.Time) ClaimKey {
	return ClaimKey{Scope("_w" + guild.String() + "." + strconv.FormatInt(joined.UnixMicro(), 10))}
}

// String returns the key as it is stored.
func (k ClaimKey) String() string { return string(k.scope) }
