package commands_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// TestACommandAnswersWhomItIsFor uses commands for everybody and for operators, where heddle
// is a member and where it is not.
func TestACommandAnswersWhomItIsFor(t *testing.T) {
	r := newRoom(t, commands.Settings{Operators: []graph.UserID{77}},
		commands.Command{Name: "heddle all", Anywhere: true, Answer: done},
		commands.Command{Name: "heddle here", Answer: done},
		commands.Command{Name: "heddle operate", Operators: true, Answer: done},
		commands.Command{Name: "heddle blank", Answer: func(context.Context, *commands.Use) (commands.Reply, error) { return commands.Reply{Text: " "}, nil }},
	)
	operator := func(i *discord.Interaction) { i.User.ID = 77 }
	foreign := func(i *discord.Interaction) { i.Foreign = true }
	administrator := func(i *discord.Interaction) { i.Permissions = discord.PermissionAdministrator }
	operators, abroad := phrases.English("operators_only"), phrases.English("foreign")
	for _, test := range []struct {
		command, who string
		by           func(*discord.Interaction)
		want         string
	}{
		{"all", "anybody", asIs, "done"},
		{"all", "a foreigner", foreign, "done"},
		{"here", "anybody", asIs, "done"},
		{"here", "a foreigner", foreign, abroad},
		{"operate", "an administrator", administrator, operators},
		{"operate", "an operator", operator, "done"},
	} {
		in := r.uses(r.Bob, discordtest.Invocation{Command: "heddle " + test.command}, test.by)
		if got := r.privately(test.command+" by "+test.who, in); got.Content != test.want {
			t.Errorf("%s reads %q from /heddle %s, want %q", test.who, got.Content, test.command, test.want)
		}
	}
	gone := r.uses(r.Bob, discordtest.Invocation{Command: "heddle all"}, func(i *discord.Interaction) { i.Command.Name = "heddle gone" })
	r.privately("a command of another version", gone, phrases.English("command_unknown"))
	unknown := r.uses(r.Bob, discordtest.Invocation{Command: "heddle all"}, func(i *discord.Interaction) {
		i.Type, i.Command.Name, i.CustomID = discord.InteractionComponent, "", "heddle:unknown:00"
	})
	r.privately("a button of another version", unknown, phrases.English("button_unknown"))
	r.uses(r.Bob, discordtest.Invocation{Command: "heddle blank"}, asIs)
	if want := "a command could not be answered"; !strings.Contains(r.Logged(), want) {
		t.Errorf("after an answer of nothing logged was\n%s\nwant %q in it", r.Logged(), want)
	}
}

// TestOnlyWhatAsksTheModelWaitsForItsTurn uses commands that ask the model and that do not, and
// presses buttons below their answers.
func TestOnlyWhatAsksTheModelWaitsForItsTurn(t *testing.T) {
	r := newRoom(t, commands.Settings{},
		commands.Command{Name: "heddle think", Asks: true, Answer: done}, commands.Command{Button: "heddle:think:", Asks: true, Answer: done},
		commands.Command{Name: "heddle tell", Answer: done}, commands.Command{Button: "heddle:tell:", Answer: done})
	for _, test := range []struct {
		command, button string
		waits           bool
	}{{"heddle think", "", true}, {"heddle tell", "", false}, {"", "heddle:think:x", true}, {"", "heddle:tell:x", false}, {"", "heddle:gone:x", false}} {
		id, err := r.Discord.Interactions.Invoke(r.Channel, r.Bob, r.Self, discordtest.Invocation{Command: "heddle help"})
		errtest.None(r.T, err)
		in := r.arrived(id)
		in.Type, in.Command.Name, in.CustomID = discord.InteractionCommand, test.command, test.button
		if test.button != "" {
			in.Type = discord.InteractionComponent
		}
		ask := r.commands.Answer(r.Context(), in, r.Place())
		became, _ := r.Discord.Interactions.Find(id)
		if (ask != nil) != test.waits || became.Answered == 0 || test.waits == (len(became.Private) > 0 && became.Private[0].Content != "") {
			t.Errorf("%q%q waits for its turn: %t, with the first answer %d and %v; want that it waits: %t", test.command, test.button, ask != nil, became.Answered, became.Private, test.waits)
		}
	}
}

// ahead is the transport to a Discord whose clock is ahead of the uses of commands.
type ahead time.Duration

func (a ahead) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		response.Header.Set("Date", time.Now().Add(time.Duration(a)).UTC().Format(http.TimeFormat))
	}
	return response, err
}

// TestWhoWaitsTooLongIsTold uses a command whose turn comes too late, and one whose answer
// does. Neither would reach Discord.
func TestWhoWaitsTooLongIsTold(t *testing.T) {
	r := newRoom(t, commands.Settings{})
	for name, by := range map[string]time.Duration{"the turn": time.Hour, "the answer": 13*time.Minute - 2*time.Second} {
		asked := false
		r.deps.REST = discord.NewREST(discord.RESTConfig{BaseURL: r.Discord.URL(), Transport: ahead(by)})
		_ = errtest.Must(r.deps.REST.Get(r.Context(), "/gateway", nil))(t) // tells the time
		r.commands = commands.New(r.deps, commands.Settings{}, commands.Command{
			Name: "heddle think", Asks: true,
			Answer: func(ctx context.Context, _ *commands.Use) (commands.Reply, error) {
				asked = true
				<-ctx.Done()
				return commands.Reply{}, ctx.Err()
			},
		})
		in := r.uses(r.Bob, discordtest.Invocation{Command: "heddle help"}, func(i *discord.Interaction) { i.Command.Name = "heddle think" })
		r.privately(name, in, "longer than the 15 minutes that Discord allows")
		if asked != (name == "the answer") {
			t.Errorf("%s comes too late, and the command is answered: %t", name, asked)
		}
	}
}
