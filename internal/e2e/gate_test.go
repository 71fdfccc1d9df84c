package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestListsDecideWhoIsAnswered sets a list in each way. Bob is not answered, and told so
// in a direct message alone; Ann is.
func TestListsDecideWhoIsAnswered(t *testing.T) {
	t.Parallel()
	type place struct {
		quiet, far   graph.ChannelID // of the guild of the scene, and of another
		abroad       graph.GuildID
		staff, noisy graph.RoleID // ann's and bob's
	}
	for name, test := range map[string]struct {
		set func(s *scene, p place) string
		in  func(s *scene, p place) graph.ChannelID // where bob is refused; nil: in the channel, and in direct messages too
	}{
		"allowed people":   {func(s *scene, _ place) string { return "ALLOW_USERS=" + s.ann.String() }, nil},
		"blocked people":   {func(s *scene, _ place) string { return "BLOCK_USERS=" + s.bob.String() }, nil},
		"allowed roles":    {func(_ *scene, p place) string { return "ALLOW_ROLES=" + p.staff.String() }, nil},
		"blocked roles":    {func(_ *scene, p place) string { return "BLOCK_ROLES=" + p.noisy.String() }, func(s *scene, _ place) graph.ChannelID { return s.channel }},
		"allowed channels": {func(s *scene, _ place) string { return "ALLOW_CHANNELS=" + s.channel.String() }, func(_ *scene, p place) graph.ChannelID { return p.quiet }},
		"blocked channels": {func(_ *scene, p place) string { return "BLOCK_CHANNELS=" + p.quiet.String() }, func(_ *scene, p place) graph.ChannelID { return p.quiet }},
		"allowed servers":  {func(s *scene, _ place) string { return "ALLOW_GUILDS=" + s.guild.String() }, func(_ *scene, p place) graph.ChannelID { return p.far }},
		"blocked servers":  {func(_ *scene, p place) string { return "BLOCK_GUILDS=" + p.abroad.String() }, func(_ *scene, p place) graph.ChannelID { return p.far }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Yes."))
			p := place{
				quiet: s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "quiet"}), abroad: s.discord.World.AddGuild("abroad"),
				staff: s.discord.World.AddRole(s.guild, "staff", 0, false), noisy: s.discord.World.AddRole(s.guild, "noisy", 0, false),
			}
			p.far = s.discord.World.AddChannel(p.abroad, discordtest.ChannelDraft{Name: "far"})
			for _, who := range []graph.UserID{s.bob, s.heddle.User} {
				s.discord.People.Join(p.abroad, who)
			}
			s.discord.People.GrantRole(s.guild, s.ann, p.staff)
			s.discord.People.GrantRole(s.guild, s.bob, p.noisy)
			in := s.channel
			if test.in != nil {
				in = test.in(s, p)
			}
			r := s.start(test.set(s, p))
			refused := s.postIn(in, s.bob, discordtest.Draft{Content: s.mention("am I heard?")})
			s.wholeAnswer(s.post(s.ann, discordtest.Draft{Content: s.mention("am I heard?")}), "Yes.")
			if answers := s.answersOf(in)[refused]; len(answers) != 0 {
				t.Errorf("who may not ask is answered %q, want no answer", answers[0].Content)
			}
			if test.in == nil {
				direct := s.discord.World.OpenDM(s.bob, s.heddle.User)
				s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "am I heard here?"}), phrases.English(phrases.NotPermitted))
				s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("opt out")}), phrases.English(phrases.OptedOut))
			}
			s.askedTimes(1)
			if warnings := r.warnings(); len(warnings) > 0 {
				t.Errorf("the log warns of somebody who may not ask: %s", warnings)
			}
		})
	}
}

// TestListsOfRolesHoldForWhatWasMissed asks while heddle is away. Discord does not tell
// the roles of authors with the messages of a channel.
func TestListsOfRolesHoldForWhatWasMissed(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(staff, muted graph.RoleID) string{
		"allowed roles": func(staff, _ graph.RoleID) string { return "ALLOW_ROLES=" + staff.String() },
		"blocked roles": func(_, muted graph.RoleID) string { return "BLOCK_ROLES=" + muted.String() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Yes."))
			staff, muted := s.discord.World.AddRole(s.guild, "staff", 0, false), s.discord.World.AddRole(s.guild, "muted", 0, false)
			s.discord.People.GrantRole(s.guild, s.ann, staff)
			s.discord.People.GrantRole(s.guild, s.bob, muted)
			refused := s.post(s.bob, discordtest.Draft{Content: s.mention("am I heard?"), At: time.Now()})
			asked := s.post(s.ann, discordtest.Draft{Content: s.mention("am I heard?"), At: time.Now()})
			s.start(list(staff, muted))
			s.wholeAnswer(asked, "Yes.")
			if answers := s.answersOf(s.channel)[refused]; len(answers) != 0 {
				t.Errorf("who may not ask is answered %q, want no answer", answers[0].Content)
			}
		})
	}
}

// TestTwoBotsThatAnswerEachOtherEnd lets two heddles mention each other in everything
// that they say, until a person speaks.
func TestTwoBotsThatAnswerEachOtherEnd(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	loom := s.discord.People.AddBot("loom", s.guild)
	calls := "<@" + loom.User.String() + "> <@" + s.heddle.User.String() + ">"
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		answer := openaitest.Answer(calls + " your turn")
		if turns := r.Chat.Messages; strings.Contains(turns[len(turns)-2].Text(), "enough") {
			answer = openaitest.Answer("Done.")
		}
		return &answer
	})
	s.start("ALLOW_BOTS="+loom.User.String(), "BOT_TURNS=2")
	s.start("ALLOW_BOTS="+s.heddle.User.String(), "BOT_TURNS=2", "DISCORD_TOKEN="+loom.Token, "DATA_DIR="+t.TempDir())
	s.post(s.ann, discordtest.Draft{Content: s.mention("begin")})
	const turns = 1 + 2 + 2 // to Ann, and two of each to the other
	watcher := s.discord.Chat.Watch()
	defer watcher.Close()
	for s.botsSaid() < turns {
		if _, err := watcher.Next(s.ctx); err != nil {
			t.Fatalf("the bots said %d things, want %d: %v", s.botsSaid(), turns, err)
		}
	}
	for _, bot := range []graph.UserID{s.heddle.User, loom.User} {
		stop := s.post(s.ann, discordtest.Draft{Content: "<@" + bot.String() + "> enough"})
		if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
			return m.Author == bot && m.Reference != nil && m.Reference.Message == stop && m.Content == "Done."
		}); err != nil {
			t.Fatal(err)
		}
	}
	if said := s.botsSaid(); said != turns+2 {
		t.Errorf("the bots said %d things, want %d", said, turns+2)
	}
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
