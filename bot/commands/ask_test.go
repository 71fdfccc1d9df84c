package commands_test

import (
	"strings"
	"testing"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/internal/discordtest"
)

// TestAboutHeddle uses what tells about heddle.
func TestAboutHeddle(t *testing.T) {
	r := newRoom(t, commands.Settings{
		Chat: commands.Model{Provider: "a.example", Name: "m1"}, Fallbacks: []commands.Model{{Provider: "b.example", Name: "m2"}, {Provider: "c.example", Name: "m3"}},
		Reader: commands.Model{Provider: "a.example", Name: "m5"}, Keep: 49 * 60 * 60 * 1e9, Contact: "ann",
	})
	use := func(name string) discordtest.Message {
		t.Helper()
		return r.privately(name, r.uses(r.Bob, discordtest.Invocation{Command: "heddle " + name}, asIs))
	}
	if got := use("privacy").Content; !strings.Contains(got, "go to a.example (model m1)") || !strings.Contains(got, "for 2 days after") ||
		!strings.Contains(got, "b.example (model m2), c.example (model m3).") || !strings.Contains(got, "before it go to a.example (model m5)") || !strings.HasSuffix(got, "**Who runs me:** ann") {
		t.Errorf("privacy reads %q, want every provider, how long and whom to ask", got)
	}
	if got := use("help").Content; got != phrases.English("help") {
		t.Errorf("help reads %q", got)
	}
	little := newRoom(t, commands.Settings{Chat: commands.Model{Provider: "a.example", Name: "m1"}})
	in := little.uses(little.Bob, discordtest.Invocation{Command: "heddle privacy"}, asIs)
	if got := little.privately("privacy with little set", in, "for 1 day after").Content; strings.Count(got, "**") != 8 {
		t.Errorf("with little set privacy reads %q, want four parts", got)
	}
}
