// Package outbox is the one sender: every message that heddle writes to Discord,
// and every edit of one, goes through it. It owns
//
//   - allowed mentions: nobody is pinged save who was named, on creates and edits;
//   - nonces, made from (trigger, channel, part, generation) and enforced, so that
//     a create that is repeated after a fault or a crash gives the same message;
//   - pace: at most one edit per channel in Config.Pace, later where Discord's
//     headers say so. Creates, and edits to a text that is whole, are not held back
//     by it but count;
//   - splitting (Split);
//   - buttons, which stand below an answer's last message and nowhere else, and what
//     is said to whom pressed one.
//
// An Outbox may be used by many goroutines. Answers of one channel share its pace.
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

// DefaultIndicator stands behind an answer that is still growing.
const DefaultIndicator = " ▍"

// REST is what the outbox needs of discord.REST.
type REST interface {
	// Do sends one call; see discord.REST.
	Do(ctx context.Context, call discord.Call) (json.RawMessage, error)
	// Delay says how long a request to the route would be held back now.
	Delay(method, path string) time.Duration
}

// Config says how the outbox behaves. The zero value is the default.
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

// New gives an outbox that sends through rest.
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

// To says where a text goes.
type To struct {
	Channel graph.ChannelID
	// Trigger is the message that is replied to, in the same channel. Without one
	// nothing is replied to and nothing is protected against being sent twice.
	Trigger    graph.MessageID
	Generation int // counts the answers to one trigger, from 0: an edited question gets another
	// Over are the messages of an earlier answer, in whose place this one is put:
	// they are edited in their order, and those left over at the end deleted.
	Over []graph.MessageID
	// Held are those of Over with files that must stay, and the files: they are never
	// deleted, and read HeldText where the text does not reach them.
	Held     map[graph.MessageID][]graph.AttachmentID
	HeldText string
	// Cause is what had the answer sent once more. It takes the trigger's place in
	// nonces; the zero Cause is the trigger.
	Cause      Cause
	Mentions   []graph.UserID // who may be pinged by the text; the first 100 count
	PingAuthor bool           // whether the reply itself pings the trigger's author
}

// Cause is what has an answer sent again in its place.
type Cause struct{ name string }

// Interaction returns the cause of an answer that an interaction asked for.
func Interaction(id discord.InteractionID) Cause { return Cause{"interaction " + id.String()} }

// Withdrawal returns the cause of putting back the answer that begins with head.
func Withdrawal(head graph.MessageID) Cause { return Cause{"withdrawal " + head.String()} }

// Sent is one message as Discord has it.
type Sent struct {
	ID          graph.MessageID
	Text        string
	Attachments []graph.AttachmentID
	// Message is what Discord answered with, whole or in part; nil where the message
	// was left as it was.
	Message *discord.Message
}

// awaitEdit waits until the channel may see another edit.
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

// takeSlot takes the channel's next slot, or says how long it is away.
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

// nonce names one part of one answer. It is at most 25 characters, as Discord wants.
func nonce(to To, part int) string {
	cause := cmp.Or(to.Cause.name, to.Trigger.String())
	sum := sha256.Sum256(fmt.Appendf(nil, "heddle 1 %s %d %d %d", cause, to.Channel, to.Generation, part))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}
