package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAReplyForSomebodyElseIsNotAnswered has Ann reply to an answer without its ping, and
// mention Bob. If she mentions heddle as well, it is for heddle, too.
func TestAReplyForSomebodyElseIsNotAnswered(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	s.start()
	answer := s.answered(s.channel, "is a warp lengthwise?", "Yes.")
	bob := "<@" + s.bob.String() + "> "
	below := func(text string, noPing bool) discordtest.Draft {
		return discordtest.Draft{Content: text, ReplyTo: answer.ID, NoPing: noPing}
	}
	silent := s.post(s.ann, below(bob+"told you so", true))
	edited := s.post(s.ann, below(bob+"you see", true))
	s.edit(edited, bob+"do you see?")
	s.wholeAnswer(s.post(s.ann, below(s.mention(bob+"agree?"), true)), "Yes.")
	s.wholeAnswer(s.post(s.ann, below(bob+"and heddle?", false)), "Yes.")
	s.wholeAnswer(s.post(s.ann, below("really?", true)), "Yes.")
	s.noAnswer(s.channel, silent)
	s.noAnswer(s.channel, edited)
}

// TestAnEditCanAsk has Ann add a mention to what she said where nobody asked before. heddle
// hears of it, or loses the event together with its session, or is away. With
// EDIT_ANSWER=off no edit asks.
func TestAnEditCanAsk(t *testing.T) {
	type variant struct {
		off bool
		by  func(s *scene, r *running, edit func()) *running
	}
	ways := map[string]func(s *scene, r *running, edit func()) *running{
		"while heddle hears": func(_ *scene, r *running, edit func()) *running { edit(); return r },
		"between two sessions": func(s *scene, r *running, edit func()) *running {
			remove := s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_UPDATE"))
			edit()
			remove()
			s.discord.Gateway.Invalidate()
			return r
		},
		"while heddle is away": func(s *scene, r *running, edit func()) *running {
			r.end()
			edit()
			return s.start()
		},
	}
	all := map[string]variant{}
	for name, by := range ways {
		all[name] = variant{false, by}
		all[name+", without effect"] = variant{true, by}
	}
	inScenes(t, all, func(s *scene, test variant) {
		if test.off {
			s.environ = append(s.environ, "EDIT_ANSWER=off")
		}
		s.always(openaitest.Answer("Yes."))
		r := s.start()
		said := s.post(s.ann, discordtest.Draft{Content: "is a warp lengthwise?"})
		s.heard(s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "quiet"}), "Yes.") // nobody asked in the other
		r = test.by(s, r, func() { s.edit(said, s.mention("is a warp lengthwise?")) })
		if !test.off {
			s.wholeAnswer(said, "Yes.")
			r.settled(s, said)
			s.edit(said, s.mention("is a weft crosswise?"))
			s.asked(3)
		}
		s.answered(s.channel, "and here?", "Yes.")
		if test.off {
			s.noAnswer(s.channel, said)
		} else {
			s.wholeAnswer(said, "Yes.")
			s.contains(s.conversation(3), "is a weft crosswise?")
		}
	})
}

// TestABotEditsItsQuestionIn has a bot that ALLOW_BOTS names post that it is thinking, and then
// what it has to say, word by word (openab#827).
func TestABotEditsItsQuestionIn(t *testing.T) {
	s := newScene(t)
	loom := s.discord.People.AddBot("loom", s.guild)
	s.always(openaitest.Answer("Yes."))
	s.start("ALLOW_BOTS=" + loom.User.String())
	said := s.post(loom.User, discordtest.Draft{Content: "…"})
	for _, text := range []string{"so", s.mention("is a warp"), s.mention("is a warp lengthwise?")} {
		s.edit(said, text)
	}
	s.until("the whole question is answered", func() bool {
		n := len(s.model.Requests())
		return n > 0 && strings.Contains(s.conversation(n), "is a warp lengthwise?")
	})
	s.wholeAnswer(said, "Yes.")
	s.hasSaid(1)
}

// TestAMentionWithoutWordsAsksWhatWasJustSaid has Ann mention heddle alone after her question,
// while heddle hears or is away. It is asked once, however often she does. The answer follows an
// edit of the question, and goes with the mention. After a message of Bob's the mention asks what was missed.
func TestAMentionWithoutWordsAsksWhatWasJustSaid(t *testing.T) {
	inScenes(t, map[string]bool{"while heddle hears": false, "while heddle is away": true}, func(s *scene, away bool) {
		s.always(openaitest.Answer("It runs lengthwise."))
		r := s.start()
		if away {
			r.end()
		}
		s.post(s.bob, discordtest.Draft{Content: "good morning"})
		said := s.post(s.ann, discordtest.Draft{Content: "what is a warp?"})
		mentions := []graph.MessageID{s.ask(s.ann, ""), s.ask(s.ann, "")}
		if away {
			r = s.start()
		}
		s.says(s.channel, "It runs lengthwise.")
		r.settled(s, said)
		s.contains(s.conversation(1), "what is a warp?")
		s.lacks(s.conversation(1), "@heddle")
		s.askedTimes(1)
		s.always(openaitest.Answer("It runs crosswise."))
		s.edit(said, "what is a weft?")
		s.says(s.channel, "It runs crosswise.")
		s.hasSaid(1)
		r.settled(s, said)
		s.discord.Chat.Delete(s.channel, mentions[1])
		s.until("the answer is gone", func() bool { return s.own() == 0 })
		s.post(s.ann, discordtest.Draft{Content: "good morning"})
		s.post(s.bob, discordtest.Draft{Content: "is it?"})
		s.answer(s.channel, s.ask(s.ann, ""), "")
		s.hasSaid(1)
	})
}

// TestWebhooksThatAreNamedMayAsk has people speak through webhooks. One is named in ALLOW_BOTS, of
// another the application. They are answered from what @everyone may read, share the limit of their
// webhook, though people need a role to ask, and nobody is told in a direct message that heddle may
// not write somewhere.
func TestWebhooksThatAreNamedMayAsk(t *testing.T) {
	s := newScene(t)
	const bridge, proxy, stranger, application = 4_000_001, 4_000_002, 4_000_003, 4_000_004
	s.always(openaitest.Answer("Yes."))
	staff := s.discord.World.AddRole(s.guild, "staff", 0, false)
	secret := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "secret"})
	s.discord.World.SetOverwrites(secret,
		discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel}, discordtest.Overwrite{Member: s.ann, Allow: discordtest.ViewChannel},
		discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel})
	closed := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "closed"})
	s.denies(closed, discordtest.SendMessages)
	speaks := func(channel graph.ChannelID, webhook graph.UserID, name string) graph.MessageID {
		draft := discordtest.Draft{Content: s.mention("is it secret?"), Webhook: name}
		if webhook != bridge {
			draft.Application = application
		}
		if webhook == stranger {
			draft.Application = 0
		}
		return s.postIn(channel, webhook, draft)
	}
	r := s.start("ALLOW_BOTS=4000001,4000004", "ALLOW_PEOPLE="+staff.String(), "BLOCK=1", "LIMIT_PERSON=2 requests/day", "TOOLS=off")
	s.post(s.bob, discordtest.Draft{Content: "the loom is free"})
	s.postIn(secret, s.ann, discordtest.Draft{Content: "the password is swordfish"})
	s.wholeAnswer(speaks(s.channel, bridge, "cyd"), "Yes.")
	s.contains(s.conversation(1), "the loom is free")
	s.answer(secret, speaks(secret, bridge, "cyd"), "Yes.")
	s.lacks(s.conversation(2), "swordfish")
	s.answer(s.channel, speaks(s.channel, bridge, "dora"), "as much as one person is allowed to")
	s.wholeAnswer(speaks(s.channel, proxy, "cyd"), "Yes.")
	unheard := speaks(s.channel, stranger, "cyd")
	r.settled(s, speaks(closed, proxy, "cyd"))
	s.noAnswer(s.channel, unheard)
	s.same("members that were looked up", s.discord.Record.Count(discordtest.RouteGuildMember), 0)
	s.same("direct messages that heddle opened", s.discord.Record.Count(discordtest.RouteOpenDM), 0)
}
