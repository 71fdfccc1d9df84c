package e2e_test

import (
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatTheModelSaysThatCannotBeReadIsItsFault has the model answer a catch-up with
// something else than descriptions, and with nothing but an address. The talks are listed
// nonetheless.
func TestWhatTheModelSaysThatCannotBeReadIsItsFault(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	printer, climbing := s.twoTalks()
	s.start()
	for _, said := range []string{"I would rather talk about the weather.", `{"talk": 1, "title": `, `[{"talk": 7, "title": "Of no talk"}]`} {
		s.always(openaitest.Answer(said))
		_, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
		for _, want := range []string{"**2 talks**", "the printer is out of toner", s.linkTo(printer[0]), s.linkTo(climbing[0]), "\n-# My language model answered in a way that I can't read."} {
			if !strings.Contains(m.Content, want) {
				t.Errorf("after %q bob does not read %q:\n%s", said, want, m.Content)
			}
		}
	}
}

// TestACatchUpThatDiscordPreventsIsDiscordsFault lets Discord fail to return what was said.
func TestACatchUpThatDiscordPreventsIsDiscordsFault(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.twoTalks()
	s.start()
	fails := discordtest.Refused(discordtest.On(discordtest.RouteMessages), 500, 0, "internal")
	fails.Times = -1
	s.discord.Faults.Inject(fails)
	for command, options := range map[string]map[string]any{"heddle catchup": {"since": "3d"}, "heddle find": {"words": "toner"}} {
		if _, m := s.catchesUp(s.bob, command, options); !strings.HasPrefix(m.Content, "Discord didn't let me read the conversation.") {
			t.Errorf("after %s bob reads %q, want %q at its start", command, m.Content, "Discord didn't let me read the conversation.")
		}
	}
}
