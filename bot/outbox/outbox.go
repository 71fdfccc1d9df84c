// Package outbox sends everything that heddle writes to Discord: messages, their edits,
// and replies to presses of buttons. It is the only place that decides
//
//   - allowed mentions: nobody is pinged, neither by creates nor by edits;
//   - nonces, which are made from cause, channel, generation and part, and enforced: a
//     create that is repeated after an error or a crash returns the same message;
//   - pace: an answer grows by edits as far apart as Discord's headers ask for, or by
//     Pace if there are none; one more edit is always left for its end. Creates,
//     and edits of a complete text, are not delayed but count;
//   - splitting of long texts (package split);
//   - buttons, which only the last message of an answer has.
//
// An Outbox may be used by several goroutines. Answers in one channel share its pace.
package outbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"heddle/bot/outbox/split"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// Pace is the least time between two edits in one channel. Discord does not
// publish its limit; about one edit a second was observed.
const Pace = 1200 * time.Millisecond

// Indicator follows the text of an answer that is still growing.
const Indicator = " ▍"

// Outbox sends messages.
type Outbox struct {
	rest *discord.REST
	pace time.Duration // between two edits in a channel whose limit is not known
	log  *slog.Logger

	mu   sync.Mutex
	last *simplelru.LRU[graph.ChannelID, written] // what was written to a channel last
}

// paced bounds the channels of which it is remembered when something was written to them.
const paced = 1024

// New returns an outbox that sends through rest, and lets at least pace pass between two edits
// in a channel whose limit is not known.
func New(rest *discord.REST, pace time.Duration, log *slog.Logger) *Outbox {
	last, _ := simplelru.NewLRU[graph.ChannelID, written](paced, nil) // the size is positive
	return &Outbox{rest: rest, pace: pace, log: log, last: last}
}

// To is the place of an answer.
type To struct {
	Channel graph.ChannelID
	// Trigger is the message to reply to, in the same channel. Without it the answer
	// is no reply. Without it and a Cause, a repeated create may send it twice.
	Trigger    graph.MessageID
	Generation int // counts the answers to one trigger, from 0: an edited question has another
	// Over are the messages of an earlier answer that this one replaces. They are
	// edited in their order. Those that remain are deleted at the end.
	Over []graph.MessageID
	// Leaving, if set, is told which messages stay of the answer, and which of Over are
	// about to be deleted because it needs fewer.
	Leaving func(ctx context.Context, stay, leave []graph.MessageID) error
	// Begun are the messages of an earlier attempt at this answer that broke off. They are
	// edited and deleted like those of Over, which they follow.
	Begun []graph.MessageID
	// Ready, if set, is called right before the first write, and before the rest of an answer
	// that grew is written. The answer fails with its error.
	Ready func(ctx context.Context) error
	// Refused, if set, is called once Discord refuses a growing answer for good.
	Refused func()
	// Held are the files that must stay, by their messages, which are among Over. These
	// messages are never deleted. HeldText, which says whose they are, stands on those that the
	// text does not reach, or else below the text.
	Held     map[graph.MessageID][]graph.AttachmentID
	HeldText string
	// CutText, if set, ends what stands of an answer of which Discord refuses the rest for
	// good.
	CutText string
	// Growing are the buttons below the answer while it grows, on its last message.
	Growing Rows
	// Cause distinguishes the nonces of an answer that is sent once more. The zero
	// Cause is the trigger.
	Cause Cause
	// Hosts are those that the conversation named, as split.HostsIn returns them. A masked link
	// to any other host is written with its address.
	Hosts split.Hosts
}

// Cause is the reason for sending an answer once more in place of another.
type Cause struct{ name string }

// Interaction returns the cause of an answer that an interaction asked for.
func Interaction(id discord.InteractionID) Cause { return Cause{"interaction " + id.String()} }

// Withdrawal returns the cause of putting back the answer that begins with head.
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
	// Found is set if the message existed, with another text, when it was to be created:
	// an earlier attempt at the answer made it, or another process does.
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

// written is when something was written to a channel.
type written struct {
	at      time.Time
	created bool // a message, and not a new version of one
}

// awaitEdit waits until another edit of the growing answer is due in its channel.
func (d *draft) awaitEdit(ctx context.Context) error {
	o, id := d.outbox, d.to.Channel
	target, _ := d.target()
	for {
		apart, known := o.rest.Spread(http.MethodPatch, messagePath(id, target))
		least := o.pace
		if known {
			least = max(apart, o.pace/2)
		}
		delay := o.takeSlot(id, least, apart)
		if delay <= 0 {
			return nil
		}
		if err := wait.For(ctx, delay); err != nil {
			return err
		}
	}
}

// takeSlot takes the channel's next slot and returns 0, or returns the time until then.
// The first edit after a create comes sooner: so far people see few words.
func (o *Outbox) takeSlot(channel graph.ChannelID, least, apart time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	last, _ := o.last.Get(channel)
	if last.created {
		least = o.pace / 4
	}
	if delay := time.Until(last.at.Add(max(least, apart))); delay > 0 {
		return delay
	}
	o.last.Add(channel, written{at: time.Now()})
	return 0
}

// mark counts what is written without a wait towards the channel's pace.
func (o *Outbox) mark(channel graph.ChannelID, created bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last.Add(channel, written{time.Now(), created})
}

// nonce returns the nonce of one part of an answer, of at most 25 characters as Discord
// demands.
func nonce(to To, part int) string {
	cause := cmp.Or(to.Cause.name, to.Trigger.String())
	sum := sha256.Sum256(fmt.Appendf(nil, "heddle 1 %s %d %d %d", cause, to.Channel, to.Generation, part))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}
