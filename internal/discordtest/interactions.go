package discordtest

import (
	"cmp"
	"context"
	"crypto/rand"
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
	answerChoices       = 8 // completes an option, which heddle has none for
	AnswerModal         = 9
)

// The kinds of interactions.
const (
	InteractionCommand   = 2
	InteractionComponent = 3
	InteractionModal     = 5
)

// InteractionID identifies an interaction.
type InteractionID = graph.ID[interactionKind]

type interactionKind struct{}

// Interaction is the press of a button, the use of a command or a sent modal, with its
// answers so far.
type Interaction struct {
	ID       InteractionID
	Kind     int
	Channel  graph.ChannelID
	Message  graph.MessageID   // the message with the button; zero for commands
	Who      graph.UserID      // who pressed it
	CustomID string            // of a button or a modal
	Command  string            // its name, and those of a group and a subcommand
	Token    string            // identifies the interaction in answers
	Answered int               // the first answer's type; 0 while there is none
	Private  []Message         // the newest versions of the answers that only Who sees
	Public   []graph.MessageID // the answers that everybody sees, without one that is only announced
	Modal    *Modal            // that was answered; nil for none
}

// interaction is an Interaction whose token is still valid, with its internal state.
type interaction struct {
	Interaction

	world     *world
	bot       *bot
	at        time.Time
	installed int               // how the application is installed that the interaction is for
	data      object            // as the interaction carries it
	original  graph.MessageID   // the message that the first answer made; zero if it made none
	public    []graph.MessageID // what answers made for everybody to see
	private   messageLog
}

// ErrPress reports that a person has no such button to press.
var ErrPress = errors.New("discordtest: no such button to press")

// Interactions lets people press buttons, use commands and send modals. The bot gets
// INTERACTION_CREATE, and its answers can be read here.
type Interactions struct{ world *world }

// Press presses a button as a person. The bot that sent the message gets
// INTERACTION_CREATE. Press returns ErrPress if Discord's clients would not offer
// that person the button.
func (i *Interactions) Press(id graph.ChannelID, message graph.MessageID, who graph.UserID, customID string) (InteractionID, error) {
	w := i.world
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[id]
	if c == nil || c.permissions(who)&ViewChannel == 0 {
		return 0, fmt.Errorf("press in channel %s: %w", id, ErrPress)
	}
	m := c.messages.find(message)
	owner := w.keeperOf(message)
	if owner != nil && owner.Who == who {
		m = owner.private.find(message)
	}
	if m == nil {
		return 0, fmt.Errorf("press on message %s: %w", message, ErrPress)
	}
	author := w.users[m.Author]
	pressable := func(b Button) bool { return b.CustomID == customID && !b.Disabled }
	if author == nil || author.bot == nil || customID == "" || !slices.ContainsFunc(m.Buttons(), pressable) {
		return 0, fmt.Errorf("press %q on message %s: %w", customID, message, ErrPress)
	}
	in := w.newInteraction(author.bot, c, who)
	in.Kind, in.Message, in.CustomID = InteractionComponent, message, customID
	for _, first := range w.interactions {
		if first == owner || slices.Contains(first.public, message) {
			in.installed = first.installed
		}
	}
	in.data = object{"custom_id": customID, "component_type": componentButton}
	in.tell(c, m)
	return in.ID, nil
}

// newInteraction returns an interaction of a person with a bot.
func (w *world) newInteraction(b *bot, c *channel, who graph.UserID) *interaction {
	in := &interaction{world: w, bot: b, at: w.clock()}
	in.Interaction = Interaction{ID: InteractionID(w.nextID()), Channel: c.id, Who: who}
	in.Token = rand.Text() + rand.Text() + rand.Text()
	maps.DeleteFunc(w.interactions, func(_ string, old *interaction) bool { return w.clock().Sub(old.at) > tokenLife })
	w.interactions[in.Token] = in
	return in
}

// tell sends the interaction to its bot. m is the message that it is about, or nil.
func (in *interaction) tell(c *channel, m *Message) {
	about := c.guild
	if about != nil && about.member(in.bot.id) == nil {
		about = nil // an event for the bot alone
	}
	in.world.emit(event{name: "INTERACTION_CREATE", guild: about, only: in.bot.id, render: func(viewer) any { return in.wire(c, m) }})
}

// keeperOf returns the interaction of which a message is a private answer, or nil.
func (w *world) keeperOf(message graph.MessageID) *interaction {
	for _, in := range w.interactions {
		if in.private.find(message) != nil {
			return in
		}
	}
	return nil
}

// wire returns in as INTERACTION_CREATE carries it.
func (in *interaction) wire(c *channel, m *Message) any {
	who := in.world.users[in.Who]
	fields := object{
		"id": in.ID, "application_id": in.bot.application, "type": in.Kind, "token": in.Token, "version": 1,
		"channel_id": c.id, "channel": wireChannelOf(c), "data": in.data, "context": contextOf(c, in.bot),
		"locale": locale(who.locale), "app_permissions": c.permissions(in.bot.id), "entitlements": []any{},
		"authorizing_integration_owners": in.owners(c), "attachment_size_limit": maxUpload,
	}
	if m != nil {
		fields["message"] = rendering{c.world, viewer{bot: in.bot, content: true}}.message(c, m)
	}
	if c.guild == nil {
		fields["user"] = wireUserOf(who)
		return fields
	}
	fields["guild_id"], fields["guild_locale"] = c.guild.id, locale(c.guild.locale)
	fields["guild"] = object{"id": c.guild.id, "locale": locale(c.guild.locale), "features": []any{}}
	member := wireMemberOf(c.guild.member(in.Who))
	member["permissions"] = c.permissions(in.Who)
	fields["member"] = member
	return fields
}

// locale returns a language, en-US if none is set.
func locale(set string) string { return cmp.Or(set, "en-US") }

// owners returns for whom the application is installed, by the kind of installation.
func (in *interaction) owners(c *channel) object {
	switch {
	case in.installed == InstalledUser:
		return object{"1": in.Who}
	case c.guild != nil:
		return object{"0": c.guild.id}
	}
	return object{"0": "0"}
}

// Find returns an interaction with its answers so far. It reports false if the
// interaction is unknown or its token has expired.
func (i *Interactions) Find(id InteractionID) (Interaction, bool) {
	i.world.mu.RLock()
	defer i.world.mu.RUnlock()
	return i.world.interaction(id)
}

// interaction returns a copy of an interaction, without public answers that are deleted or are
// still loading.
func (w *world) interaction(id InteractionID) (Interaction, bool) {
	for _, in := range w.interactions {
		if in.ID != id {
			continue
		}
		found := in.Interaction
		found.Public = slices.DeleteFunc(slices.Clone(in.public), func(id graph.MessageID) bool {
			m := w.channels[in.Channel].messages.find(id)
			return m == nil || m.Flags&FlagLoading != 0
		})
		for _, m := range in.private {
			found.Private = append(found.Private, *m)
		}
		return found, true
	}
	return Interaction{}, false
}

// Await waits until an interaction fits, and returns it.
func (i *Interactions) Await(ctx context.Context, id InteractionID, fits func(Interaction) bool) (Interaction, error) {
	var found Interaction
	err := i.world.mu.Await(ctx, func() bool {
		in, known := i.world.interaction(id)
		if known {
			found = in
		}
		return known && fits(in)
	}, func() string {
		return fmt.Sprintf("interaction %d, which has an answer of type %d, %d private messages and %d public ones", id, found.Answered, len(found.Private), len(found.Public))
	})
	return found, err
}
