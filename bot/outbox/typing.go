package outbox

import (
	"context"
	"net/http"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// typingEvery renews a typing notice, which Discord shows for ten seconds.
const typingEvery = 8 * time.Second

// typingAfter is how long after its beginning an answer shows that it is written: what
// it takes to ask for it goes first, and one that is there at once needs no notice.
const typingAfter = 20 * time.Millisecond

// Typing shows that the bot is writing, until stop is called or ctx ends. stop
// waits for the goroutine; it may be called more than once. Where Discord refuses
// the notice nothing else comes of it.
func (o *Outbox) Typing(ctx context.Context, channel graph.ChannelID) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		path := "/channels/" + channel.String() + "/typing"
		for wait := typingAfter; o.cfg.Wait(ctx, wait) == nil; wait = typingEvery {
			_, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Repeatable: true})
			if ctx.Err() != nil {
				return
			}
			if err != nil && !passing(err) {
				o.cfg.Log.DebugContext(ctx, "no typing notice", "channel", channel, "err", err)
				return
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}
