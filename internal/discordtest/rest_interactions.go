package discordtest

import (
	"encoding/json"
	"net/http"
	"slices"

	"heddle/graph"
)

// open says whether a route needs no token of a bot. Those of interactions carry a
// secret of their own, and count towards no global limit.
func open(route string) bool {
	switch route {
	case RouteGateway, RouteAnswer, RouteFollowUp, RouteFollowUpMessage, RouteEditFollowUp, RouteDeleteFollowUp:
		return true
	}
	return false
}

// answerInteraction takes the first answer to an interaction.
func (s *Server) answerInteraction(c *call) (any, error) {
	var body answerBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	made, changed, files, err := s.answerData(c, &body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.world.interactions[c.request.PathValue("token")]
	within := s.options.AnswerWithin
	if within == 0 {
		within = answerWithin
	}
	if in == nil || in.ID != InteractionID(c.id("interaction")) || in.Answered == 0 && s.clock().Sub(in.at) > within {
		return nil, errUnknownInteraction()
	}
	if in.Answered != 0 {
		return nil, errBadRequest(40060, "Interaction has already been acknowledged.")
	}
	ch := s.world.channels[in.Channel]
	if ch == nil {
		return nil, errUnknownChannel()
	}
	m, err := s.answerLocked(in, ch, body.Type, made, changed, files)
	if err != nil {
		return nil, err
	}
	in.Answered = body.Type
	s.wakeLocked()
	if with := c.record.Query.Get("with_response"); with != "true" && with != "1" {
		return noContent{}, nil
	}
	return s.wireAnswerLocked(in, ch, m), nil
}

// answerData reads what goes with an answer: a new message or a change of one.
func (s *Server) answerData(c *call, body *answerBody) (made *createBody, changed *editBody, files []Attachment, err error) {
	made, changed = &createBody{}, &editBody{}
	var into any
	var said *attachmentsBody
	switch body.Type {
	case AnswerMessage, AnswerMessageLater:
		into, said = made, &made.attachmentsBody
	case AnswerUpdateLater, AnswerUpdateMessage:
		into, said = changed, &changed.attachmentsBody
	default:
		return nil, nil, nil, errForm("type", "BASE_TYPE_CHOICES", "Value must be one of (4, 5, 6, 7).")
	}
	if !isNull(body.Data) && json.Unmarshal(body.Data, into) != nil {
		return nil, nil, nil, errBadJSON()
	}
	return made, changed, s.uploaded(c.body, said.Attachments), nil
}

func (s *Server) answerLocked(in *interaction, ch *channel, kind int, made *createBody, changed *editBody, files []Attachment) (*Message, error) {
	switch kind {
	case AnswerMessage, AnswerMessageLater:
		flags := 0
		if kind == AnswerMessageLater {
			flags = FlagLoading
		}
		m, err := s.replyLocked(in, ch, made, files, flags)
		if err == nil {
			in.original = m.ID
		}
		return m, err
	case AnswerUpdateMessage:
		held := ch.messages.find(in.Message)
		if held == nil {
			return nil, errUnknownMessage()
		}
		return s.changeLocked(in, ch, held, changed, files)
	}
	return nil, nil //nolint:nilnil // an update that comes later changes nothing yet
}

func (s *Server) wireAnswerLocked(in *interaction, ch *channel, m *Message) any {
	about := map[string]any{"id": in.ID, "type": 3}
	resource := map[string]any{"type": in.Answered}
	if m != nil {
		about["response_message_id"] = m.ID
		about["response_message_loading"] = m.Flags&FlagLoading != 0
		about["response_message_ephemeral"] = m.Flags&FlagEphemeral != 0
		if in.Answered == AnswerMessage || in.Answered == AnswerUpdateMessage {
			resource["message"] = s.wireMessageLocked(ch, m, restViewer(in.bot))
		}
	}
	return map[string]any{"interaction": about, "resource": resource}
}

// hookLocked is the interaction whose token a request's path names, once it was
// answered.
func (s *Server) hookLocked(c *call) (*interaction, *channel, error) {
	in := s.world.interactions[c.request.PathValue("token")]
	switch {
	case in == nil || in.bot.application != graph.UserID(c.id("application")), in.Answered == 0:
		return nil, nil, errUnknownWebhook()
	case s.clock().Sub(in.at) > tokenLife:
		return nil, nil, &apiError{status: http.StatusUnauthorized, code: 50027, message: "Invalid Webhook Token"}
	}
	ch := s.world.channels[in.Channel]
	if ch == nil {
		return nil, nil, errUnknownChannel()
	}
	return in, ch, nil
}

// hookMessageLocked is the message of an interaction that a request's path names.
func (s *Server) hookMessageLocked(c *call) (*interaction, *channel, *Message, error) {
	in, ch, err := s.hookLocked(c)
	if err != nil {
		return nil, nil, nil, err
	}
	id := graph.MessageID(c.id("message"))
	switch {
	case c.request.PathValue("message") != "@original":
		if !slices.Contains(in.public, id) && in.private.find(id) == nil {
			return nil, nil, nil, errUnknownMessage()
		}
	case in.original != 0:
		id = in.original
	default:
		id = in.Message
	}
	if m := in.private.find(id); m != nil {
		return in, ch, m, nil
	}
	if m := ch.messages.find(id); m != nil {
		return in, ch, m, nil
	}
	return nil, nil, nil, errUnknownMessage()
}

func (s *Server) getFollowUp(c *call) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in, ch, m, err := s.hookMessageLocked(c)
	if err != nil {
		return nil, err
	}
	return s.wireMessageLocked(ch, m, restViewer(in.bot)), nil
}

func (s *Server) editFollowUp(c *call) (any, error) {
	var body editBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	files := s.uploaded(c.body, body.Attachments)
	s.mu.Lock()
	defer s.mu.Unlock()
	in, ch, held, err := s.hookMessageLocked(c)
	if err != nil {
		return nil, err
	}
	m, err := s.changeLocked(in, ch, held, &body, files)
	if err != nil {
		return nil, err
	}
	return s.wireMessageLocked(ch, m, restViewer(in.bot)), nil
}

func (s *Server) deleteFollowUp(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, ch, m, err := s.hookMessageLocked(c)
	if err != nil {
		return nil, err
	}
	if i, private := in.private.search(m.ID); private {
		in.private = slices.Delete(slices.Clone(in.private), i, i+1)
		s.wakeLocked()
		return noContent{}, nil
	}
	s.deleteLocked(ch, m.ID)
	return noContent{}, nil
}

// followUp makes one more message. Where the first answer was to come later, this
// is it, and keeps who may see it.
func (s *Server) followUp(c *call) (any, error) {
	var body createBody
	var change editBody
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	if err := c.body.decode(&change); err != nil {
		return nil, err
	}
	files := s.uploaded(c.body, body.Attachments)
	s.mu.Lock()
	defer s.mu.Unlock()
	in, ch, err := s.hookLocked(c)
	if err != nil {
		return nil, err
	}
	var m *Message
	if held := s.loadingLocked(in, ch); held != nil {
		change.Flags = nil
		m, err = s.changeLocked(in, ch, held, &change, files)
	} else {
		m, err = s.replyLocked(in, ch, &body, files, 0)
	}
	if err != nil {
		return nil, err
	}
	return s.wireMessageLocked(ch, m, restViewer(in.bot)), nil
}

// loadingLocked is the message that was promised and did not come yet; nil for none.
func (s *Server) loadingLocked(in *interaction, ch *channel) *Message {
	m := in.private.find(in.original)
	if m == nil {
		m = ch.messages.find(in.original)
	}
	if m == nil || m.Flags&FlagLoading == 0 {
		return nil
	}
	return m
}
