// Package reply sends everything that heddle writes to Discord: messages, their edits,
// and replies to presses of buttons. It is the only place that decides
//
//   - allowed mentions: nobody is pinged, neither by creates nor by edits;
//   - nonces, which are made from cause, channel, generation and part, and enforced: a
//     create that is repeated after an error or a crash returns the same message;
//   - pace: an answer grows by edits as far apart as Discord's headers ask for, or by
//     Pace if there are none; one that grows alone in its channel leaves one more edit for
//     its end. Creates, and edits of a complete text, are not delayed;
//   - splitting of long texts (package split);
//   - buttons, which only the last message of an answer has.
//
// Replies may be used by several goroutines.
package reply

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"time"

	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Pace is the least time between two edits of one answer. Discord does not
// publish its limit; about one edit a second was observed.
const Pace = 1200 * time.Millisecond

// Indicator follows the text of an answer that is still growing.
const Indicator = " ▍"

// Replies sends messages.
type Replies struct {
	rest   *discord.REST
	stored *store.Responses
	pace   time.Duration // between two edits of an answer, in a channel whose limit is not known
	log    *slog.Logger
}

// New returns Replies that send through rest and note in stored which messages an answer no
// longer needs. At least pace passes between two edits of an answer in a channel whose limit is
// not known.
func New(rest *discord.REST, stored *store.Responses, pace time.Duration, log *slog.Logger) *Replies {
	return &Replies{rest: rest, stored: stored, pace: pace, log: log}
}

// To is the place of an answer.
type To struct {
	Channel graph.ChannelID
	// Trigger is the message to reply to, in the same channel. Without it the answer
	// is no reply. Without it and a Cause, a repeated create may send it twice.
	Trigger graph.MessageID
	// ReplyTo is the message to reply to if that is not the Trigger: a question may stand in
	// several messages, and the last may be known only after a first create was tried.
	ReplyTo    graph.MessageID
	Generation int // counts the answers to one trigger, from 0: an edited question has another
	// Over are the messages of an earlier answer that this one replaces. They are
	// edited in their order. Those that remain are deleted at the end.
	Over []graph.MessageID
	// Scope is where the answer in Over is stored. Before any of its messages are deleted
	// because this answer needs fewer, that is recorded there: otherwise their deletion would
	// erase the answer. If Scope is empty, nothing is recorded.
	Scope store.Scope
	// Begun are the messages of an earlier, unfinished attempt at this answer. They are edited
	// and deleted like those of Over, which they follow.
	Begun []graph.MessageID
	// Ready, if set, is called right before the first write, and before the rest of an answer
	// that grew is written. The answer fails with its error.
	Ready func(ctx context.Context) error
	// Held are the files that must stay, by their messages, which are among Over. These
	// messages are never deleted. HeldText says whose files they are. It stands on the messages
	// that the text does not reach, or else below the text.
	Held     map[graph.MessageID][]graph.AttachmentID
	HeldText string
	// CutText, if set, is added to what stands of an answer if Discord refuses the rest for
	// good.
	CutText string
	// Growing are the buttons below the answer while it grows, on its last message.
	Growing Rows
	// Cause distinguishes the nonces of an answer that is sent again. The zero Cause stands
	// for the trigger.
	Cause Cause
	// Hosts are those that the conversation named, as split.HostsIn returns them. A masked link
	// to any other host is written with its address.
	Hosts split.Hosts
}

// Cause is the reason for sending an answer again in place of another.
type Cause struct{ name string }

// Interaction returns the cause of an answer that an interaction asked for.
func Interaction(id discord.InteractionID) Cause { return Cause{"interaction " + id.String()} }

// Withdrawal returns the cause of restoring the answer that begins with head.
func Withdrawal(head graph.MessageID) Cause { return Cause{"withdrawal " + head.String()} }

// Refusal returns the cause of telling somebody elsewhere why a message is not answered.
func Refusal(message graph.MessageID) Cause { return Cause{"refusal " + message.String()} }

// Joined returns the cause of saying hello in a guild.
func Joined(guild graph.GuildID) Cause { return Cause{"joined " + guild.String()} }

// Sent is a message that was sent.
type Sent struct {
	ID          graph.MessageID
	Text        string
	Attachments []graph.AttachmentID
	// Found is set if creating the message returned an existing one with another text: an
	// earlier attempt at the answer made it, or another process is writing it.
	Found bool
	// Message is Discord's response, possibly partial; nil if the message was not
	// changed.
	Message *discord.Message

	buttons Rows // before checksums
}

// IDs returns the ids of messages that were sent.
func IDs(sent []Sent) []graph.MessageID {
	ids := make([]graph.MessageID, len(sent))
	for i := range sent {
		ids[i] = sent[i].ID
	}
	return ids
}

// nonce returns the nonce of one part of an answer, of at most 25 characters as Discord
// demands.
func nonce(to To, part int) string {
	cause := cmp.Or(to.Cause.name, to.Trigger.String())
	sum := sha256.Sum256(fmt.Appendf(nil, "heddle 1 %s %d %d %d", cause, to.Channel, to.Generation, part))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}
