package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// denies takes permissions in a channel from heddle.
func (p *people) denies(channel graph.ChannelID, denied discordtest.Permission) {
	p.discord.World.SetOverwrites(channel, discordtest.Overwrite{Member: p.heddle.User, Deny: denied})
}

// toldDirectly waits until heddle has sent somebody a direct message that contains a
// text, and returns all its direct messages to them.
func (s *screen) toldDirectly(who graph.UserID, text string) []discordtest.Message {
	s.t.Helper()
	direct := s.discord.World.OpenDM(who, s.heddle.User)
	if _, err := s.discord.Chat.AwaitMessage(s.ctx, direct, func(m discordtest.Message) bool {
		return m.Author == s.heddle.User && strings.Contains(m.Content, text)
	}); err != nil {
		s.t.Fatalf("%q is told in a direct message: %v; there stands %+v", text, err, s.discord.Chat.Messages(direct))
	}
	return s.discord.Chat.Messages(direct)
}

// TestWhatHeddleLacksToAnswerIsToldDirectly asks where heddle may not write. Whoever asks
// is told which permissions it lacks, once for each channel and set of permissions, and
// the model is not asked.
func TestWhatHeddleLacksToAnswerIsToldDirectly(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	closed := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "closed"})
	s.denies(closed, discordtest.SendMessages)
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	asks := func(who graph.UserID, channel graph.ChannelID) {
		t.Helper()
		r.settled(s, s.postIn(channel, who, discordtest.Draft{Content: s.mention("can you hear me?")}))
	}
	asks(s.bob, closed)
	told := s.toldDirectly(s.bob, "<#"+closed.String()+">")
	if !strings.Contains(told[0].Content, "I need these permissions there: Send Messages.") {
		t.Errorf("bob is told %q, want %q in it", told[0].Content, "I need these permissions there: Send Messages.")
	}
	s.pingsNobody(told[0])
	s.postIn(closed, s.bob, discordtest.Draft{Content: s.mention("can you hear me now?")}) // bob was told before
	asks(s.ann, closed)
	s.toldDirectly(s.ann, "I need these permissions there: Send Messages.")
	s.denies(closed, discordtest.SendMessages|discordtest.ReadMessageHistory|discordtest.AttachFiles)
	asks(s.bob, closed)
	if told = s.toldDirectly(s.bob, "Send Messages, Read Message History, Attach Files."); len(told) != 2 {
		t.Errorf("bob is told %d times, want once for each set of permissions: %+v", len(told), told)
	}
	thread := s.thread("a walk")
	s.denies(s.channel, discordtest.SendInThreads)
	asks(s.bob, thread)
	s.toldDirectly(s.bob, "<#"+thread.String()+">")
	s.toldDirectly(s.bob, "I need these permissions there: Send Messages in Threads.")
	if n := len(s.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times, want 0", n)
	}
	s.asks("and here?", "Yes.")
	s.denies(closed, 0)
	question := s.postIn(closed, s.bob, discordtest.Draft{Content: s.mention("may you write by now?")})
	s.answer(closed, question, "Yes.")
	s.denies(closed, discordtest.SendMessages)
	asks(s.bob, closed)
	if told = s.toldDirectly(s.bob, ""); len(told) != 4 {
		t.Errorf("after a permission was given and taken bob is told %d times: %+v, want 4", len(told), told)
	}
}

// TestWhatHeddleLacksIsLoggedOnceIfNobodyCanBeTold asks where heddle may not write, as
// somebody who takes no direct messages.
func TestWhatHeddleLacksIsLoggedOnceIfNobodyCanBeTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	closed := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "closed"})
	s.denies(closed, discordtest.SendMessages)
	s.discord.People.CloseDMs(s.bob)
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	for range 3 {
		s.postIn(closed, s.bob, discordtest.Draft{Content: s.mention("can you hear me?")})
	}
	s.asks("and here?", "Yes.")
	r.stop()
	<-r.ended
	logs := r.logs.String()
	if n := strings.Count(logs, "an admin has to grant what is missing"); n != 1 || strings.Count(logs, "takes no direct messages") != 1 || !strings.Contains(logs, `missing="Send Messages"`) {
		t.Errorf("what is missing is logged %d times, want once", n)
	}
}

// TestARefusalToWriteIsToldDirectly has Discord refuse an answer although heddle seems to
// have the permissions.
func TestARefusalToWriteIsToldDirectly(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	s.start()
	refused := discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), 403, 50013, "Missing Permissions")
	refused.Times = 1
	s.discord.Faults.Inject(refused)
	s.post(s.bob, discordtest.Draft{Content: s.mention("can you hear me?")})
	s.toldDirectly(s.bob, "I need these permissions there: Send Messages.")
}

// TestAWishIsFulfilledWhereHeddleMayNotWrite opts out in a channel where heddle cannot say
// that it heard that.
func TestAWishIsFulfilledWhereHeddleMayNotWrite(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.denies(s.channel, discordtest.SendMessages)
	s.start()
	s.post(s.bob, discordtest.Draft{Content: s.mention("opt out")})
	s.toldDirectly(s.bob, "From now on I don't read what you write")
}

// TestACommandNamesWhatHeddleLacksToRead asks by a command in a channel that heddle
// cannot see.
func TestACommandNamesWhatHeddleLacksToRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.denies(s.channel, discordtest.ViewChannel)
	s.always(openaitest.Answer("Yes."))
	s.start()
	s.registered()
	id, err := s.discord.Interactions.Invoke(s.channel, s.bob, s.heddle.User, discordtest.Invocation{
		Command: "heddle ask", Options: map[string]any{"question": "can you see?", "private": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.privately(id, "Yes.\n-# I can't read this channel's history, only what is said while I'm here. Ask an admin to give me View Channel.")
}
