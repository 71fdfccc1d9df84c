package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"heddle/graph"
)

// Poll is a poll on a message. Like the message it never changes: a vote stores another version.
type Poll struct {
	Question string
	Answers  []PollAnswer // at most ten; their ids count from 1
	Multiple bool         // people may choose several answers
	// Ends is when the poll ends by itself; a day after it was sent if it is zero.
	Ends time.Time
	// Ended is set once nobody can vote any more.
	Ended bool
}

// PollAnswer is one answer of a poll.
type PollAnswer struct {
	Text   string
	Emoji  string         // of Unicode; empty for none
	Voters []graph.UserID // in the order in which they voted
}

// Discord's limits on polls.
const (
	longestQuestion = 300 // characters
	longestAnswer   = 55
	mostAnswers     = 10
	pollLife        = 24 * time.Hour // if no duration is given
	longestPoll     = 32 * 24        // hours
)

func errPollEdit() *apiError    { return errBadRequest(520003, "Cannot edit a poll message") }
func errPollExpired() *apiError { return errBadRequest(520001, "Poll expired") }
func errNoPoll() *apiError      { return errBadRequest(520006, "Cannot expire a non-poll message") }

// pollBody is a poll as a request makes it.
type pollBody struct {
	Question struct {
		Text string `json:"text"`
	} `json:"question"`
	Answers []struct {
		Media struct {
			Text  string `json:"text"`
			Emoji struct {
				Name string `json:"name"`
			} `json:"emoji"`
		} `json:"poll_media"`
	} `json:"answers"`
	Duration int  `json:"duration"` // hours
	Multiple bool `json:"allow_multiselect"`
}

// poll returns the poll that a request makes.
func (b *pollBody) poll(now time.Time) (*Poll, error) {
	if b.Duration < 0 || b.Duration > longestPoll {
		return nil, errForm("poll", "NUMBER_TYPE_MAX", "int value should be less than or equal to 768.")
	}
	p := &Poll{Question: b.Question.Text, Multiple: b.Multiple}
	if b.Duration > 0 {
		p.Ends = now.Add(time.Duration(b.Duration) * time.Hour)
	}
	for _, a := range b.Answers {
		p.Answers = append(p.Answers, PollAnswer{Text: a.Media.Text, Emoji: a.Media.Emoji.Name})
	}
	return p, p.validate()
}

// validate returns an error if a poll is too long, or has no question or answers.
func (p *Poll) validate() error {
	long := func(text string, most int) bool { return text == "" || utf8.RuneCountInString(text) > most }
	if long(p.Question, longestQuestion) || len(p.Answers) < 1 || len(p.Answers) > mostAnswers ||
		slices.ContainsFunc(p.Answers, func(a PollAnswer) bool { return long(a.Text, longestAnswer) }) {
		return errForm("poll", "BASE_TYPE_BAD_LENGTH", "A poll has a question of 300 characters and up to 10 answers of 55.")
	}
	return nil
}

// begun returns a copy of a poll that is sent now.
func (p *Poll) begun(now time.Time) *Poll {
	if p == nil {
		return nil
	}
	begun := *p
	if begun.Ends.IsZero() {
		begun.Ends = now.Add(pollLife)
	}
	return &begun
}

// wirePoll returns a poll as a viewer gets it. The event of a new message has no results.
func wirePoll(p *Poll, v viewer) object {
	answers, counts := []object{}, []object{}
	for i, a := range p.Answers {
		media := object{"text": a.Text}
		if a.Emoji != "" {
			media["emoji"] = object{"id": nil, "name": a.Emoji}
		}
		answers = append(answers, object{"answer_id": i + 1, "poll_media": media})
		if len(a.Voters) > 0 {
			mine := v.bot != nil && slices.Contains(a.Voters, v.bot.id)
			counts = append(counts, object{"id": i + 1, "count": len(a.Voters), "me_voted": mine})
		}
	}
	w := object{
		"question": object{"text": p.Question}, "answers": answers, "expiry": wireTime(p.Ends),
		"allow_multiselect": p.Multiple, "layout_type": 1,
	}
	if !v.fresh || !v.gateway {
		w["results"] = object{"is_finalized": p.Ended, "answer_counts": counts}
	}
	return w
}

// Vote has a person choose an answer of a poll, which counts from 1. In a poll with one choice it
// replaces their earlier one. Bots with the intent get MESSAGE_POLL_VOTE_ADD.
func (t *Chat) Vote(id graph.ChannelID, message graph.MessageID, who graph.UserID, answer int) error {
	return t.with(id, message, func(c *channel, m *Message) error {
		if m.Poll == nil || !m.Poll.Multiple {
			if err := c.vote(m, who, 0); err != nil {
				return err
			}
		}
		return c.vote(c.messages.find(message), who, answer)
	})
}

// Unvote takes back all that a person chose in a poll. Bots with the intent get
// MESSAGE_POLL_VOTE_REMOVE.
func (t *Chat) Unvote(id graph.ChannelID, message graph.MessageID, who graph.UserID) error {
	return t.with(id, message, func(c *channel, m *Message) error { return c.vote(m, who, 0) })
}

// vote stores a version of a poll with one more vote, or without those of a person if answer is 0.
func (c *channel) vote(m *Message, who graph.UserID, answer int) error {
	switch u := c.world.users[who]; {
	case m.Poll == nil || answer < 0 || answer > len(m.Poll.Answers):
		return fmt.Errorf("answer %d: %w", answer, errNoPoll())
	case m.Poll.Ended:
		return errPollExpired()
	case u == nil || u.bot != nil:
		return errForbidden(520000, "Poll voting blocked")
	}
	changed, poll := *m, *m.Poll
	poll.Answers, changed.Poll = slices.Clone(poll.Answers), &poll
	c.messages = c.messages.with(&changed)
	for i := range poll.Answers {
		one := &poll.Answers[i]
		voted := slices.Contains(one.Voters, who)
		var name string
		switch {
		case answer == 0 && voted:
			one.Voters = slices.DeleteFunc(slices.Clone(one.Voters), func(v graph.UserID) bool { return v == who })
			name = "MESSAGE_POLL_VOTE_REMOVE"
		case answer == i+1 && !voted:
			one.Voters = appendNew(one.Voters, who)
			name = "MESSAGE_POLL_VOTE_ADD"
		default:
			continue
		}
		body := c.place()
		body["message_id"], body["user_id"], body["answer_id"] = m.ID, who, i+1
		c.world.emit(event{name: name, channel: c, render: func(viewer) any { return body }})
	}
	c.world.happened(Happening{Kind: Reacted, Channel: c.id, Message: changed})
	return nil
}

// EndPoll ends a poll, as time does: the votes are final, and Discord posts the result.
func (t *Chat) EndPoll(id graph.ChannelID, message graph.MessageID) error {
	return t.with(id, message, func(c *channel, m *Message) error {
		_, err := c.endPoll(m)
		return err
	})
}

// endPoll ends a poll and posts its result.
func (c *channel) endPoll(m *Message) (*Message, error) {
	switch {
	case m.Poll == nil:
		return nil, errNoPoll()
	case m.Poll.Ended:
		return nil, errPollExpired()
	}
	changed, poll := *m, *m.Poll
	poll.Ended, poll.Ends, changed.Poll = true, c.world.clock(), &poll
	c.replace(&changed)
	c.add(&Message{
		ID: graph.MessageID(c.world.nextID()), Channel: c.id, Author: m.Author, Type: TypePollResult,
		Reference: c.referenceTo(m.ID), Embeds: poll.result(),
	})
	return &changed, nil
}

// result returns the embed of the message with a poll's result.
func (p *Poll) result() json.RawMessage {
	total, most, winner := 0, 0, 0
	for i, a := range p.Answers {
		total += len(a.Voters)
		switch n := len(a.Voters); {
		case n > most:
			most, winner = n, i+1
		case n == most:
			winner = 0 // a draw
		}
	}
	fields := []object{}
	set := func(name, value string) {
		fields = append(fields, object{"name": name, "value": value, "inline": false})
	}
	set("poll_question_text", p.Question)
	set("victor_answer_votes", strconv.Itoa(most))
	set("total_votes", strconv.Itoa(total))
	if winner > 0 {
		set("victor_answer_id", strconv.Itoa(winner))
		set("victor_answer_text", p.Answers[winner-1].Text)
		if emoji := p.Answers[winner-1].Emoji; emoji != "" {
			set("victor_answer_emoji_name", emoji)
		}
	}
	return mustJSON([]object{{"type": "poll_result", "fields": fields}})
}

// expirePoll ends a poll of the bot's own.
func expirePoll(c *call) (any, error) {
	ch, m, _, err := c.message()
	if err != nil {
		return nil, err
	}
	if m.Author != c.bot.id {
		return nil, errForbidden(50005, "Cannot edit a message authored by another user")
	}
	if m, err = ch.endPoll(m); err != nil {
		return nil, err
	}
	return rendering{c.world, restViewer(c.bot)}.message(ch, m), nil
}

// listVoters returns who chose an answer of a poll.
func listVoters(c *call) (any, error) {
	_, m, _, err := c.message()
	if err != nil {
		return nil, err
	}
	answer := int(c.id("answer")) //nolint:gosec // it is compared with the number of answers
	if m.Poll == nil || answer < 1 || answer > len(m.Poll.Answers) {
		return nil, errUnknownMessage()
	}
	users := []wireUser{}
	for _, id := range m.Poll.Answers[answer-1].Voters {
		users = append(users, wireUserOf(c.world.users[id]))
	}
	return object{"users": users}, nil
}
