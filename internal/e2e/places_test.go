package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// TestQuestionsAreAnsweredWhereverPeopleWrite asks by a mention and by command, and has the
// answer explained, in the chat of a voice channel, in a post of a forum, in a thread of an
// announcement channel and in a direct message.
func TestQuestionsAreAnsweredWhereverPeopleWrite(t *testing.T) {
	t.Parallel()
	in := func(kind discordtest.ChannelKind) func(*scene) graph.ChannelID {
		return func(s *scene) graph.ChannelID {
			return s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "elsewhere", Kind: kind})
		}
	}
	for name, place := range map[string]func(*scene) graph.ChannelID{
		"a voice channel's chat":      in(discordtest.Voice),
		"a forum's post":              func(s *scene) graph.ChannelID { return s.threadIn(in(discordtest.Forum)(s)) },
		"a thread of announcements":   func(s *scene) graph.ChannelID { return s.threadIn(in(discordtest.Announcement)(s)) },
		"a direct message to heddle":  func(s *scene) graph.ChannelID { return s.discord.World.OpenDM(s.bob, s.heddle.User) },
		"a channel of announcements":  in(discordtest.Announcement),
		"a channel of text, as usual": in(discordtest.Text),
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			at := place(s)
			who := s.ann // whose first message in a forum begins the post
			if strings.Contains(name, "direct") {
				who = s.bob
			}
			s.postIn(at, who, discordtest.Draft{Content: "the loom is green"})
			s.always(openaitest.Answer("Green."))
			r := s.start()
			question := s.askIn(at, s.bob, "which colour is the loom?")
			answer := r.answer(s, at, question, "Green.")
			s.contains(s.conversation(1), "the loom is green")
			s.tells(at, answer.ID, "What this answer was made from", "the loom is green\n-# ")
			id := s.invoke(at, s.bob, discordtest.Invocation{Command: "heddle ask", Options: map[string]any{"question": "and now?", "private": true}})
			s.endsWith(s.asksOn(s.bob, s.privately(id, "Green."), "really?"), "> really?\nGreen.")
			s.contains(s.conversation(3), "and now?")
		})
	}
}

// aside makes a thread that starts from a message, 0 for none.
func (p *people) aside(from graph.MessageID) graph.ChannelID {
	p.t.Helper()
	return errtest.Must(p.discord.World.AddThread(p.channel, p.bob, discordtest.ThreadDraft{Name: "aside", Starter: from}))(p.t)
}

// TestALinkIsFollowedIfTheAskerMayReadWhatItLeadsTo asks with a link to a message that is
// a week old and that nothing else leads to.
func TestALinkIsFollowedIfTheAskerMayReadWhatItLeadsTo(t *testing.T) {
	type variant struct {
		told, asks func(s *scene) graph.ChannelID       // where; nil for the scene's channel
		hide       func(s *scene, told graph.ChannelID) // whom the message is hidden from; nil for nobody
		form       string                               // of the link; "" for the link alone
		want       bool
	}
	inScenes(t, map[string]variant{
		"in the channel":                                   {want: true},
		"without a preview":                                {form: "<%s>", want: true},
		"in code":                                          {form: "`%s`"},
		"in a thread of the channel":                       {asks: asideOf, want: true},
		"the asker may not read the history":               {hide: hideFromBob},
		"the asker may not read it, in a thread":           {asks: asideOf, hide: hideFromBob},
		"in another channel":                               {told: anotherChannel, want: true},
		"in another channel, from a thread":                {told: anotherChannel, asks: asideOf, want: true},
		"in another channel, which the asker may not read": {told: anotherChannel, hide: hideFromBob},
		"in another channel, which heddle may not read":    {told: anotherChannel, hide: hideFromHeddle},
		"in another channel, which few may read":           {told: anotherChannel, hide: hideFromMost},
		"in another server":                                {told: anotherServer},
	}, func(s *scene, test variant) {
		s.always(openaitest.Answer("Yes."))
		at, in := s.channel, s.channel
		if test.told != nil {
			at = test.told(s)
		}
		told := s.postIn(at, s.ann, discordtest.Draft{Content: "the vault code is 9", At: time.Now().Add(-7 * 24 * time.Hour)})
		for i := range 130 {
			s.postIn(at, s.ann, discordtest.Draft{Content: fmt.Sprintf("stitch %d", i), At: time.Now().Add(time.Duration(i-200) * time.Minute)})
		}
		if test.asks != nil {
			in = test.asks(s)
		}
		if test.hide != nil {
			test.hide(s, at)
		}
		s.start()
		link := fmt.Sprintf("https://discord.com/channels/%s/%s/%s", s.guild, at, told)
		if test.form != "" {
			link = fmt.Sprintf(test.form, link)
		}
		s.askIn(in, s.bob, "does this still hold? "+link)
		s.says(in, "Yes.")
		if got := s.conversation(1); strings.Contains(got+s.tail(1), "the vault code is 9") != test.want {
			s.t.Errorf("the model was asked %q beside %q, want the code of the vault in it: %t", got, s.tail(1), test.want)
		}
	})
}

func asideOf(s *scene) graph.ChannelID { return s.thread("aside") }

func anotherChannel(s *scene) graph.ChannelID {
	return s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "vault"})
}

func anotherServer(s *scene) graph.ChannelID {
	guild := s.discord.World.AddGuild("knitters")
	for _, user := range []graph.UserID{s.ann, s.bob, s.heddle.User} {
		s.discord.People.Join(guild, user)
	}
	return s.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: "vault"})
}

func hideFromBob(s *scene, told graph.ChannelID) {
	s.discord.World.SetOverwrites(told, discordtest.Overwrite{Member: s.bob, Deny: discordtest.ReadMessageHistory})
}

func hideFromHeddle(s *scene, told graph.ChannelID) {
	s.denies(told, discordtest.ReadMessageHistory)
}

// privateThread creates a thread of Ann and heddle.
func (p *people) privateThread() graph.ChannelID {
	p.t.Helper()
	draft := discordtest.ThreadDraft{Name: "aside", Private: true, Members: []graph.UserID{p.heddle.User}}
	return errtest.Must(p.discord.World.AddThread(p.channel, p.ann, draft))(p.t)
}

// hideFromMost hides a channel from everybody but Bob and heddle.
func hideFromMost(s *scene, told graph.ChannelID) {
	s.discord.World.SetOverwrites(told,
		discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.bob, Allow: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel},
	)
}

// TestAMentionMissedInAThreadThatASyncBringsIsAnswered makes heddle miss a private thread and
// all that is said in it until Discord lists the thread in a THREAD_LIST_SYNC, as it
// does when a bot gains access to a channel.
func TestAMentionMissedInAThreadThatASyncBringsIsAnswered(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("It moves on Friday."))
	s.start()
	hear := s.discord.Events.Intercept(discordtest.Dropped("THREAD_CREATE", "MESSAGE_CREATE"))
	thread := s.privateThread()
	missed := s.askIn(thread, s.ann, "when does it move?")
	hear()
	s.discord.Events.Dispatch(s.heddle.User, "THREAD_LIST_SYNC", map[string]any{
		"guild_id": s.guild, "channel_ids": []graph.ChannelID{s.channel},
		"threads": []map[string]any{{"id": thread, "type": 12, "parent_id": s.channel, "guild_id": s.guild, "last_message_id": missed}},
	})
	s.answer(thread, missed, "It moves on Friday.")
}

// abroad returns a channel of a guild where heddle is no member, in which Ann has told
// something. Bob has installed heddle for himself.
func (p *people) abroad() (far graph.ChannelID, said graph.MessageID) {
	guild := p.discord.World.AddGuild("abroad")
	p.discord.People.Join(guild, p.ann)
	p.discord.People.Join(guild, p.bob)
	p.discord.People.AllowUserInstall(p.heddle.User)
	p.discord.People.InstallFor(p.bob, p.heddle.User)
	far = p.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: "far"})
	return far, p.postIn(far, p.ann, discordtest.Draft{Content: "the ferry leaves at nine"})
}

// ferry is what Bob asks there.
func ferry() discordtest.Invocation {
	return discordtest.Invocation{Command: "heddle ask", Options: map[string]any{"question": "when does the ferry leave?", "private": true}}
}

// TestWhoInstalledHeddleForThemselvesUsesItAnywhere uses heddle in a guild where it is no
// member, and between two people: it answers from what it is handed, and says where that is
// too little. Where it is a member it answers as ever.
func TestWhoInstalledHeddleForThemselvesUsesItAnywhere(t *testing.T) {
	s := newScene(t)
	far, _ := s.abroad()
	s.always(openaitest.Answer("At nine."))
	s.start()
	for _, where := range []graph.ChannelID{far, s.discord.World.OpenDM(s.ann, s.bob)} {
		s.privately(s.invoke(where, s.bob, ferry()), "At nine.\n-# I am not a member here, so I can read only what you give me.")
		s.lacks(lastRead(s.model), "ferry leaves at nine")
		s.contains(lastRead(s.model), "when does the ferry leave?")
		s.contains(s.uses(where, "heddle help"), "I untangle the talks")
		s.contains(s.uses(where, "heddle catchup"), "I can't do that where I am not a member.")
		s.contains(s.uses(where, "heddle model"), "I can't do that where I am not a member.")
	}
	s.readPages(0, 0) // of what heddle may not read
	s.post(s.ann, discordtest.Draft{Content: "the loom is green"})
	s.lacks(s.privately(s.invoke(s.channel, s.bob, ferry()), "At nine.").Content, "not a member")
}

// TestAnAnswerWhereHeddleIsNoMemberIsDeletedByWhoAsked asks in public for an answer of two
// messages. Ann cannot delete them, Bob can.
func TestAnAnswerWhereHeddleIsNoMemberIsDeletedByWhoAsked(t *testing.T) {
	s := newScene(t)
	far, _ := s.abroad()
	s.always(openaitest.Answer(lines(70)))
	s.start()
	ask := ferry()
	delete(ask.Options, "private")
	in := s.responded(s.invoke(far, s.bob, ask), "two messages", func(in discordtest.Interaction) bool { return len(in.Public) == 2 })
	for _, id := range in.Public {
		m := errtest.Must(s.discord.Chat.AwaitMessage(s.ctx, far, func(m discordtest.Message) bool { return m.ID == id && labels(m) == "Delete" }))(t)
		s.ephemeral(s.press(s.ann, m, "Delete"), "Only whoever asked, and moderators, can delete this answer.")
		s.ephemeral(s.press(s.bob, m, "Delete"), "The answer is deleted.")
		s.isDeleted(m)
	}
}

// TestWhatDiscordHandsOfAMessageIsShown chooses Show context where heddle is no member, and
// asks on there. What somebody who opted out said is not shown.
func TestWhatDiscordHandsOfAMessageIsShown(t *testing.T) {
	s := newScene(t)
	far, said := s.abroad()
	late := s.postIn(far, s.bob, discordtest.Draft{Content: "at nine?", ReplyTo: said})
	s.always(openaitest.Answer("At nine."))
	s.start()
	shown := func() string {
		t.Helper()
		return s.privately(s.shows(far, late), "I see only what Discord shows me of this message.").Content
	}
	s.contains(shown(), "the ferry leaves at nine\n-# the question replies to it\n", "at nine?\n-# the question\n", fmt.Sprintf("/%s/%s", far, late))
	asked := s.privately(s.invoke(far, s.bob, ferry()), "At nine.")
	s.ephemeral(s.asksOn(s.bob, asked, "and back?"), "> and back?\nAt nine.\n-# I am not a member here")
	s.contains(s.conversation(2), "when does the ferry leave?\nassistant: At nine.\n")
	s.runs(s.ann, "heddle opt-out", nil, "From now on I don't read")
	s.lacks(shown(), "ferry")
	s.contains(shown(), "at nine?")
}
