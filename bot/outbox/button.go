package outbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
)

// Button returns a button for an answer. Discord allows 5 in a row, labels of 80
// characters, ids of 100 characters, and each id once in a message.
func Button(id, label string) discordgo.Button {
	return discordgo.Button{CustomID: id, Label: label, Style: discordgo.SecondaryButton}
}

// LinkButton returns a button that opens an address.
func LinkButton(address, label string) discordgo.Button {
	return discordgo.Button{URL: address, Label: label, Style: discordgo.LinkButton}
}

// DisabledButton returns a button that cannot be pressed.
func DisabledButton(id, label string) discordgo.Button {
	b := Button(id, label)
	b.Disabled = true
	return b
}

// Rows are the buttons below a message, from top to bottom. Discord allows 5 rows.
type Rows [][]discordgo.Button

// equal reports whether two messages have the same buttons.
func (r Rows) equal(other Rows) bool {
	return slices.EqualFunc(r, other, slices.Equal)
}

// components returns the rows as Discord takes them. Without rows it returns an empty
// list, which removes the buttons of a message; nil would leave them.
func (r Rows) components() []discordgo.MessageComponent {
	all := make([]discordgo.MessageComponent, len(r))
	for i, buttons := range r {
		var row discordgo.ActionsRow
		for _, b := range buttons {
			row.Components = append(row.Components, b)
		}
		all[i] = row
	}
	return all
}

// SetButtons replaces the buttons of a message and leaves all else as it is.
func (o *Outbox) SetButtons(ctx context.Context, channel graph.ChannelID, message graph.MessageID, buttons Rows) error {
	path := messagesPath(channel) + "/" + message.String()
	components := buttons.components()
	body := discordgo.MessageEdit{Components: &components, AllowedMentions: noMentions()}
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body}); err != nil {
		return fmt.Errorf("change buttons: %w", classify(err))
	}
	return nil
}
