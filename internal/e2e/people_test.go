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

// said creates a past conversation of lines such as "ann: text". The time between two
// lines is apart.
func (p *people) said(apart time.Duration, lines ...string) []graph.MessageID {
	p.t.Helper()
	drafts := make([]discordtest.Draft, len(lines))
	for i, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		at := time.Now().Add(-time.Duration(len(lines)-i) * apart)
		drafts[i] = discordtest.Draft{Author: p.person(name), Content: text, At: at}
	}
	ids, err := p.discord.Chat.Backfill(p.channel, drafts)
	if err != nil {
		p.t.Fatal(err)
	}
	return ids
}

// post posts a message in the scene's channel.
func (p *people) post(author graph.UserID, draft discordtest.Draft) graph.MessageID {
	p.t.Helper()
	return p.postIn(p.channel, author, draft)
}

func (p *people) postIn(channel graph.ChannelID, author graph.UserID, draft discordtest.Draft) graph.MessageID {
	p.t.Helper()
	id, err := p.discord.Chat.Post(channel, author, draft)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// mention returns a text that mentions heddle.
func (p *people) mention(text string) string { return "<@" + p.heddle.User.String() + "> " + text }

func (p *people) edit(id graph.MessageID, text string) {
	p.t.Helper()
	if err := p.discord.Chat.Edit(p.channel, id, text); err != nil {
		p.t.Fatal(err)
	}
}

// thread creates an empty thread.
func (p *people) thread(name string) graph.ChannelID {
	p.t.Helper()
	id, err := p.discord.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: name})
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// together has one person ask the same question in n fresh threads at once, and waits
// for all answers.
func (p *people) together(n int, question, answer string) (in []graph.ChannelID) {
	p.t.Helper()
	in, triggers := make([]graph.ChannelID, n), make([]graph.MessageID, n)
	for i := range n {
		in[i] = p.thread("at once")
	}
	for i := range n {
		triggers[i] = p.postIn(in[i], p.ann, discordtest.Draft{Content: p.mention(question)})
	}
	for i := range n {
		p.answer(in[i], triggers[i], answer)
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
func (p *people) press(who graph.UserID, m discordtest.Message, label string) discordtest.InteractionID {
	p.t.Helper()
	for _, b := range m.Buttons() {
		if b.Label != label {
			continue
		}
		id, err := p.discord.Interactions.Press(m.Channel, m.ID, who, b.CustomID)
		if err != nil {
			p.t.Fatal(err)
		}
		return id
	}
	p.t.Fatalf("message %s: want the button %q, there are %q", m.ID, label, labels(m))
	return 0
}

// reacts adds reactions to a message, and removes those whose emoji begins with a minus.
func (p *people) reacts(channel graph.ChannelID, message graph.MessageID, who graph.UserID, emojis ...string) {
	p.t.Helper()
	for _, emoji := range emojis {
		do := p.discord.Chat.React
		if back, gone := strings.CutPrefix(emoji, "-"); gone {
			do, emoji = p.discord.Chat.Unreact, back
		}
		if err := do(channel, message, who, emoji); err != nil {
			p.t.Fatal(err)
		}
	}
}

// heard waits until heddle has received all earlier events of a channel, by asking it
// another question there.
func (p *people) heard(channel graph.ChannelID, answer string) {
	p.t.Helper()
	p.answer(channel, p.postIn(channel, p.ann, discordtest.Draft{Content: p.mention("and then?")}), answer)
}

// follow posts a long reply to a message of heddle and waits for the answer.
func (p *people) follow(n int, after discordtest.Message) discordtest.Message {
	p.t.Helper()
	text := fmt.Sprintf("fact %d: %s", n, strings.Repeat(fmt.Sprintf("thread %d is fine ", n), 12))
	draft := discordtest.Draft{Content: p.mention(text)}
	if after.ID != 0 {
		draft.ReplyTo = after.ID
	}
	return p.answer(p.channel, p.post(p.ann, draft), "Noted.")
}

func file(name, kind string, data []byte) []discordtest.Attachment {
	return []discordtest.Attachment{{Name: name, Type: kind, Data: data}}
}

// picture returns a PNG file whose sides have this many pixels.
func picture(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// long returns a text that fills this many messages.
func long(word string, messages int) string {
	line := strings.TrimSpace(strings.Repeat(word+" ", 18)) + "\n"
	return strings.TrimSpace(strings.Repeat(line, (1900*messages-900)/len(line)))
}
