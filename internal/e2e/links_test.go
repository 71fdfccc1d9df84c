package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestALinkIsFollowedIfTheAskerMayReadWhatItLeadsTo asks with a link to a message that is
// a week old and that nothing else leads to.
func TestALinkIsFollowedIfTheAskerMayReadWhatItLeadsTo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		told, asks func(s *scene) graph.ChannelID       // where; nil for the scene's channel
		hide       func(s *scene, told graph.ChannelID) // whom the message is hidden from; nil for nobody
		form       string                               // of the link; "" for the link alone
		want       bool
	}{
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
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
			s.postIn(in, s.bob, discordtest.Draft{Content: s.mention("does this still hold? " + link)})
			s.says(in, "Yes.")
			if got := strings.Join(s.asked(1), "\n"); strings.Contains(got+s.tail(1), "the vault code is 9") != test.want {
				t.Errorf("the model was asked %q beside %q, want the code of the vault in it: %t", got, s.tail(1), test.want)
			}
		})
	}
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
	s.discord.World.SetOverwrites(told, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory})
}

// hideFromMost hides a channel from everybody but Bob and heddle.
func hideFromMost(s *scene, told graph.ChannelID) {
	s.discord.World.SetOverwrites(told,
		discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.bob, Allow: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel},
	)
}
