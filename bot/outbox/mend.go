package outbox

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
)

// Rewrite sets the text of a message of heddle's to one that it had before. Its buttons
// stay.
func (o *Outbox) Rewrite(ctx context.Context, channel graph.ChannelID, id graph.MessageID, text string) error {
	body := edit{MessageEdit: discordgo.MessageEdit{Content: &text, AllowedMentions: noMentions(), Flags: noPreviews}}
	path := messagesPath(channel) + "/" + id.String()
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body}); err != nil {
		return fmt.Errorf("edit: %w", classify(err))
	}
	return nil
}

// Shows reports whether a message shows a text that it was sent with.
func Shows(m *discord.Message, text string) bool { return sameText(m.Content, text) }
