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
		from func(s *scene) graph.ChannelID // where it is asked; nil for the channel of the message
		deny discordtest.Permission         // of the asker's, in the channel of the message
		form string                         // of the link; "" for the link alone
		want bool
	}{
		"in the channel":              {want: true},
		"without a preview":           {form: "<%s>", want: true},
		"in code":                     {form: "`%s`"},
		"in a thread of the channel":  {from: func(s *scene) graph.ChannelID { return s.thread("aside") }, want: true},
		"history denied":              {deny: discordtest.ReadMessageHistory},
		"history denied, in a thread": {from: func(s *scene) graph.ChannelID { return s.thread("aside") }, deny: discordtest.ReadMessageHistory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Yes."))
			told := s.postIn(s.channel, s.ann, discordtest.Draft{Content: "the vault code is 9", At: time.Now().Add(-7 * 24 * time.Hour)})
			for i := range 130 {
				s.postIn(s.channel, s.ann, discordtest.Draft{Content: fmt.Sprintf("stitch %d", i), At: time.Now().Add(time.Duration(i-200) * time.Minute)})
			}
			in := s.channel
			if test.from != nil {
				in = test.from(s)
			}
			s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.bob, Deny: test.deny})
			s.start()
			link := fmt.Sprintf("https://discord.com/channels/%s/%s/%s", s.guild, s.channel, told)
			if test.form != "" {
				link = fmt.Sprintf(test.form, link)
			}
			s.postIn(in, s.bob, discordtest.Draft{Content: s.mention("does this still hold? " + link)})
			s.says(in, "Yes.")
			if got := strings.Join(s.asked(1), "\n"); strings.Contains(got+s.tail(1), "the vault code is 9") != test.want {
				t.Errorf("the model was asked %q beside %q", got, s.tail(1))
			}
		})
	}
}
