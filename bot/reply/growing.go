package reply

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

// Growing is an answer that is sent while it is written. Append must be called from one
// goroutine. After the last Append, one of Finish, Withdraw, Leave and Discard must be
// called once.
type Growing struct {
	draft *draft             // owned by stream until idle is closed, then by finish
	stop  context.CancelFunc // ends stream's waits, but not its present call
	abort context.CancelFunc // ends its present call too
	idle  chan struct{}      // closed when stream has ended
	said  bool               // Text has sent all but files and buttons
	more  wait.Signal        // there is new text

	mu      sync.Mutex
	text    strings.Builder         // appended, not yet taken
	over    bool                    // text replaces what was taken before
	doing   string                  // of the last call of Doing
	refusal error                   // with which Discord has refused the answer for good
	unread  context.CancelCauseFunc // ends the context that While returned
}

// Begin starts an answer. Its goroutine ends with Finish, Withdraw, Leave or Discard, when ctx
// ends, or when Discord refuses the answer for good. Finish still sends what was appended by
// then. The end of ctx does not cancel a call in progress, because then nobody would know
// whether Discord created the message.
func (r *Replies) Begin(ctx context.Context, to To) *Growing {
	calls, abort := context.WithCancel(context.WithoutCancel(ctx))
	waits, stop := context.WithCancel(ctx)
	g := &Growing{
		draft: newDraft(r, to), stop: stop, abort: abort,
		idle: make(chan struct{}), more: wait.NewSignal(), unread: func(error) {},
	}
	go g.stream(calls, waits)
	return g
}

// Append adds text to the answer. It never waits for Discord.
func (g *Growing) Append(text string) {
	g.mu.Lock()
	g.text.WriteString(text)
	g.mu.Unlock()
	g.more.Set()
}

// Replace shows text instead of everything so far. The messages sent so far are edited, and
// those left over are deleted at the end of the answer. It never waits for Discord.
func (g *Growing) Replace(text string) {
	g.mu.Lock()
	g.text.Reset()
	g.text.WriteString(text)
	g.over = true
	g.mu.Unlock()
	g.more.Set()
}

// Doing shows a line below the growing answer, in place of the previous one; "" shows
// none. The finished answer has none. Doing never waits for Discord.
func (g *Growing) Doing(line string) {
	g.mu.Lock()
	g.doing = line
	g.mu.Unlock()
	g.more.Set()
}

// Withdraw ends the answer and deletes its messages, except those of the answer that it
// replaces. It reports whether any of these were overwritten.
func (g *Growing) Withdraw(ctx context.Context) (begun bool, err error) {
	g.end(ctx)
	begun = slices.ContainsFunc(g.draft.sent, func(s Sent) bool { return g.draft.isReplaced(s.ID) })
	return begun, g.draft.remove(ctx, g.draft.to.Over)
}

// Discard ends the answer and deletes its messages, including those that it overwrote.
func (g *Growing) Discard(ctx context.Context) error {
	g.end(ctx)
	untouched := slices.DeleteFunc(slices.Clone(g.draft.to.Over), func(id graph.MessageID) bool {
		return slices.ContainsFunc(g.draft.sent, func(s Sent) bool { return s.ID == id })
	})
	return g.draft.remove(ctx, untouched)
}

// Leave ends the answer before it is complete, so that another attempt can continue it. If a
// part of it stands, that part shows what was appended, with line below it. Without a part or a
// line, nothing is sent.
func (g *Growing) Leave(ctx context.Context, line string) error {
	g.end(ctx)
	d := g.draft
	if err := g.Refused(); err != nil || len(d.sent) == 0 || line == "" {
		return err
	}
	g.fill()
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
func (g *Growing) end(ctx context.Context) {
	g.stop()
	select {
	case <-g.idle:
	case <-ctx.Done():
	}
	g.abort()
	<-g.idle
}

// Text sends the rest of the text and the notice. It is called before Finish if the buttons and
// the files are to come later.
func (g *Growing) Text(ctx context.Context, text, notice string) error {
	_, err := g.Finish(ctx, Final{Text: text, Notice: notice})
	g.said = err == nil
	return err
}

// Stands returns the messages that may show a part of the answer, or of what it replaces. It is
// called when the answer has ended.
func (g *Growing) Stands() []graph.MessageID { return g.draft.standing() }

// Finish sends the rest and returns every message of the answer, including those that
// were sent before an error. It retries transient errors until ctx ends. The errors of
// this package are permanent. After ErrFiles the text is complete but the files are missing.
func (g *Growing) Finish(ctx context.Context, final Final) ([]Sent, error) {
	g.end(ctx)
	d := g.draft
	if err := g.Refused(); err != nil {
		return d.sent, ending{d, final}.failed(ctx, err)
	}
	if g.said {
		return d.sent, ending{d, final}.complete(ctx)
	}
	g.fill()
	d.text.Add(final.Text)
	err := ending{d, final}.finish(ctx)
	return d.sent, err
}

// Put sends a complete answer, one message per part, each in reply to the one before. It
// returns the messages that were sent, also if it fails.
func (r *Replies) Put(ctx context.Context, to To, final Final) ([]Sent, error) {
	d := newDraft(r, to)
	d.text.Add(final.Text)
	err := ending{d, final}.finish(ctx)
	return d.sent, err
}

// Reply sends a complete text like Put.
func (r *Replies) Reply(ctx context.Context, to To, text string) ([]Sent, error) {
	return r.Put(ctx, to, Final{Text: text})
}

// stream shows the answer as it grows, until waits ends.
func (g *Growing) stream(calls, waits context.Context) {
	defer close(g.idle)
	for {
		some, edit := g.draft.pending()
		if !some {
			select {
			case <-g.more:
				g.fill()
				continue
			case <-waits.Done():
				return
			}
		}
		switch {
		case edit && g.draft.awaitEdit(waits) != nil:
			return
		case !edit && len(g.draft.sent) == 0 && wait.For(waits, gather) != nil:
			return // the answer came at once: it is sent in one piece
		}
		if waits.Err() != nil {
			return
		}
		g.fill()
		if !g.grow(calls, waits) {
			return
		}
	}
}

// grow makes one call and reports whether to continue.
func (g *Growing) grow(calls, waits context.Context) bool {
	ctx, cancel := context.WithTimeout(calls, growTimeout)
	defer cancel()
	err := g.draft.grow(ctx)
	if err == nil {
		return true
	}
	if !isTransient(err) && !errors.Is(err, discord.ErrWaitTooLong) {
		g.mu.Lock()
		g.refusal = err
		g.unread(ErrRefused)
		g.mu.Unlock()
		return false
	}
	g.draft.replies.log.DebugContext(calls, "an answer could not be extended, trying again", "error", err)
	return wait.For(waits, time.Second) == nil
}

// While returns a context derived from ctx that ends with ErrRefused once Discord refuses the
// answer for good, as nobody will read what is written after that. It is called once; stop
// releases it.
func (g *Growing) While(ctx context.Context) (reading context.Context, stop context.CancelFunc) {
	reading, unread := context.WithCancelCause(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unread = unread; g.refusal != nil {
		unread(ErrRefused)
	}
	return reading, func() { unread(nil) }
}

// Refused returns the error with which Discord has refused the growing answer for good, for
// example because its message or its channel was deleted. It is nil if Discord has not.
func (g *Growing) Refused() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refusal
}

// fill moves what was appended to the draft.
func (g *Growing) fill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		g.draft.startOver()
	}
	g.over = false
	g.draft.text.Add(g.text.String())
	g.text.Reset()
	g.draft.text.Doing = g.doing
}
