package e2e_test

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// TestListsDecideWhoIsAnswered sets a list of people, or of places. Bob is not answered, and
// told so in a direct message alone; Ann is. TestListsDecideWhoMayAsk has all kinds of lists.
func TestListsDecideWhoIsAnswered(t *testing.T) {
	inScenes(t, map[string]bool{"allowed roles": false, "blocked channels": true}, func(s *scene, places bool) {
		s.always(openaitest.Answer("Yes."))
		quiet := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "quiet"})
		staff := s.discord.World.AddRole(s.guild, "staff", 0, false)
		s.discord.People.GrantRole(s.guild, s.ann, staff)
		in, list := s.channel, "ALLOW_PEOPLE="+staff.String()
		if places {
			in, list = quiet, "BLOCK="+quiet.String()
		}
		r := s.start(list)
		refused := s.askIn(in, s.bob, "am I heard?")
		s.wholeAnswer(s.ask(s.ann, "am I heard?"), "Yes.")
		s.noAnswer(in, refused)
		if !places {
			direct := s.discord.World.OpenDM(s.bob, s.heddle.User)
			s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "am I heard here?"}), phrases.English("not_permitted"))
			s.answer(s.channel, s.ask(s.bob, "opt out"), phrases.English("opted_out"))
		}
		s.askedTimes(1)
		s.same("warnings of somebody who may not ask", len(r.warnings()), 0)
	})
}

// TestListsOfRolesHoldForWhatWasMissed asks while heddle is away. Discord does not tell
// the roles of authors with the messages of a channel.
func TestListsOfRolesHoldForWhatWasMissed(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	staff := s.discord.World.AddRole(s.guild, "staff", 0, false)
	s.discord.People.GrantRole(s.guild, s.ann, staff)
	refused, asked := s.ask(s.bob, "am I heard?"), s.ask(s.ann, "am I heard?")
	s.start("ALLOW_PEOPLE=" + staff.String())
	s.wholeAnswer(asked, "Yes.")
	s.noAnswer(s.channel, refused)
}

// TestTwoBotsThatAnswerEachOtherEnd lets two heddles mention each other in everything
// that they say, until a person speaks.
func TestTwoBotsThatAnswerEachOtherEnd(t *testing.T) {
	s := newScene(t)
	loom := s.discord.People.AddBot("loom", s.guild)
	calls := "<@" + loom.User.String() + "> <@" + s.heddle.User.String() + ">"
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		answer := openaitest.Answer(calls + " your turn")
		if turns := r.Chat.Messages; strings.Contains(turns[len(turns)-1].Text(), "enough") {
			answer = openaitest.Answer("Done.")
		}
		return &answer
	})
	s.start("ALLOW_BOTS=" + loom.User.String())
	s.start("ALLOW_BOTS="+s.heddle.User.String(), "DISCORD_TOKEN="+loom.Token, "DATA_DIR="+t.TempDir())
	s.ask(s.ann, "begin")
	const turns = 1 + 3 + 3 // to Ann, and three of each to the other
	s.until(fmt.Sprintf("%d turns of both bots", turns), func() bool { return s.botsSaid() >= turns })
	for _, bot := range []graph.UserID{s.heddle.User, loom.User} {
		stop := s.post(s.ann, discordtest.Draft{Content: "<@" + bot.String() + "> enough"})
		errtest.Must(s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
			return m.Author == bot && m.Reference != nil && m.Reference.Message == stop && m.Content == "Done."
		}))(t)
	}
	s.same("what the bots said", s.botsSaid(), turns+2)
}

// botsSaid returns how many messages are by bots.
func (s *screen) botsSaid() (n int) {
	for _, m := range s.discord.Chat.Messages(s.channel) {
		if m.Author != s.ann && m.Author != s.bob {
			n++
		}
	}
	return n
}

// unanswered is a situation in which heddle does not answer commands.
type unanswered struct {
	environ func(*scene) []string
	arrange func(*scene)
	uses    map[string]map[string]any // the options, by command
	want    string
}

// refusals returns the situations in which heddle answers no command that everybody is to
// read.
func refusals() map[string]unanswered {
	ask, catchup := map[string]any{"question": "is the loom free?"}, map[string]any{"since": "3d", "public": true}
	both := map[string]map[string]any{"heddle ask": ask, "heddle catchup": catchup}
	return map[string]unanswered{
		"heddle is paused": {
			environ: func(s *scene) []string { return []string{"OPERATORS=" + s.ann.String()} },
			arrange: func(s *scene) {
				s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
			},
			uses: both, want: "I am paused for now.",
		},
		"they opted out": {
			arrange: func(s *scene) { s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read") },
			uses:    both, want: "opted out",
		},
		"they may not ask": {
			environ: func(s *scene) []string { return []string{"BLOCK=" + s.bob.String()} }, uses: both, want: "I'm not allowed to answer you here.",
		},
		"the limit is reached": {
			environ: func(*scene) []string { return []string{"LIMIT_PERSON=1 requests/day"} },
			arrange: func(s *scene) { s.runs(s.bob, "heddle ask", ask, "Yes.") },
			uses:    map[string]map[string]any{"heddle ask": ask}, want: "as much as one person is allowed to",
		},
		"the model fails": {
			arrange: func(s *scene) { s.always(openaitest.Reply{Status: 401}) },
			uses:    map[string]map[string]any{"heddle ask": ask}, want: "My language model refuses to work with me.",
		},
		"Discord fails": {
			arrange: func(s *scene) {
				fails := discordtest.Refused(discordtest.On(discordtest.RouteMessages), 500, 0, "internal")
				fails.Times = -1
				s.discord.Faults.Inject(fails)
			},
			uses: map[string]map[string]any{"heddle catchup": catchup}, want: "Discord didn't let me read the conversation.",
		},
		"the options are wrong": {
			uses: map[string]map[string]any{"heddle catchup": {"since": "soon", "public": true}}, want: "I don't understand that time.",
		},
		"nothing was said": {
			uses: map[string]map[string]any{"heddle catchup": {"since": "1m", "public": true}}, want: "Nothing was said there",
		},
	}
}

// start runs heddle with the settings of the case, beside two talks.
func (of *unanswered) start(s *scene) *running {
	s.t.Helper()
	if of.environ != nil {
		s.environ = append(s.environ, of.environ(s)...)
	}
	s.twoTalks()
	s.always(openaitest.Answer("Yes."))
	return s.start()
}

// TestOnlyWhoAsksReadsARefusal uses every command that can answer for everybody, asked to do
// so, where it cannot be answered. The person alone reads why, and nothing stands in the
// channel.
func TestOnlyWhoAsksReadsARefusal(t *testing.T) {
	inScenes(t, refusals(), func(s *scene, of unanswered) {
		of.start(s)
		if of.arrange != nil {
			of.arrange(s)
		}
		for command, options := range of.uses {
			s.onlyReads(s.bob, command, options, of.want)
		}
	})
}

// TestOnlyWhoPressesReadsARefusal has Bob press buttons of what everybody reads, an answer
// and a list of talks, where heddle does not answer him.
func TestOnlyWhoPressesReadsARefusal(t *testing.T) {
	all := refusals()
	maps.DeleteFunc(all, func(_ string, of unanswered) bool { return len(of.uses) < 2 }) // it is not about him
	inScenes(t, all, func(s *scene, of unanswered) {
		r := of.start(s)
		question := s.ask(s.ann, "is the loom free?")
		answer := s.standsLike(s.answer(s.channel, question, "Yes."), regexp.MustCompile("^Yes"), "Why? ↻ ⋯")
		r.settled(s, question)
		in := s.runs(s.ann, "heddle catchup", map[string]any{"since": "3d", "public": true}, "talks**")
		list, _ := s.discord.Chat.Message(s.channel, in.Public[0])
		if of.arrange != nil {
			of.arrange(s)
		}
		before := s.own()
		for label, m := range map[string]discordtest.Message{"↻": answer, "1": list} {
			s.ephemeral(s.press(s.bob, m, label), of.want)
			s.standsIn(m, m.Content, labels(m))
		}
		s.hasSaid(before)
	})
}

// onlyReads has somebody use a command, and fails the test unless they alone read an answer
// that contains a text.
func (s *scene) onlyReads(who graph.UserID, command string, options map[string]any, want string) {
	s.t.Helper()
	before := s.own()
	id := s.invoke(s.channel, who, discordtest.Invocation{Command: command, Options: options})
	in := s.responded(id, "anything", func(in discordtest.Interaction) bool {
		return len(in.Public) > 0 || len(in.Private) > 0 && in.Private[0].Content != ""
	})
	if len(in.Public) > 0 || !strings.Contains(in.Private[0].Content, want) || in.Private[0].Flags&discordtest.FlagEphemeral == 0 {
		s.t.Errorf("after %s everybody reads %v and the person %q, want none and %q in it", command, in.Public, s.firstOf(in), want)
	}
	s.hasSaid(before)
}

// denies takes permissions in a channel from heddle.
func (p *people) denies(channel graph.ChannelID, denied discordtest.Permission) {
	p.discord.World.SetOverwrites(channel, discordtest.Overwrite{Member: p.heddle.User, Deny: denied})
}

// toldDirectly waits until heddle has sent somebody a direct message that contains a
// text, and returns all its direct messages to them.
func (s *screen) toldDirectly(who graph.UserID, text string) []discordtest.Message {
	s.t.Helper()
	direct := s.discord.World.OpenDM(who, s.heddle.User)
	s.posted(direct, strconv.Quote(text), func(m discordtest.Message) bool { return strings.Contains(m.Content, text) })
	return s.discord.Chat.Messages(direct)
}

// TestWhatHeddleLacksToAnswerIsToldDirectly asks where heddle may not write. Whoever asks
// is told which permissions it lacks, once for each channel and set of permissions, and
// the model is not asked.
func TestWhatHeddleLacksToAnswerIsToldDirectly(t *testing.T) {
	s := newScene(t)
	closed := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "closed"})
	s.denies(closed, discordtest.SendMessages)
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	asks := func(who graph.UserID, channel graph.ChannelID) {
		t.Helper()
		r.settled(s, s.askIn(channel, who, "can you hear me?"))
	}
	asks(s.bob, closed)
	told := s.toldDirectly(s.bob, "<#"+closed.String()+">")
	s.same("reactions where bob asked", s.discord.Chat.Messages(closed)[0].Reactions, []discordtest.Reaction{{Emoji: "🔇", Users: []graph.UserID{s.heddle.User}}})
	s.contains(told[0].Content, "I need these permissions there: Send Messages.")
	s.pingsNobody(told[0])
	s.askIn(closed, s.bob, "can you hear me now?") // bob was told before
	asks(s.ann, closed)
	s.toldDirectly(s.ann, "I need these permissions there: Send Messages.")
	s.denies(closed, discordtest.SendMessages|discordtest.ReadMessageHistory|discordtest.AttachFiles)
	asks(s.bob, closed)
	told = s.toldDirectly(s.bob, "Send Messages, Read Message History, Attach Files.")
	s.same("how often bob is told, which is once for each set of permissions", len(told), 2)
	thread := s.thread("a walk")
	s.denies(s.channel, discordtest.SendInThreads)
	asks(s.bob, thread)
	s.toldDirectly(s.bob, "<#"+thread.String()+">")
	s.toldDirectly(s.bob, "I need these permissions there: Send Messages in Threads.")
	s.askedTimes(0)
	s.asks("and here?", "Yes.")
	s.denies(closed, 0)
	s.answer(closed, s.askIn(closed, s.bob, "may you write by now?"), "Yes.")
	s.denies(closed, discordtest.SendMessages)
	asks(s.bob, closed)
	s.same("how often bob is told after a permission was given and taken", len(s.toldDirectly(s.bob, "")), 4)
}

// TestWhatHeddleLacksIsLoggedOnceIfNobodyCanBeTold asks where heddle may not write, as
// somebody who takes no direct messages.
func TestWhatHeddleLacksIsLoggedOnceIfNobodyCanBeTold(t *testing.T) {
	s := newScene(t)
	closed := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "closed"})
	s.denies(closed, discordtest.SendMessages)
	s.discord.People.CloseDMs(s.bob)
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	for range 3 {
		s.askIn(closed, s.bob, "can you hear me?")
	}
	s.asks("and here?", "Yes.")
	r.end()
	s.contains(r.logs.String(), `missing="Send Messages"`)
	for _, text := range []string{"an admin has to grant what is missing", "takes no direct messages"} {
		s.same("how often it is logged: "+text, strings.Count(r.logs.String(), text), 1)
	}
}

// TestACommandNamesWhatHeddleLacksToRead asks by a command in a channel that heddle
// cannot see.
func TestACommandNamesWhatHeddleLacksToRead(t *testing.T) {
	s := newScene(t)
	s.denies(s.channel, discordtest.ViewChannel)
	s.always(openaitest.Answer("Yes."))
	s.start()
	id := s.invokes(s.bob, "heddle ask", map[string]any{"question": "can you see?", "private": true})
	s.privately(id, "Yes.\n-# I can't read this channel's history, only what is said while I'm here. Ask an admin to give me View Channel.")
}
