package e2e_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// answer waits for the finished text of heddle's answer to a trigger and returns the
// message. The answer may not be stored yet: see settled.
func (s *screen) answer(channel graph.ChannelID, trigger graph.MessageID, text string) discordtest.Message {
	s.t.Helper()
	return s.answerThat(channel, trigger, text, func(m discordtest.Message) bool { return !growing(m) })
}

// begun waits until the first part of a growing answer contains a text, and returns it.
func (s *screen) begun(channel graph.ChannelID, trigger graph.MessageID, text string) discordtest.Message {
	s.t.Helper()
	return s.answerThat(channel, trigger, text, growing)
}

func (s *screen) answerThat(channel graph.ChannelID, trigger graph.MessageID, text string, is func(discordtest.Message) bool) discordtest.Message {
	s.t.Helper()
	return s.posted(channel, fmt.Sprintf("answer %q to %s", text, trigger), func(m discordtest.Message) bool {
		return m.Reference != nil && m.Reference.Message == trigger && strings.Contains(m.Content, text) && is(m)
	})
}

// posted waits until a message of heddle's is as wanted, and returns it.
func (s *screen) posted(channel graph.ChannelID, want string, is func(discordtest.Message) bool) discordtest.Message {
	s.t.Helper()
	m, err := s.discord.Chat.AwaitMessage(s.ctx, channel, func(m discordtest.Message) bool { return m.Author == s.heddle.User && is(m) })
	if err != nil {
		s.t.Fatalf("heddle's messages are %q, want %s: %v", s.partsOf(channel, 0), want, err)
	}
	return m
}

// growing reports whether a message is still growing. Such a message ends with the
// indicator, or with a notice of what heddle is doing.
func growing(m discordtest.Message) bool {
	return strings.HasSuffix(m.Content, reply.Indicator) || strings.HasSuffix(m.Content, " …")
}

// says waits for a message of heddle that contains text, such as the end of an answer
// in several parts, and returns it.
func (s *screen) says(channel graph.ChannelID, text string) discordtest.Message {
	s.t.Helper()
	return s.posted(channel, strconv.Quote(text), func(m discordtest.Message) bool { return strings.Contains(m.Content, text) && !growing(m) })
}

// wholeAnswer waits until the answer to a trigger reads exactly as wanted, and fails
// the test unless it is the only one.
func (s *screen) wholeAnswer(trigger graph.MessageID, want string) {
	s.t.Helper()
	s.answer(s.channel, trigger, want)
	answers := s.answersOf(s.channel)[trigger]
	if len(answers) != 1 || answers[0].Content != want {
		s.t.Errorf("%d answers, the first of which reads %q, want one that reads %q", len(answers), answers[0].Content, want)
	}
}

// noAnswer fails the test if a message is answered.
func (s *screen) noAnswer(channel graph.ChannelID, trigger graph.MessageID) {
	s.t.Helper()
	s.same("answers to "+trigger.String(), len(s.answersOf(channel)[trigger]), 0)
}

// stands fails the test unless a message stands.
func (s *screen) stands(m discordtest.Message) {
	s.t.Helper()
	now, _ := s.discord.Chat.Message(m.Channel, m.ID)
	s.same("the message that stands: "+m.Content, now.ID, m.ID)
}

// isDeleted fails the test if a message stands.
func (s *screen) isDeleted(m discordtest.Message) {
	s.t.Helper()
	now, _ := s.discord.Chat.Message(m.Channel, m.ID)
	s.same("what stands of the message: "+m.Content, now.ID, graph.MessageID(0))
}

// answersOf returns heddle's messages in a channel, by what they reply to.
func (s *screen) answersOf(channel graph.ChannelID) map[graph.MessageID][]discordtest.Message {
	answers := make(map[graph.MessageID][]discordtest.Message)
	for _, m := range s.discord.Chat.Messages(channel) {
		if m.Author != s.heddle.User {
			continue
		}
		var to graph.MessageID
		if m.Reference != nil {
			to = m.Reference.Message
		}
		answers[to] = append(answers[to], m)
	}
	return answers
}

// own returns the number of messages by heddle in the scene's channel.
func (s *screen) own() int {
	return len(s.partsOf(s.channel, 0))
}

// hasSaid fails the test unless heddle has this many messages in the scene's channel.
func (s *screen) hasSaid(messages int) {
	s.t.Helper()
	s.same("messages of heddle's", s.own(), messages)
}

// oneEach fails the test if anything in a channel is answered twice.
func (s *screen) oneEach(channel graph.ChannelID) {
	s.t.Helper()
	for trigger, answers := range s.answersOf(channel) {
		s.same("answers to "+trigger.String(), len(answers), 1)
	}
}

// reads asks heddle something and returns the number of REST reads that the answer took.
// It does not count a look whether the question still stands, which only an answer that
// took more than five seconds costs.
func (p *people) reads(channel graph.ChannelID, draft discordtest.Draft) int {
	p.t.Helper()
	before := len(p.discord.Record.Requests(nil))
	draft.Content = p.mention(cmp.Or(draft.Content, "what of it?")) // a mention without words would be a catch-up
	trigger := p.postIn(channel, p.ann, draft)
	p.posted(channel, "an answer", func(m discordtest.Message) bool { return m.ID > trigger }) // no reply where the history is denied
	reads := discordtest.On(discordtest.RouteMessages, discordtest.RouteMessage, discordtest.RouteChannel)
	count := 0
	for _, r := range p.discord.Record.Requests(nil)[before:] {
		if reads(r) && !strings.HasSuffix(r.Path, "/messages/"+trigger.String()) {
			count++
		}
	}
	return count
}

// row holds the labels of the buttons below every answer.
const row = "Why? ↻ ⋯"

// labels returns the labels of the buttons below a message, those of disabled buttons
// in brackets.
func labels(m discordtest.Message) string {
	var all []string
	for _, b := range m.Buttons() {
		label := b.Label
		if b.Disabled {
			label = "(" + label + ")"
		}
		all = append(all, label)
	}
	return strings.Join(all, " ")
}

// standsIn waits until a message has this text and these buttons.
func (s *screen) standsIn(m discordtest.Message, text, buttons string) discordtest.Message {
	s.t.Helper()
	return s.standsLike(m, regexp.MustCompile("^"+regexp.QuoteMeta(text)+"$"), buttons)
}

// standsLike is standsIn for a text that may read in several ways.
func (s *screen) standsLike(m discordtest.Message, text *regexp.Regexp, buttons string) discordtest.Message {
	s.t.Helper()
	found, err := s.discord.Chat.AwaitMessage(s.ctx, m.Channel, func(now discordtest.Message) bool {
		return now.ID == m.ID && text.MatchString(now.Content) && labels(now) == buttons
	})
	if err != nil {
		now, _ := s.discord.Chat.Message(m.Channel, m.ID)
		s.t.Fatalf("message %s reads %q with %q, want %q with %q: %v", m.ID, now.Content, labels(now), text, buttons, err)
	}
	return found
}

// standsAs waits until heddle's messages in the scene's channel, beginning with one,
// read as a text together, with buttons below the last alone. It returns the last.
func (s *screen) standsAs(from graph.MessageID, want, buttons string) discordtest.Message {
	s.t.Helper()
	return s.standsInParts(s.channel, from, want, buttons)
}

func (s *screen) standsInParts(channel graph.ChannelID, from graph.MessageID, want, buttons string) discordtest.Message {
	s.t.Helper()
	var last discordtest.Message
	stands := func() bool {
		var text []string
		below := ""
		for _, m := range s.discord.Chat.Messages(channel) {
			if m.Author != s.heddle.User || m.ID < from {
				continue
			}
			if below != "" {
				return false
			}
			text, below, last = append(text, m.Content), labels(m), m
		}
		return strings.Join(text, "\n") == want && below == buttons
	}
	s.until(fmt.Sprintf("%.300q with %q in %s", want, buttons, channel), stands)
	return last
}

// until waits until something holds of what stands on Discord.
func (s *screen) until(what string, holds func() bool) {
	s.t.Helper()
	watcher := s.discord.Chat.Watch()
	defer watcher.Close()
	for !holds() {
		if _, err := watcher.Next(s.ctx); err != nil {
			s.t.Fatalf("heddle's messages are %.2000q, want %s: %v", s.partsOf(s.channel, 0), what, err)
		}
	}
}

// partsOf returns the texts of heddle's messages in a channel, beginning with one.
func (s *screen) partsOf(channel graph.ChannelID, from graph.MessageID) (texts []string) {
	for _, m := range s.discord.Chat.Messages(channel) {
		if m.Author == s.heddle.User && m.ID >= from {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// ephemeral waits until the person who pressed gets an ephemeral reply with text.
func (c *commands) ephemeral(id discordtest.InteractionID, text string) {
	c.t.Helper()
	c.responded(id, strconv.Quote(text)+" alone", func(in discordtest.Interaction) bool {
		return len(in.Private) == 1 && strings.Contains(in.Private[0].Content, text)
	})
}

// responded waits until the response to an interaction is as wanted, and returns it.
func (c *commands) responded(id discordtest.InteractionID, want string, is func(discordtest.Interaction) bool) discordtest.Interaction {
	c.t.Helper()
	in, err := c.discord.Interactions.Await(c.ctx, id, is)
	if err != nil {
		c.t.Fatalf("the response is %+v, want %s: %v", in, want, err)
	}
	return in
}

// joked has a question answered twice, and returns it and the second answer.
func (s *scene) joked() (question graph.MessageID, second discordtest.Message) {
	s.t.Helper()
	return s.jokedIn(s.channel)
}

func (s *scene) jokedIn(channel graph.ChannelID) (question graph.MessageID, second discordtest.Message) {
	s.t.Helper()
	s.model.Queue(openaitest.Answer("A joke about warps."), openaitest.Answer("A joke about wefts."))
	question = s.askIn(channel, s.ann, "a joke?")
	first := s.answer(channel, question, "A joke about warps.")
	second = s.answer(channel, s.postIn(channel, s.ann, discordtest.Draft{Content: "again!", ReplyTo: first.ID}), "A joke about wefts.")
	s.standsIn(first, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	return question, s.standsIn(second, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}
