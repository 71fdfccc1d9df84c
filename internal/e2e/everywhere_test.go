package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
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
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			at := place(s)
			who := s.ann // whose first message in a forum begins the post
			if strings.Contains(name, "direct") {
				who = s.bob
			}
			s.postIn(at, who, discordtest.Draft{Content: "the loom is green"})
			s.always(openaitest.Answer("Green."))
			r := s.start()
			question := s.postIn(at, s.bob, discordtest.Draft{Content: s.mention("which colour is the loom?")})
			answer := s.answer(at, question, "Green.")
			r.settled(s, question)
			if asked := strings.Join(s.asked(1), "\n"); !strings.Contains(asked, "the loom is green") {
				t.Errorf("the model reads %s, want %q in it", asked, "the loom is green")
			}
			s.tells(at, answer.ID, "What this answer was made from", "the loom is green\n-# ")
			id, err := s.discord.Interactions.Invoke(at, s.bob, s.heddle.User, discordtest.Invocation{
				Command: "heddle ask", Options: map[string]any{"question": "and now?", "private": true},
			})
			if err != nil {
				t.Fatal(err)
			}
			s.endsWith(s.asksOn(s.bob, s.privately(id, "Green."), "really?"), "> really?\nGreen.")
			if asked := strings.Join(s.asked(3), "\n"); !strings.Contains(asked, "and now?") {
				t.Errorf("of a private follow-up the model reads %s, want %q in it", asked, "and now?")
			}
		})
	}
}
