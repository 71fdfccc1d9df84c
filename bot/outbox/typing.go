package outbox

import (
	"context"
	"net/http"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// typingEvery is the interval of typing indicators. Discord shows each for ten seconds.
const typingEvery = 8 * time.Second

// typingAfter delays the first typing indicator: an answer whose first word comes sooner
// needs none.
const typingAfter = 700 * time.Millisecond

// Typing shows that the bot is typing, until stop is called or ctx ends. While much is
// sent, indicators are left out, so that answers have what Discord allows. stop waits for
// the goroutine and may be called more than once. If Discord refuses the indicator,
// Typing gives up silently.
func (o *Outbox) Typing(ctx context.Context, channel graph.ChannelID) (stop func()) {
	path := "/channels/" + channel.String() + "/typing"
	return o.cfg.Later(ctx, typingAfter, func(ctx context.Context) {
		for {
			_, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Repeatable: true, Expendable: true})
			if ctx.Err() != nil {
				return
			}
			if err != nil && !passing(err) {
				o.cfg.Log.DebugContext(ctx, "Discord refused a typing indicator, going on without", "channel", channel, "error", err)
				return
			}
			if o.cfg.Wait(ctx, typingEvery) != nil {
				return
			}
		}
	})
}
