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

// JoinThread adds a person to a thread, who then sees it in their list.
func (o *Outbox) JoinThread(ctx context.Context, thread graph.ChannelID, person graph.UserID) error {
	path := "/channels/" + thread.String() + "/thread-members/" + person.String()
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPut, Path: path}); err != nil {
		return fmt.Errorf("add a person to a thread: %w", classify(err))
	}
	return nil
}
