package e2e_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// said creates a past conversation of lines "ann: text", each apart from the one
// before.
func (s *scene) said(apart time.Duration, lines ...string) []graph.MessageID {
	s.t.Helper()
	drafts := make([]discordtest.Draft, len(lines))
	for i, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		at := time.Now().Add(-time.Duration(len(lines)-i) * apart)
		drafts[i] = discordtest.Draft{Author: s.person(name), Content: text, At: at}
	}
	ids, err := s.discord.Chat.Backfill(s.channel, drafts)
	if err != nil {
		s.t.Fatal(err)
	}
	return ids
}

// post posts a message in the scene's channel.
func (s *scene) post(author graph.UserID, draft discordtest.Draft) graph.MessageID {
	s.t.Helper()
	return s.postIn(s.channel, author, draft)
}

func (s *scene) postIn(channel graph.ChannelID, author graph.UserID, draft discordtest.Draft) graph.MessageID {
	s.t.Helper()
	id, err := s.discord.Chat.Post(channel, author, draft)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// mention returns a text that mentions heddle.
func (s *scene) mention(text string) string { return "<@" + s.heddle.User.String() + "> " + text }

func (s *scene) edit(id graph.MessageID, text string) {
	s.t.Helper()
	if err := s.discord.Chat.Edit(s.channel, id, text); err != nil {
		s.t.Fatal(err)
	}
}

// thread creates an empty thread.
func (s *scene) thread(name string) graph.ChannelID {
	s.t.Helper()
	id, err := s.discord.World.AddThread(s.channel, s.ann, discordtest.ThreadDraft{Name: name})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// together has one person ask the same question in n fresh threads at once, and waits
// for all answers.
func (s *scene) together(n int, question, answer string) (in []graph.ChannelID) {
	s.t.Helper()
	in, triggers := make([]graph.ChannelID, n), make([]graph.MessageID, n)
	for i := range n {
		in[i] = s.thread("at once")
	}
	for i := range n {
		triggers[i] = s.postIn(in[i], s.ann, discordtest.Draft{Content: s.mention(question)})
	}
	for i := range n {
		s.answer(in[i], triggers[i], answer)
	}
	return in
}

// asks has Ann ask a question and waits for the whole answer.
func (s *scene) asks(question, want string) {
	s.t.Helper()
	s.model.Queue(openaitest.Answer(want))
	s.wholeAnswer(s.post(s.ann, discordtest.Draft{Content: s.mention(question)}), want)
}

// press presses the button with a label.
func (s *scene) press(who graph.UserID, m discordtest.Message, label string) discordtest.InteractionID {
	s.t.Helper()
	for _, b := range m.Buttons() {
		if b.Label != label {
			continue
		}
		id, err := s.discord.Interactions.Press(m.Channel, m.ID, who, b.CustomID)
		if err != nil {
			s.t.Fatal(err)
		}
		return id
	}
	s.t.Fatalf("message %s has no button %q but %q", m.ID, label, labels(m))
	return 0
}

// reacts adds reactions to a message, and removes those whose emoji begins with a minus.
func (s *scene) reacts(channel graph.ChannelID, message graph.MessageID, who graph.UserID, emojis ...string) {
	s.t.Helper()
	for _, emoji := range emojis {
		do := s.discord.Chat.React
		if back, gone := strings.CutPrefix(emoji, "-"); gone {
			do, emoji = s.discord.Chat.Unreact, back
		}
		if err := do(channel, message, who, emoji); err != nil {
			s.t.Fatal(err)
		}
	}
}

// heard waits until heddle has received all earlier events of a channel, by asking it
// another question there.
func (s *scene) heard(channel graph.ChannelID, answer string) {
	s.t.Helper()
	s.answer(channel, s.postIn(channel, s.ann, discordtest.Draft{Content: s.mention("and then?")}), answer)
}

// follow posts a long reply to a message of heddle and waits for the answer.
func (s *scene) follow(n int, after discordtest.Message) discordtest.Message {
	s.t.Helper()
	text := fmt.Sprintf("fact %d: %s", n, strings.Repeat(fmt.Sprintf("thread %d is fine ", n), 12))
	draft := discordtest.Draft{Content: s.mention(text)}
	if after.ID != 0 {
		draft.ReplyTo = after.ID
	}
	return s.answer(s.channel, s.post(s.ann, draft), "Noted.")
}

func file(name, kind string, data []byte) []discordtest.Attachment {
	return []discordtest.Attachment{{Name: name, Type: kind, Data: data}}
}

// picture returns a PNG with sides of so many pixels.
func picture(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// long returns a text that fills so many messages.
func long(word string, messages int) string {
	line := strings.TrimSpace(strings.Repeat(word+" ", 18)) + "\n"
	return strings.TrimSpace(strings.Repeat(line, (1900*messages-900)/len(line)))
}
