package store

import (
	"strconv"
	"time"

	"heddle/graph"
)

// ClaimKey names something that is to be done once, by whichever process claims it
// first. Keys that different constructors return are never equal.
type ClaimKey struct{ scope Scope }

// TriggerClaim returns the key for answering a trigger.
func TriggerClaim(trigger graph.MessageID) ClaimKey { return ClaimKey{Scope("_t" + trigger.String())} }

// EditClaim returns the key for handling the edit that was made to a question at a
// time.
func EditClaim(question graph.MessageID, at time.Time) ClaimKey {
	return ClaimKey{Scope("_e" + question.String() + "." + strconv.FormatInt(at.UnixMicro(), 10))}
}

// DisplayClaim returns the key for changing the answer whose first message is head.
func DisplayClaim(head graph.MessageID) ClaimKey { return ClaimKey{Scope("_h" + head.String())} }

// InteractionClaim returns the key for answering an interaction, such as the press of a
// button.
func InteractionClaim[K any](interaction graph.ID[K]) ClaimKey {
	return ClaimKey{Scope("_i" + interaction.String())}
}

// StopClaim returns the key for stopping an attempt at an answer.
func StopClaim(attempt string) ClaimKey { return ClaimKey{Scope("_s" + attempt)} }

// WelcomeClaim returns the key for greeting a guild that was joined at a time.
func WelcomeClaim(guild graph.GuildID, joined time.Time) ClaimKey {
	return ClaimKey{Scope("_w" + guild.String() + "." + strconv.FormatInt(joined.UnixMicro(), 10))}
}

// String returns the key as it is stored.
func (k ClaimKey) String() string { return string(k.scope) }
