package reply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// lookTimeout bounds the check whether a message exists, as an answer waits for it.
const lookTimeout = 3 * time.Second

// IsGone reports whether a message was deleted. It reports false if Discord does not tell.
func (r *Replies) IsGone(ctx context.Context, channel graph.ChannelID, message graph.MessageID) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	_, err := r.rest.Do(ctx, discord.Call{Method: http.MethodGet, Path: messagePath(channel, message)})
	return discord.HasCode(err, discord.CodeUnknownMessage)
}

// typingEvery is the interval of typing indicators. Discord shows each for ten seconds.
const typingEvery = 8 * time.Second

// typingAfter delays the first typing indicator. An answer whose first word comes sooner needs
// none.
const typingAfter = 700 * time.Millisecond

// typingWithin bounds how long a typing indicator may wait for Discord's rate limit. It is
// skipped if it would wait longer.
const typingWithin = time.Second

// Typing shows that the bot is typing, until stop is called or ctx ends. While much is
// sent, indicators are skipped. stop waits for the goroutine and may be called more than
// once. If Discord refuses the indicator, Typing gives up silently.
func (r *Replies) Typing(ctx context.Context, channel graph.ChannelID) (stop func()) {
	path := "/channels/" + channel.String() + "/typing"
	return wait.Later(ctx, typingAfter, func(ctx context.Context) {
		for {
			soon, cancel := context.WithTimeout(ctx, typingWithin)
			_, err := r.rest.Do(soon, discord.Call{Method: http.MethodPost, Path: path, Repeatable: true})
			cancel()
			if ctx.Err() != nil {
				return
			}
			if err != nil && !errors.Is(err, discord.ErrWaitTooLong) && !isTransient(err) {
				r.log.DebugContext(ctx, "Discord refused a typing indicator, going on without", "channel", channel, "error", err)
				return
			}
			if wait.For(ctx, typingEvery) != nil {
				return
			}
		}
	})
}

// StartThread starts a thread from a message. The thread gets the message's id. It fails
// with ErrThreadExists if the message has a thread. Discord takes titles of 1 to 100
// characters.
func (r *Replies) StartThread(ctx context.Context, channel graph.ChannelID, message graph.MessageID, title string) error {
	call := discord.Call{Method: http.MethodPost, Path: messagePath(channel, message) + "/threads", Body: map[string]string{"name": title}}
	_, err := r.do(ctx, "start a thread", call)
	return err
}

// Direct returns the channel of direct messages with a person. It sends them nothing, and fails
// with ErrCannotDM if they accept none.
func (r *Replies) Direct(ctx context.Context, person graph.UserID) (graph.ChannelID, error) {
	call := discord.Call{Method: http.MethodPost, Path: "/users/@me/channels", Body: map[string]string{"recipient_id": person.String()}}
	raw, err := r.do(ctx, "open direct messages", call)
	if err != nil {
		return 0, err
	}
	channel, err := discord.Decode[discord.Channel](raw)
	if err != nil {
		return 0, fmt.Errorf("open direct messages: %w", err)
	}
	return channel.ID, nil
}

// React adds a reaction to a message.
func (r *Replies) React(ctx context.Context, channel graph.ChannelID, message graph.MessageID, emoji string) error {
	call := discord.Call{Method: http.MethodPut, Path: messagePath(channel, message) + "/reactions/" + url.PathEscape(emoji) + "/@me"}
	_, err := r.do(ctx, "react to a message", call)
	return err
}

// JoinThread adds a person to a thread, who then sees it in their list.
func (r *Replies) JoinThread(ctx context.Context, thread graph.ChannelID, person graph.UserID) error {
	path := "/channels/" + thread.String() + "/thread-members/" + person.String()
	_, err := r.do(ctx, "add a person to a thread", discord.Call{Method: http.MethodPut, Path: path})
	return err
}
