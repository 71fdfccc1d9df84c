package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestEveryWayToAskHeddleIsAnswered(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*scene) (graph.ChannelID, graph.MessageID){
		"a mention": func(s *scene) (graph.ChannelID, graph.MessageID) {
			return s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("hello")})
		},
		"the old form of a mention": func(s *scene) (graph.ChannelID, graph.MessageID) {
			return s.channel, s.post(s.ann, discordtest.Draft{Content: "hello <@!" + s.heddle.User.String() + ">"})
		},
		"its managed role": func(s *scene) (graph.ChannelID, graph.MessageID) {
			role := s.discord.World.ManagedRole(s.guild, s.heddle.User)
			return s.channel, s.post(s.ann, discordtest.Draft{Content: "<@&" + role.String() + "> hello"})
		},
		"a reply to it, without a ping": func(s *scene) (graph.ChannelID, graph.MessageID) {
			said := s.post(s.heddle.User, discordtest.Draft{Content: "I am here."})
			return s.channel, s.post(s.ann, discordtest.Draft{Content: "hello", ReplyTo: said, NoPing: true})
		},
		"a direct message": func(s *scene) (graph.ChannelID, graph.MessageID) {
			direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
			return direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "hello"})
		},
		"a mention in a private thread": func(s *scene) (graph.ChannelID, graph.MessageID) {
			thread, err := s.discord.World.AddThread(s.channel, s.ann, discordtest.ThreadDraft{
				Name: "aside", Private: true, Members: []graph.UserID{s.heddle.User},
			})
			if err != nil {
				s.t.Fatal(err)
			}
			return thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("hello")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("Hello, Ann."))
			s.start()
			channel, trigger := ask(s)
			if answer := s.answer(channel, trigger, "Hello, Ann."); !answer.Pings().None() {
				t.Errorf("the answer pinged %+v, want None() true", answer.Pings())
			}
		})
	}
}

func TestNothingElseAsksHeddle(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Hello."))
	s.start()
	other := s.discord.People.AddBot("loombot", s.guild)
	role := s.discord.World.AddRole(s.guild, "weavers", 0, true)
	first := s.post(s.bob, discordtest.Draft{Content: "just talking"})
	for _, said := range []discordtest.Draft{
		{Author: s.ann, Content: "@everyone come here"},
		{Author: s.ann, Content: "<@&" + role.String() + "> come here"},
		{Author: s.ann, Content: "heddle, come here"},
		{Author: s.ann, Content: "to somebody else", ReplyTo: first},
		{Author: other.User, Content: s.mention("from a bot")},
		{Author: s.heddle.User, Content: s.mention("to itself")},
		{Author: 4711, Webhook: "relay", Content: s.mention("from a webhook")},
		{Author: s.ann, Type: 6, Content: s.mention("a notice")},
	} {
		s.post(said.Author, said)
	}
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("hello?")})
	s.answer(s.channel, asked, "Hello.")
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("one question asked the model %d times, want 1", got)
	}
	if answers := s.answersOf(s.channel); len(answers) != 2 { // its own mention of itself is one
		t.Errorf("heddle said %v, want 2 of them", answers)
	}
}

// TestAHiddenChannelIsAScopeOfItsOwn proves that an answer given where few may read
// is not given again elsewhere, and is in another thread of the same channel.
func TestAHiddenChannelIsAScopeOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "staff", Private: true})
	s.discord.World.SetOverwrites(hidden,
		discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel},
	)
	s.model.Queue(openaitest.Answer("The secret one."), openaitest.Answer("The public one."))
	s.start()
	ask := func(parent graph.ChannelID) string {
		thread, err := s.discord.World.AddThread(parent, s.ann, discordtest.ThreadDraft{Name: "plan"})
		if err != nil {
			t.Fatal(err)
		}
		return s.answer(thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("which plan?")}), "one.").Content
	}
	if got := ask(hidden); got != "The secret one." {
		t.Errorf("the first answer is %q, want %q", got, "The secret one.")
	}
	if got := ask(hidden); !strings.HasPrefix(got, "The secret one.\n-# Answered before") {
		t.Errorf("another thread of the hidden channel is answered with %q, want %q at its start", got, "The secret one.\n-# Answered before")
	}
	if got := ask(s.channel); got != "The public one." {
		t.Errorf("elsewhere it is answered with %q, want %q", got, "The public one.")
	}
}

func TestAnAnswerPingsNobody(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{Limits: discordtest.DefaultLimits()})
	role := s.discord.World.AddRole(s.guild, "weavers", 0, true)
	names := fmt.Sprintf("@everyone @here <@&%s> <@%s> <@!%s> ", role, s.bob, s.ann)
	long := strings.Repeat(names+"and some more words. ", 60)
	s.model.Queue(openaitest.Answer(strings.SplitAfter(long+"The end.", " ")...))
	s.start()
	s.post(s.ann, discordtest.Draft{Content: s.mention("call them all")})
	s.says(s.channel, "The end.")
	parts := 0
	for _, answers := range s.answersOf(s.channel) {
		for _, m := range answers {
			parts++
			if !m.Pings().None() || m.MentionEveryone {
				t.Errorf("a part of the answer pinged %+v, want nobody", m.Pings())
			}
		}
	}
	if parts < 2 {
		t.Errorf("the answer came in %d parts, want at least 2", parts)
	}
}

// TestAFullQueueLosesNothing proves that what finds its channel's queue full waits
// in the store and is answered once, in the end.
func TestAFullQueueLosesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.patiently()
	gate := make(chan struct{})
	held := openaitest.Answer("Done.")
	held.Wait = gate
	s.model.Queue(held)
	s.always(openaitest.Answer("Done."))
	r := s.start()
	triggers := []graph.MessageID{s.post(s.ann, discordtest.Draft{Content: s.mention("task 0")})}
	s.asked(1)
	for i := 1; i < 40; i++ {
		triggers = append(triggers, s.post(s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("task %d", i))}))
	}
	if err := r.logs.await(s.ctx, "a question waits in the store"); err != nil {
		t.Fatal(err)
	}
	close(gate)
	for _, trigger := range triggers {
		s.answer(s.channel, trigger, "Done.")
	}
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")}), "Done.")
	if got := len(s.model.Requests()); got != len(triggers)+1 {
		t.Errorf("%d mentions asked the model %d times, want once each", len(triggers)+1, got)
	}
	s.oneEach(s.channel)
}
