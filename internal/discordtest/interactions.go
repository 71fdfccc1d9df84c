package discordtest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"heddle/graph"
)

// How long Discord waits for the first answer to an interaction, and how long its
// token may be used afterwards.
const (
	answerWithin = 3 * time.Second
	tokenLife    = 15 * time.Minute
)

// The types of answers to an interaction.
const (
	AnswerMessage       = 4
	AnswerMessageLater  = 5 // people see that something is coming
	AnswerUpdateLater   = 6 // people see nothing
	AnswerUpdateMessage = 7
)

// InteractionID is an interaction's id.
type InteractionID = graph.ID[interactionKind]

type interactionKind struct{}

// Interaction is what became of a press of a button.
type Interaction struct {
	ID       InteractionID
	Channel  graph.ChannelID
	Message  graph.MessageID // that held the button
	Who      graph.UserID    // pressed it
	CustomID string
	Token    string    // answers go by it
	Answered int       // the first answer's type; 0 while there is none
	Private  []Message // what only Who sees of the answers, in their newest versions
}

// interaction is one from the press to the end of its token.
type interaction struct {
	Interaction

	bot      *bot
	at       time.Time
	original graph.MessageID   // the message that the first answer made; zero if it made none
	public   []graph.MessageID // made by answers, for everybody to see
	private  messageLog
}

// ErrPress is returned where a person cannot press a button.
var ErrPress = errors.New("discordtest: no such button to press")

// Press presses a button as a person. The bot whose message holds it is told by
// INTERACTION_CREATE. It fails with ErrPress where Discord's clients offer that
// person no such button.
func (s *Server) Press(id graph.ChannelID, message graph.MessageID, who graph.UserID, customID string) (InteractionID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.channels[id]
	if c == nil || c.permissions(who)&ViewChannel == 0 {
		return 0, fmt.Errorf("press in channel %s: %w", id, ErrPress)
	}
	m := c.messages.find(message)
	if m == nil {
		return 0, fmt.Errorf("press on message %s: %w", message, ErrPress)
	}
	author := s.world.users[m.Author]
	pressable := func(b Button) bool { return b.CustomID == customID && !b.Disabled }
	if author == nil || author.bot == nil || customID == "" || !slices.ContainsFunc(m.Buttons(), pressable) {
		return 0, fmt.Errorf("press %q on message %s: %w", customID, message, ErrPress)
	}
	in := &interaction{bot: author.bot, at: s.clock()}
	in.Interaction = Interaction{ID: InteractionID(s.nextID()), Channel: id, Message: message, Who: who, CustomID: customID}
	in.Token = s.interactionToken(in.ID)
	maps.DeleteFunc(s.world.interactions, func(_ string, old *interaction) bool { return s.clock().Sub(old.at) > tokenLife })
	s.world.interactions[in.Token] = in
	s.dispatchLocked(event{name: "INTERACTION_CREATE", guild: c.guild, only: in.bot, render: func(viewer) any {
		return s.wireInteractionLocked(in, c, m)
	}})
	return in.ID, nil
}

// interactionToken is of about the length of Discord's, and as unguessable as a
// test needs.
func (s *Server) interactionToken(id InteractionID) string {
	mac := hmac.New(sha256.New, s.secret)
	_, _ = mac.Write([]byte("interaction " + id.String()))
	return "aW50ZXJhY3Rpb246" + base64.RawURLEncoding.EncodeToString(mac.Sum([]byte(id.String()+":")))
}

func (s *Server) wireInteractionLocked(in *interaction, c *channel, m *Message) any {
	fields := map[string]any{
		"id": in.ID, "application_id": in.bot.application, "type": 3, "token": in.Token, "version": 1,
		"channel_id": c.id, "channel": wireChannelOf(c), "message": s.wireMessageLocked(c, m, viewer{bot: in.bot, content: true}),
		"data":   map[string]any{"custom_id": in.CustomID, "component_type": componentButton},
		"locale": "en-US", "app_permissions": c.permissions(in.bot.id), "entitlements": []any{},
		"authorizing_integration_owners": map[string]any{}, "attachment_size_limit": maxUpload,
	}
	if c.guild == nil {
		fields["user"], fields["context"] = wireUserOf(s.world.users[in.Who]), 1
		return fields
	}
	fields["context"], fields["guild_id"], fields["guild_locale"] = 0, c.guild.id, "en-US"
	fields["guild"] = map[string]any{"id": c.guild.id, "locale": "en-US", "features": []any{}}
	fields["member"] = struct {
		wireMember
		Permissions Permission `json:"permissions"`
	}{s.wireMember(c.guild.member(in.Who), true), c.permissions(in.Who)}
	return fields
}

// Interaction tells what became of a press; false if it is not known (any more).
func (s *Server) Interaction(id InteractionID) (Interaction, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.interactionLocked(id)
}

func (s *Server) interactionLocked(id InteractionID) (Interaction, bool) {
	for _, in := range s.world.interactions {
		if in.ID != id {
			continue
		}
		told := in.Interaction
		for _, m := range in.private {
			told.Private = append(told.Private, *m)
		}
		return told, true
	}
	return Interaction{}, false
}

// AwaitInteraction waits until what became of a press fits.
func (s *Server) AwaitInteraction(ctx context.Context, id InteractionID, fits func(Interaction) bool) (Interaction, error) {
	var found Interaction
	err := s.await(ctx, "an interaction", func() bool {
		told, ok := s.interactionLocked(id)
		if ok {
			found = told
		}
		return ok && fits(told)
	})
	return found, err
}

// replyLocked puts a message that answers an interaction where it belongs.
func (s *Server) replyLocked(in *interaction, c *channel, body *createBody, files []Attachment, flags int) (*Message, error) {
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	m := &Message{
		ID: graph.MessageID(s.nextID()), Channel: c.id, Author: in.bot.id, Type: TypeReply, Reference: c.referenceTo(in.Message),
		Flags: flags | body.Flags&(settableFlags|FlagEphemeral), Attachments: files,
	}
	if flags&FlagLoading == 0 {
		p := body.parts(len(files))
		if err := errors.Join(p.validate(), validateComponents(p.components, p.flags)); err != nil {
			return nil, err
		}
		m.Content = p.content
		body.setMore(m)
	}
	if m.Flags&FlagEphemeral != 0 {
		s.whisperLocked(in, c, m, "MESSAGE_CREATE")
		return m, nil
	}
	s.mentionLocked(c, m, allowed)
	in.public = append(in.public, m.ID)
	s.storeLocked(c, m)
	return m, nil
}

// whisperLocked puts a message that only one person sees where that person and the
// bot find it. Its event has no guild, as on Discord.
func (s *Server) whisperLocked(in *interaction, c *channel, m *Message, name string) {
	if i, found := in.private.search(m.ID); found {
		in.private[i] = m
	} else {
		in.private = append(in.private, m)
	}
	s.dispatchLocked(event{name: name, only: in.bot, render: func(v viewer) any {
		return s.wireMessageLocked(c, m, viewer{bot: v.bot, content: true})
	}})
	s.happenedLocked(Happening{Kind: Private, Channel: c.id, Message: *m, To: in.Who})
}

// changeLocked makes another version of a message that an answer may change.
func (s *Server) changeLocked(in *interaction, c *channel, held *Message, body *editBody, files []Attachment) (*Message, error) {
	allowed, err := parseAllowed(body.Allowed)
	if err != nil {
		return nil, err
	}
	m := *held
	m.Flags &^= FlagLoading
	if err := body.apply(&m, files); err != nil {
		return nil, err
	}
	m.Edited = s.clock()
	if m.Flags&FlagEphemeral != 0 {
		s.whisperLocked(in, c, &m, "MESSAGE_UPDATE")
		return &m, nil
	}
	s.mentionLocked(c, &m, allowed)
	s.replaceLocked(c, &m)
	return &m, nil
}

// answerBody is the first answer to an interaction.
type answerBody struct {
	Type int             `json:"type"`
	Data json.RawMessage `json:"data"`
}
