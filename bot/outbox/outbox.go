// Package outbox sends everything that heddle writes to Discord: messages, their edits,
// and replies to presses of buttons. It is the only place that decides
//
//   - allowed mentions: nobody is pinged, neither by creates nor by edits;
//   - nonces, which are made from cause, channel, generation and part, and enforced: a
//     create that is repeated after an error or a crash returns the same message;
//   - pace: at most one edit per channel in Config.Pace, or less if Discord's headers
//     ask for it. Creates, and edits of a complete text, are not delayed but count;
//   - splitting of long texts (Split);
//   - buttons, which only the last message of an answer has.
//
// An Outbox may be used by several goroutines. Answers in one channel share its pace.
package outbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// DefaultPace is the least time between two edits in one channel. Discord does not
// publish its limit; about one edit a second was observed.
const DefaultPace = 1200 * time.Millisecond

// DefaultIndicator follows the text of an answer that is still growing.
const DefaultIndicator = " ▍"

// REST is the part of discord.REST that the outbox uses.
type REST interface {
	// Do sends one call; see discord.REST.
	Do(ctx context.Context, call discord.Call) (json.RawMessage, error)
	// Delay returns how long a request to the route would have to wait now.
	Delay(method, path string) time.Duration
}

// Config configures New. The zero value is the default.
type Config struct {
	Pace      time.Duration // least time between two edits in a channel; 0: DefaultPace
	Indicator string        // behind a growing answer; empty: DefaultIndicator
	First     int           // characters that must be there before a message is made; 0: 30
	Log       *slog.Logger  // nil: nothing is logged
	// Now and Wait replace the clock, for tests. Wait must return ctx's error as
	// soon as ctx ends.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

// Outbox sends messages.
type Outbox struct {
	rest REST
	cfg  Config

	mu   sync.Mutex
	next map[graph.ChannelID]time.Time // when the channel's next edit may go
}

// New returns an outbox that sends through rest.
func New(rest REST, cfg Config) *Outbox {
	if cfg.Pace == 0 {
		cfg.Pace = DefaultPace
	}
	if cfg.Indicator == "" {
		cfg.Indicator = DefaultIndicator
	}
	if cfg.First == 0 {
		cfg.First = 30
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait == nil {
		cfg.Wait = wait.For
	}
	return &Outbox{rest: rest, cfg: cfg, next: map[graph.ChannelID]time.Time{}}
}

// To is the place of an answer.
type To struct {
	Channel graph.ChannelID
	// Trigger is the message to reply to, in the same channel. Without it the answer
	// is no reply, and a repeated create may send it twice.
	Trigger    graph.MessageID
	Generation int // counts the answers to one trigger, from 0: an edited question has another
	// Over are the messages of an earlier answer that this one replaces. They are
	// edited in their order. Those that remain are deleted at the end.
	Over []graph.MessageID
	// Begun are the messages of an earlier attempt at this answer that broke off. They are
	// edited and deleted like those of Over, which they follow.
	Begun []graph.MessageID
	// Yields has the answer fail with ErrTaken if its first message exists already and says
	// something else: another process answers.
	Yields bool
	// Gone, if set, reports whether the question was deleted. It is asked right before the
	// first write, and before the rest of an answer that grew is written. Then the answer
	// fails with ErrQuestionGone.
	Gone func(ctx context.Context) bool
	// Held are the files that must stay, by their messages, which are among Over. These
	// messages are never deleted. If the text does not reach them they say HeldText.
	Held     map[graph.MessageID][]graph.AttachmentID
	HeldText string
	// Cause distinguishes the nonces of an answer that is sent once more. The zero
	// Cause is the trigger.
	Cause Cause
	// Hosts are those that the conversation named, as HostsIn returns them. A masked link
	// to any other host is written with its address.
	Hosts []string
}

// Cause is the reason for sending an answer once more in place of another.
type Cause struct{ name string }

// Interaction returns the cause of an answer that an interaction asked for.
func Interaction(id discord.InteractionID) Cause { return Cause{"interaction " + id.String()} }

// Withdrawal returns the cause of putting back the answer that begins with head.
func Withdrawal(head graph.MessageID) Cause { return Cause{"withdrawal " + head.String()} }

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
}

// awaitEdit waits until another edit in the channel is allowed.
func (o *Outbox) awaitEdit(ctx context.Context, channel graph.ChannelID, path string) error {
	for {
		delay := max(o.takeSlot(channel), o.rest.Delay(http.MethodPatch, path))
		if delay <= 0 {
			return nil
		}
		if err := o.cfg.Wait(ctx, delay); err != nil {
			return err
		}
	}
}

// takeSlot takes the channel's next slot and returns 0, or returns the time until then.
func (o *Outbox) takeSlot(channel graph.ChannelID) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.cfg.Now()
	if delay := o.next[channel].Sub(now); delay > 0 {
		return delay
	}
	o.markLocked(channel, now)
	return 0
}

// mark counts a create towards the channel's pace.
func (o *Outbox) mark(channel graph.ChannelID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.markLocked(channel, o.cfg.Now())
}

func (o *Outbox) markLocked(channel graph.ChannelID, now time.Time) {
	const most = 1024
	if len(o.next) >= most {
		for id, next := range o.next {
			if next.Before(now) {
				delete(o.next, id)
			}
		}
	}
	o.next[channel] = now.Add(o.cfg.Pace)
}

// nonce returns the nonce of one part of an answer, of at most 25 characters as Discord
// demands.
func nonce(to To, part int) string {
	cause := cmp.Or(to.Cause.name, to.Trigger.String())
	sum := sha256.Sum256(fmt.Appendf(nil, "heddle 1 %s %d %d %d", cause, to.Channel, to.Generation, part))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}
