package outbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// growTimeout bounds one call while an answer grows. The next call repeats its text.
const growTimeout = 20 * time.Second

// gather is how long the first text waits for more: what comes at once takes one request.
const gather = 4 * time.Millisecond

// Answer is an answer that is sent while it is written. Append must be called from one
// goroutine. After the last Append, one of Finish, Withdraw, Leave and Discard must be
// called once.
type Answer struct {
	draft *draft             // owned by stream until idle is closed, then by finish
	stop  context.CancelFunc // ends stream's waits, but not its present call
	abort context.CancelFunc // ends its present call too
	idle  chan struct{}      // closed when stream has ended
	more  wait.Signal        // there is new text

	mu      sync.Mutex
	text    strings.Builder // appended, not yet taken
	over    bool            // it replaces what was taken before
	doing   string          // of the last call of Doing
	refusal error           // with which Discord has refused the answer for good
}

// Answer starts an answer. Its goroutine ends with Finish, Withdraw, Leave or Discard, when
// ctx ends, or when Discord refuses the answer for good. Finish still
// sends what was appended by then. The end of ctx does not cancel a call that has
// begun, because then it would be unknown whether Discord has created the message.
func (o *Outbox) Answer(ctx context.Context, to To) *Answer {
	calls, abort := context.WithCancel(context.WithoutCancel(ctx))
	waits, stop := context.WithCancel(ctx)
	a := &Answer{
		draft: newDraft(o, to), stop: stop, abort: abort,
		idle: make(chan struct{}), more: wait.NewSignal(),
	}
	go a.stream(calls, waits)
	return a
}

// Append adds text to the answer. It never waits for Discord.
func (a *Answer) Append(text string) {
	a.mu.Lock()
	a.text.WriteString(text)
	a.mu.Unlock()
	a.more.Set()
}

// Replace shows text instead of everything so far: the messages that show that are edited, or
// deleted at the end of the answer. It never waits for Discord.
func (a *Answer) Replace(text string) {
	a.mu.Lock()
	a.text.Reset()
	a.text.WriteString(text)
	a.over = true
	a.mu.Unlock()
	a.more.Set()
}

// Doing shows a line below the growing answer, in place of the previous one; "" shows
// none. The finished answer has none. Doing never waits for Discord.
func (a *Answer) Doing(line string) {
	a.mu.Lock()
	a.doing = line
	a.mu.Unlock()
	a.more.Set()
}

// Withdraw ends the answer and deletes its messages, except those of the answer that it
// replaces. It reports whether it has overwritten any of these.
func (a *Answer) Withdraw(ctx context.Context) (begun bool, err error) {
	a.end(ctx)
	begun = slices.ContainsFunc(a.draft.sent, func(s Sent) bool { return a.draft.isReplaced(s.ID) })
	return begun, a.draft.remove(ctx, a.draft.to.Over)
}

// Discard ends the answer and deletes its messages, those included that it has overwritten.
func (a *Answer) Discard(ctx context.Context) error {
	a.end(ctx)
	untouched := slices.DeleteFunc(slices.Clone(a.draft.to.Over), func(id graph.MessageID) bool {
		return slices.ContainsFunc(a.draft.sent, func(s Sent) bool { return s.ID == id })
	})
	return a.draft.remove(ctx, untouched)
}

// Leave ends the answer in its midst, so that another attempt can go on with it. If a part
// of it stands, that shows what was appended, with line below it. Nothing is sent otherwise,
// or without a line.
func (a *Answer) Leave(ctx context.Context, line string) error {
	a.end(ctx)
	d := a.draft
	if err := a.Refused(); err != nil || len(d.sent) == 0 || line == "" {
		return err
	}
	a.fill()
	d.text.Doing, d.to.Growing = line, nil
	for {
		if some, _ := d.pending(); !some {
			return nil
		}
		if err := d.retry(ctx, func() error { return d.grow(ctx) }); err != nil {
			return replyError(d.to.Channel, err)
		}
	}
}

// end ends the stream: its waits at once, its present call when ctx ends.
func (a *Answer) end(ctx context.Context) {
	a.stop()
	select {
	case <-a.idle:
	case <-ctx.Done():
	}
	a.abort()
	<-a.idle
}

// Finish sends the rest and returns every message of the answer, including those that
// were sent before an error. It retries transient errors until ctx ends. The errors of
// this package are permanent; after ErrFiles the text is complete but the files are
// missing.
func (a *Answer) Finish(ctx context.Context, final Final) ([]Sent, error) {
	a.end(ctx)
	d := a.draft
	if err := a.Refused(); err != nil {
		return d.sent, ending{d, final}.failed(ctx, err)
	}
	a.fill()
	d.text.Add(final.Text)
	err := ending{d, final}.finish(ctx)
	return d.sent, err
}

// Put sends a complete answer, one message per part, each in reply to the one before. It
// returns the messages that were sent, also if it fails.
func (o *Outbox) Put(ctx context.Context, to To, final Final) ([]Sent, error) {
	d := newDraft(o, to)
	d.text.Add(final.Text)
	err := ending{d, final}.finish(ctx)
	return d.sent, err
}

// Reply sends a complete text like Put.
func (o *Outbox) Reply(ctx context.Context, to To, text string) ([]Sent, error) {
	return o.Put(ctx, to, Final{Text: text})
}

// stream shows the answer as it grows, until waits ends.
func (a *Answer) stream(calls, waits context.Context) {
	defer close(a.idle)
	for {
		some, edit := a.draft.pending()
		if !some {
			select {
			case <-a.more:
				a.fill()
				continue
			case <-waits.Done():
				return
			}
		}
		switch {
		case edit && a.draft.awaitEdit(waits) != nil:
			return
		case !edit && len(a.draft.sent) == 0 && wait.For(waits, gather) != nil:
			return // the answer came at once: it is sent in one piece
		}
		if waits.Err() != nil {
			return
		}
		a.fill()
		if !a.grow(calls, waits) {
			return
		}
	}
}

// grow makes one call and reports whether to continue.
func (a *Answer) grow(calls, waits context.Context) bool {
	ctx, cancel := context.WithTimeout(calls, growTimeout)
	defer cancel()
	err := a.draft.grow(ctx)
	if err == nil {
		return true
	}
	if !passing(err) && !errors.Is(err, discord.ErrWaitTooLong) {
		a.mu.Lock()
		a.refusal = err
		a.mu.Unlock()
		if a.draft.to.Refused != nil {
			a.draft.to.Refused()
		}
		return false
	}
	a.draft.outbox.log.DebugContext(calls, "an answer could not be extended, trying again", "error", err)
	return wait.For(waits, time.Second) == nil
}

// Refused returns the error with which Discord has refused the growing answer for good, for
// example because its message or its channel was deleted. It is nil if Discord has not.
func (a *Answer) Refused() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refusal
}

// fill moves what was appended to the draft.
func (a *Answer) fill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		a.draft.startOver()
	}
	a.over = false
	a.draft.text.Add(a.text.String())
	a.text.Reset()
	a.draft.text.Doing = a.doing
}
