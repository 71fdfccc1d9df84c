package commands_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/store"
)

// TestCommandsAreRegisteredAsTheyAre registers commands with Discord, twice without a
// change, and for an application that is not known yet.
func TestCommandsAreRegisteredAsTheyAre(t *testing.T) {
	r := newRoom(t, commands.Settings{}, commands.Command{
		Name: "heddle weave", Answer: done, Options: []commands.Option{
			{Name: "pattern", Describe: "option_model", Type: discordgo.ApplicationCommandOptionString, Required: true, Longest: 40},
			{Name: "rows", Describe: "option_most", Type: discordgo.ApplicationCommandOptionInteger, Least: new(1.0), Most: 9},
			{Name: "free", Describe: "option_most", Type: discordgo.ApplicationCommandOptionInteger},
			{Name: "where", Type: discordgo.ApplicationCommandOptionString, Choices: []commands.Choice{{Value: "server"}}},
		},
	})
	registered := r.Discord.People.Commands(r.Self)
	if len(registered) != 2 || registered[0].Name != "heddle" || registered[1].Name != phrases.English("command_why") {
		t.Fatalf("%+v are registered, want heddle and the one in menus", registered)
	}
	var names []string
	for _, o := range registered[0].Options {
		names = append(names, o.Name)
	}
	if want := []string{"help", "ask", "privacy", "opt-out", "opt-in", "forget-me", "context", "model", "persona", "usage", "limits", "status", "pause", "weave"}; !slices.Equal(names, want) {
		t.Errorf("heddle has the commands %q, want %q", names, want)
	}
	options := registered[0].Options[len(names)-1].Options
	if o := options[0]; !o.Required || o.Least != nil || o.Most != nil || o.Description != phrases.English("option_model") || o.Descriptions["de"] == "" {
		t.Errorf("a text is registered as %+v, want it required, without bounds of a number", o)
	}
	if o := options[1]; o.Required || o.Least == nil || *o.Least != 1 || o.Most == nil || *o.Most != 9 {
		t.Errorf("a number is registered as %+v, want it from 1 to 9", o)
	}
	if o := options[2]; o.Least != nil || o.Most != nil {
		t.Errorf("a number without bounds is registered as %+v", o)
	}
	if o := options[3]; len(o.Choices) != 1 || o.Choices[0].Value != "server" || o.Choices[0].Name != phrases.English("choice_server") {
		t.Errorf("a choice is registered as %+v, want the server", o)
	}
	r.commands.KeepRegistered(r.Context(), r.Self)
	r.commands.KeepRegistered(r.Context(), 0)
	if n := r.Discord.Record.Count(discordtest.RouteSetCommands); n != 1 {
		t.Errorf("the commands are registered %d times, want once", n)
	}
	if log := r.Logged(); strings.Contains(log, "could not be registered") || strings.Count(log, "commands are registered with Discord") != 1 {
		t.Errorf("it is logged that\n%s\nwant that they are registered, once", log)
	}
}

// refusing is the transport to a Discord without commands, which refuses every request if with or
// status is set.
type refusing struct {
	with   error
	status int
	asked  []time.Time
}

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked = append(r.asked, time.Now())
	if r.with != nil {
		return nil, r.with
	}
	w := httptest.NewRecorder()
	w.WriteHeader(cmp.Or(r.status, http.StatusOK))
	_, _ = w.WriteString("[]") // a recorder takes everything
	return w.Result(), nil
}

// TestRegisteringIsTriedAgainForAnHour registers with a Discord that is there, with one that is
// away, with one that takes no commands, and until heddle ends.
func TestRegisteringIsTriedAgainForAnHour(t *testing.T) {
	const retried = 4 // how often a client makes one request that fails
	for name, test := range map[string]struct {
		with   error
		status int
		within time.Duration
		want   int
		longer time.Duration // the whole takes so long, or longer
	}{
		"there":       {nil, 0, 24 * time.Hour, 2, 0},
		"away":        {errors.New("away"), 0, 24 * time.Hour, 7 * retried, 31 * time.Minute},
		"no commands": {nil, 404, 24 * time.Hour, 1, 0},
		"ended":       {errors.New("away"), 0, time.Minute, 2 * retried, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.within)
				defer cancel()
				transport, log := &refusing{with: test.with, status: test.status}, slog.New(slog.DiscardHandler)
				commands.New(commands.Deps{
					REST: discord.NewREST(discord.RESTConfig{Transport: transport}), Store: &store.Store{}, Gate: questions.NewGate(nil, nil, questions.GateSettings{}), Log: log,
					Overrides: conversation.NewOverrides(&store.Store{}, conversation.OverrideSettings{}, log),
				}, commands.Settings{}).KeepRegistered(ctx, 1)
				if n := len(transport.asked); n != test.want || transport.asked[n-1].Sub(transport.asked[0]) < test.longer {
					t.Errorf("Discord is asked at %v, want %d times over %s", transport.asked, test.want, test.longer)
				}
			})
		})
	}
}
