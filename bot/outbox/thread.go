package outbox

import (
	"context"
	"fmt"
	"net/http"

	"heddle/graph"
	"heddle/internal/discord"
)

// StartThread starts a thread from a message. The thread gets the message's id. It fails
// with ErrThreadExists if the message has a thread. Discord takes titles of 1 to 100
// characters.
func (o *Outbox) StartThread(ctx context.Context, channel graph.ChannelID, message graph.MessageID, title string) error {
	path := messagesPath(channel) + "/" + message.String() + "/threads"
	call := discord.Call{Method: http.MethodPost, Path: path, Body: map[string]string{"name": title}}
	if _, err := o.rest.Do(ctx, call); err != nil {
		return fmt.Errorf("start a thread: %w", classify(err))
	}
	return nil
}

// Direct returns the channel of direct messages with a person, whom nothing is sent yet. It
// fails with ErrCannotDM if they take none.
func (o *Outbox) Direct(ctx context.Context, person graph.UserID) (graph.ChannelID, error) {
	call := discord.Call{Method: http.MethodPost, Path: "/users/@me/channels", Body: map[string]string{"recipient_id": person.String()}}
	raw, err := o.rest.Do(ctx, call)
	if err != nil {
		return 0, fmt.Errorf("open direct messages: %w", classify(err))
	}
	channel, err := discord.DecodeChannel(raw)
	if err != nil {
		return 0, fmt.Errorf("open direct messages: %w", err)
	}
	return channel.ID, nil
}

// JoinThread adds a person to a thread, who then sees it in their list.
func (o *Outbox) JoinThread(ctx context.Context, thread graph.ChannelID, person graph.UserID) error {
	path := "/channels/" + thread.String() + "/thread-members/" + person.String()
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPut, Path: path}); err != nil {
		return fmt.Errorf("add a person to a thread: %w", classify(err))
	}
	return nil
}
