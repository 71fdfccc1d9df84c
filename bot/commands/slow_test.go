package commands_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/roomtest"
)

// TestWhoUsesACommandThatTakesTooLongIsTold presses a button whose answer does not end in
// its time. What is said then still arrives.
func TestWhoUsesACommandThatTakesTooLongIsTold(t *testing.T) {
	t.Parallel()
	env := roomtest.New(t)
	all := commands.New(commands.Deps{
		Outbox: env.Outbox.Interactions(), People: struct{ commands.People }{}, REST: env.REST, Log: env.Log,
		Explain: func(err error) phrases.Phrase { return phrases.Phrase{ID: phrases.ID(err.Error())} },
	}, commands.Settings{}, commands.Command{
		Name: "heddle slow", Anywhere: true, Within: time.Nanosecond, Buttons: "heddle:slow:", Afresh: true,
		Press: func(ctx context.Context, _ *commands.Use, _ string) (commands.Reply, error) {
			<-ctx.Done()
			return commands.Reply{}, ctx.Err()
		},
	})
	if _, err := env.REST.Do(env.Context(), discord.Call{
		Method: "POST", Path: "/channels/" + env.Channel.String() + "/messages",
		Body: map[string]any{"content": "Press.", "components": json.RawMessage(`[{"type":1,"components":[{"type":2,"style":2,"label":"x","custom_id":"heddle:slow:"}]}]`)},
	}); err != nil {
		t.Fatal(err)
	}
	answered := env.Said()[0].ID
	pressed, err := env.Discord.Interactions.Press(env.Channel, answered, env.Bob, "heddle:slow:")
	if err != nil {
		t.Fatal(err)
	}
	in, _ := env.Discord.Interactions.Find(pressed)
	all.Answer(env.Context(), discord.Interaction{
		ID: discord.InteractionID(in.ID), Application: env.Self, Token: in.Token, Guild: env.Guild, Channel: env.Channel,
		Message: answered, User: discord.User{ID: env.Bob}, CustomID: "heddle:slow:", Type: discord.InteractionComponent,
	}, env.Place())
	in, err = env.Discord.Interactions.Await(env.Context(), pressed, func(in discordtest.Interaction) bool { return len(in.Private) > 0 })
	if err != nil {
		t.Fatalf("waited for the presser to be told that it took too long: %v; logged was\n%s", err, env.Logged())
	}
	if got := in.Private[0].Content; !strings.Contains(got, "deadline") {
		t.Errorf("who pressed reads %q, want that it took too long", got)
	}
}
