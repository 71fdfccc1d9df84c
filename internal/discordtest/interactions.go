package discordtest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"heddle/graph"
)

const (
	// defaultAnswerWithin is how long Discord waits for the first answer to an interaction.
	defaultAnswerWithin = 3 * time.Second
	// tokenLife is how long an interaction's token works.
	tokenLife = 15 * time.Minute
)

// The types of answers to an interaction.
const (
	AnswerMessage       = 4
	AnswerMessageLater  = 5 // shows people that a message is coming
	AnswerUpdateLater   = 6 // shows people nothing
	AnswerUpdateMessage = 7
)

// InteractionID identifies an interaction.
type InteractionID = graph.ID[interactionKind]

type interactionKind struct{}

// Interaction is a press of a button and what became of it.
type Interaction struct {
	ID       InteractionID
	Channel  graph.ChannelID
	Message  graph.MessageID // the message with the button
	Who      graph.UserID    // who pressed it
	CustomID string
	Token    string    // identifies the interaction in answers
	Answered int       // the first answer's type; 0 while there is none
	Private  []Message // the newest versions of the answers that only Who sees
}

// interaction is an Interaction at work, until its token ends.
type interaction struct {
	Interaction

	world    *world
	bot      *bot
	at       time.Time
	original graph.MessageID   // the message that the first answer made; zero if it made none
	public   []graph.MessageID // what answers made for everybody to see
	private  messageLog
}

// ErrPress reports that a person has no such button to press.
var ErrPress = errors.New("discordtest: no such button to press")

// Press presses a button as a person. The bot that sent the message gets
// INTERACTION_CREATE. Press returns ErrPress if Discord's clients would not offer
// that person the button.
func (t *Chat) Press(id graph.ChannelID, message graph.MessageID, who graph.UserID, customID string) (InteractionID, error) {
	w := t.world
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[id]
	if c == nil || c.permissions(who)&ViewChannel == 0 {
		return 0, fmt.Errorf("press in channel %s: %w", id, ErrPress)
	}
	m := c.messages.find(message)
	if m == nil {
		return 0, fmt.Errorf("press on message %s: %w", message, ErrPress)
	}
	author := w.users[m.Author]
	pressable := func(b Button) bool { return b.CustomID == customID && !b.Disabled }
	if author == nil || author.bot == nil || customID == "" || !slices.ContainsFunc(m.Buttons(), pressable) {
		return 0, fmt.Errorf("press %q on message %s: %w", customID, message, ErrPress)
	}
	in := &interaction{world: w, bot: author.bot, at: w.clock()}
	in.Interaction = Interaction{ID: InteractionID(w.nextID()), Channel: id, Message: message, Who: who, CustomID: customID}
	in.Token = interactionToken(in.ID)
	maps.DeleteFunc(w.interactions, func(_ string, old *interaction) bool { return w.clock().Sub(old.at) > tokenLife })
	w.interactions[in.Token] = in
	w.emit(event{name: "INTERACTION_CREATE", guild: c.guild, only: in.bot.id, render: func(viewer) any {
		return in.wire(c, m)
	}})
	return in.ID, nil
}

// interactionToken returns a token of about the length of Discord's. It is as
// unguessable as a test needs.
func interactionToken(id InteractionID) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte("interaction " + id.String()))
	return "aW50ZXJhY3Rpb246" + base64.RawURLEncoding.EncodeToString(mac.Sum([]byte(id.String()+":")))
}

// wire returns in as INTERACTION_CREATE carries it.
func (in *interaction) wire(c *channel, m *Message) any {
	fields := map[string]any{
		"id": in.ID, "application_id": in.bot.application, "type": 3, "token": in.Token, "version": 1,
		"channel_id": c.id, "channel": wireChannelOf(c),
		"message": rendering{c.world, viewer{bot: in.bot, content: true}}.message(c, m),
		"data":    map[string]any{"custom_id": in.CustomID, "component_type": componentButton},
		"locale":  "en-US", "app_permissions": c.permissions(in.bot.id), "entitlements": []any{},
		"authorizing_integration_owners": map[string]any{}, "attachment_size_limit": maxUpload,
	}
	if c.guild == nil {
		fields["user"], fields["context"] = wireUserOf(in.world.users[in.Who]), 1
		return fields
	}
	fields["context"], fields["guild_id"], fields["guild_locale"] = 0, c.guild.id, "en-US"
	fields["guild"] = map[string]any{"id": c.guild.id, "locale": "en-US", "features": []any{}}
	fields["member"] = struct {
		wireMember
		Permissions Permission `json:"permissions"`
	}{wireMemberOf(c.guild.member(in.Who)), c.permissions(in.Who)}
	return fields
}

// Interaction returns what became of a press. It reports false if the press is not
// known, or no longer.
func (t *Chat) Interaction(id InteractionID) (Interaction, bool) {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	return t.world.interaction(id)
}

func (w *world) interaction(id InteractionID) (Interaction, bool) {
	for _, in := range w.interactions {
		if in.ID != id {
			continue
		}
		found := in.Interaction
		for _, m := range in.private {
			found.Private = append(found.Private, *m)
		}
		return found, true
	}
	return Interaction{}, false
}

// AwaitInteraction waits until a press fits, with what became of it.
func (t *Chat) AwaitInteraction(ctx context.Context, id InteractionID, fits func(Interaction) bool) (Interaction, error) {
	var found Interaction
	err := t.world.mu.await(ctx, "an interaction", func() bool {
		in, known := t.world.interaction(id)
		if known {
			found = in
		}
		return known && fits(in)
	})
	return found, err
}
