package commands_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
)

// room is commands in the channel of an Env.
type room struct {
	*roomtest.Stage

	t        *testing.T
	people   *guilds.People
	deps     commands.Deps
	commands *commands.Commands
	admin    commands.Use // whom commands answer as somebody who may manage the guild
}

// registering bounds how long a room waits for its commands to be registered.
const registering = 20 * time.Second

// newRoom returns the commands that heddle has, and more, registered with Discord.
func newRoom(t *testing.T, settings commands.Settings, more ...commands.Command) *room {
	t.Helper()
	r := newRoomWith(t, conversation.OverrideSettings{Model: "small"}, settings, questions.GateSettings{}, more...)
	ctx, cancel := context.WithTimeout(r.Context(), registering)
	defer cancel()
	r.commands.KeepRegistered(ctx, r.Self)
	errtest.None(r.T, ctx.Err())
	return r
}

// newRoomWith is newRoom with what admins may choose. The commands are not registered.
func newRoomWith(t *testing.T, choices conversation.OverrideSettings, settings commands.Settings, allow questions.GateSettings, more ...commands.Command) *room {
	t.Helper()
	env := roomtest.NewStage(t)
	r := &room{Stage: env, t: t, people: guilds.NewPeople(env.Store, env.History, env.Log)}
	r.deps = commands.Deps{
		REST: env.REST, Replies: env.Replies, Store: env.Store, Guilds: env.Guilds,
		History: env.History, Answers: env.Answers,
		Gate: questions.NewGate(r.people, env.Replies, allow), Limits: env.Limits(),
		Overrides: conversation.NewOverrides(env.Store, choices, env.Log),
		Log:       env.Log,
	}
	r.commands = commands.New(r.deps, settings, more...)
	r.admin = commands.Use{Place: env.Place(), Language: phrases.In("en-US"), Interaction: discord.Interaction{
		ID: 1 << 62, Guild: env.Guild, Channel: env.Channel, User: discord.User{ID: env.Bob}, Member: &discord.Member{},
		Permissions: discord.PermissionManageGuild,
	}}
	return r
}

// uses has somebody use a command, as changed, and returns what became of that.
func (r *room) uses(who graph.UserID, use discordtest.Invocation, change func(*discord.Interaction)) discordtest.Interaction {
	r.t.Helper()
	id, err := r.Discord.Interactions.Invoke(r.Channel, who, r.Self, use)
	errtest.None(r.T, err)
	return r.answered(id, func(i *discord.Interaction) {
		i.Type, i.Command.Name = discord.InteractionCommand, use.Command
		for name, value := range use.Options {
			option := discord.CommandOption{Name: name, Value: fmt.Sprint(value)}
			i.Command.Options = append(i.Command.Options, option)
		}
		change(i)
	})
}

// presses has somebody press a button below a message that they alone see.
func (r *room) presses(who graph.UserID, message discordtest.Message, button string) discordtest.Interaction {
	r.t.Helper()
	id, err := r.Discord.Interactions.Press(r.Channel, message.ID, who, button)
	errtest.None(r.T, err)
	return r.answered(id, func(i *discord.Interaction) {
		i.Type, i.CustomID, i.Message, i.Private = discord.InteractionComponent, button, message.ID, true
	})
}

// answered has the commands answer an interaction, as filled in by fill, and returns what
// became of it.
func (r *room) answered(id discordtest.InteractionID, fill func(*discord.Interaction)) discordtest.Interaction {
	r.t.Helper()
	in, place := r.arrived(id), r.Place()
	fill(&in)
	place.Foreign = in.Foreign
	if ask := r.commands.Answer(r.Context(), in, place); ask != nil {
		ask(r.Context())
	}
	became, _ := r.Discord.Interactions.Find(id)
	return became
}

// arrived returns an interaction in the room's channel, without what it is about.
func (r *room) arrived(id discordtest.InteractionID) discord.Interaction {
	in, _ := r.Discord.Interactions.Find(id)
	return discord.Interaction{
		ID: discord.InteractionID(in.ID), Application: r.Self, Token: in.Token, Guild: r.Guild, Channel: r.Channel,
		User: discord.User{ID: in.Who}, Member: &discord.Member{}, Locale: "en-US",
	}
}

// privately fails the test unless only the person who used a command reads the answer to
// it, and it says what it should. It returns the answer.
func (r *room) privately(what string, in discordtest.Interaction, want ...string) discordtest.Message {
	r.t.Helper()
	if len(in.Private) == 0 || len(in.Public) > 0 {
		r.t.Fatalf("%s: %d private answers and %d public ones, want a private one; logged was\n%s", what, len(in.Private), len(in.Public), r.Logged())
	}
	for _, one := range want {
		if !strings.Contains(in.Private[0].Content, one) {
			r.t.Errorf("%s: %q is said, want %q in it", what, in.Private[0].Content, one)
		}
	}
	return in.Private[0]
}

func asIs(*discord.Interaction) {}

// done answers a command with that word.
func done(context.Context, *commands.Use) (commands.Reply, error) {
	return commands.Reply{Text: "done"}, nil
}
