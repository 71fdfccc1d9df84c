package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// uses has bob use a command of heddle's in a channel, and returns what he alone reads.
func (s *scene) uses(channel graph.ChannelID, command string) string {
	s.t.Helper()
	_, err := s.discord.Record.AwaitRequest(s.ctx, func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteSetCommands && r.Status == 200
	})
	if err != nil {
		s.t.Fatalf("the commands are registered: %v", err)
	}
	id, err := s.discord.Chat.Invoke(channel, s.bob, s.heddle.User, discordtest.Invocation{Command: command})
	if err != nil {
		s.t.Fatal(err)
	}
	in, err := s.discord.Chat.AwaitInteraction(s.ctx, id, func(in discordtest.Interaction) bool { return len(in.Private) > 0 })
	if err != nil {
		s.t.Fatalf("/%s is answered: %v", command, err)
	}
	if len(in.Public) > 0 {
		s.t.Errorf("everybody reads the answer to /%s", command)
	}
	return in.Private[0].Content
}

func TestCommandsAnswerInTheLanguageOfWhoeverUsesThem(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.environ = append(s.environ, "CONTACT=ann, at the loom", "CACHE_TTL=24h")
	s.start()
	for locale, want := range map[string][2]string{
		"en-US":  {"I part the threads", "for 1 day after"},
		"en-GB":  {"I part the threads", "test-model"},
		"de":     {"Ich entwirre", "bis 1 Tag nach"},
		"es-419": {"Separo las conversaciones", "hasta 1 día después"},
		"es-ES":  {"Separo las conversaciones", "hasta 1 día después"},
		"ja":     {"話題ごとに", "1日間保存"},
		"fi":     {"I part the threads", "ann, at the loom"},
	} {
		s.discord.World.SetLocale(s.bob, locale)
		if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, want[0]) {
			t.Errorf("in %s help reads %q, want %q in it", locale, got, want[0])
		}
		if got := s.uses(s.channel, "heddle privacy"); !strings.Contains(got, want[1]) {
			t.Errorf("in %s privacy reads %q, want %q in it", locale, got, want[1])
		}
	}
	s.discord.World.SetLocale(s.bob, "fi")
	s.discord.World.SetGuildLocale(s.guild, "de")
	if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, "Ich entwirre") {
		t.Errorf("where the guild speaks German help reads %q", got)
	}
}

func TestCommandsAreRegisteredWhenTheyChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	first := s.start()
	s.uses(s.channel, "heddle help")
	first.stop()
	<-first.ended
	second := s.start()
	if _, err := s.discord.Record.AwaitRequests(s.ctx, 2, func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteCommands && r.Status == 200
	}); err != nil {
		t.Fatalf("the second start reads the commands: %v", err)
	}
	s.uses(s.channel, "heddle help")
	second.stop()
	<-second.ended
	sets := s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Route == discordtest.RouteSetCommands })
	if len(sets) != 1 {
		t.Errorf("the commands were registered %d times, want once", len(sets))
	}
}
