package outbox

import (
	"context"
	"fmt"
	"net/http"

	"heddle/graph"
	"heddle/internal/discord"
)

// Button is one that stands below an answer. Discord takes 5 in a row, labels of
// 80 characters and ids of 100, each once in a message.
type Button struct {
	ID       string
	Label    string
	Disabled bool
}

// Discord's bodies of buttons.
type (
	row struct {
		Type       int      `json:"type"`
		Components []button `json:"components"`
	}
	button struct {
		Type     int    `json:"type"`
		Style    int    `json:"style"`
		ID       string `json:"custom_id"`
		Label    string `json:"label"`
		Disabled bool   `json:"disabled,omitempty"`
	}
)

const (
	typeRow        = 1
	typeButton     = 2
	styleSecondary = 2
)

// rows puts buttons into one row; none for none, as an empty list.
func rows(buttons []Button) []row {
	if len(buttons) == 0 {
		return []row{}
	}
	r := row{Type: typeRow}
	for _, b := range buttons {
		r.Components = append(r.Components, button{typeButton, styleSecondary, b.ID, b.Label, b.Disabled})
	}
	return []row{r}
}

// Press is a button that somebody pressed: where the answer to it goes. The token
// is a secret of Discord's and ours for 15 minutes.
type Press struct {
	ID          discord.InteractionID
	Application graph.UserID
	Token       string
}

// Acknowledge tells Discord that a press was heard, which it waits 3 seconds for;
// nobody sees anything of it. It fails with ErrAnswered where that was told before,
// by another process, or is too late: the press is then not ours.
func (o *Outbox) Acknowledge(ctx context.Context, p Press) error {
	const updateLater = 6
	body := struct {
		Type int `json:"type"`
	}{updateLater}
	path := "/interactions/" + p.ID.String() + "/" + p.Token + "/callback"
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return fmt.Errorf("acknowledge a press: %w", classify(err))
	}
	return nil
}

// Whisper says something to whom pressed a button, and to nobody else.
func (o *Outbox) Whisper(ctx context.Context, p Press, text string) error {
	body := struct {
		Content         string          `json:"content"`
		Flags           uint64          `json:"flags"`
		AllowedMentions allowedMentions `json:"allowed_mentions"`
	}{text, discord.FlagEphemeral, mentions(To{})}
	path := "/webhooks/" + p.Application.String() + "/" + p.Token
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: path, Body: body}); err != nil {
		return fmt.Errorf("answer a press: %w", classify(err))
	}
	return nil
}

// Relabel gives a message the buttons, none for none, and leaves all else as it is.
func (o *Outbox) Relabel(ctx context.Context, channel graph.ChannelID, message graph.MessageID, buttons []Button) error {
	path := messagesPath(channel) + "/" + message.String()
	body := struct {
		Components      []row           `json:"components"`
		AllowedMentions allowedMentions `json:"allowed_mentions"`
	}{rows(buttons), mentions(To{})}
	if _, err := o.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: path, Body: body}); err != nil {
		return fmt.Errorf("change buttons: %w", classify(err))
	}
	return nil
}
