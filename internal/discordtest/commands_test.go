package discordtest_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

const weave = `[{"name":"weave","description":"Weaves","default_member_permissions":null,"options":[` +
	`{"type":1,"name":"cloth","description":"a cloth","options":[` +
	`{"type":3,"name":"yarn","description":"of what","required":true,"choices":[{"name":"Wool","value":"wool"}]},` +
	`{"type":4,"name":"rows","description":"how many","min_value":1,"max_value":9},` +
	`{"type":6,"name":"for","description":"whom"},{"type":7,"name":"where","description":"where"},` +
	`{"type":8,"name":"role","description":"who may"},{"type":5,"name":"fast","description":"at once"}]}]},` +
	`{"type":3,"name":"Show the weft","contexts":[0]},{"type":3,"name":"Anywhere","integration_types":[1]},` +
	`{"name":"tune","description":"Tunes","default_member_permissions":"32"}]`

func (p *place) register(t *testing.T, body string) answer {
	t.Helper()
	return p.do(t, http.MethodPut, "/applications/"+p.bot.Application.String()+"/commands", body)
}

func TestCommandsAreCheckedAsOnDiscord(t *testing.T) {
	p := newPlace(t, free())
	option := func(fields string) string {
		return `[{"name":"weave","description":"x","options":[{"type":3,"name":"yarn","description":"x"` + fields + `}]}]`
	}
	for name, c := range map[string]struct{ body, want string }{
		"no commands":        {`[1]`, "0 MODEL_TYPE_CONVERT"},
		"capital letters":    {`[{"name":"Weave","description":"x"}]`, "0.default.name APPLICATION_COMMAND_INVALID_NAME"},
		"a space":            {`[{"name":"we ave","description":"x"}]`, "0.default.name APPLICATION_COMMAND_INVALID_NAME"},
		"a long name":        {`[{"name":"` + strings.Repeat("ü", 33) + `","description":"x"}]`, "0.default.name APPLICATION_COMMAND_INVALID_NAME"},
		"a name in German":   {`[{"name":"weave","name_localizations":{"de":"Weben"},"description":"x"}]`, "0.de.name APPLICATION_COMMAND_INVALID_NAME"},
		"no such language":   {`[{"name":"weave","name_localizations":{"en":"weave"},"description":"x"}]`, "0.name_localizations.en BASE_TYPE_CHOICES"},
		"no description":     {`[{"name":"weave"}]`, "0.default.description BASE_TYPE_BAD_LENGTH"},
		"a description":      {`[{"name":"Weave","type":3,"description":"x"}]`, "0.description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID"},
		"twice":              {`[{"name":"weave","description":"x"},{"name":"weave","description":"y"}]`, "1.name APPLICATION_COMMANDS_DUPLICATE_NAME"},
		"an odd type":        {`[{"name":"weave","description":"x","type":9}]`, "0.type BASE_TYPE_CHOICES"},
		"too many choices":   {option(`,"choices":[` + strings.Repeat(`{"name":"a","value":"a"},`, 25) + `{"name":"a","value":"a"}]`), "0.options.0.choices BASE_TYPE_MAX_LENGTH"},
		"a long choice":      {option(`,"choices":[{"name":"a","value":"` + strings.Repeat("a", 101) + `"}]`), "0.options.0.choices.0.value BASE_TYPE_MAX_LENGTH"},
		"choices, completed": {option(`,"autocomplete":true,"choices":[{"name":"a","value":"a"}]`), "0.options.0.autocomplete APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES"},
		"the same options":   {option(`},{"type":3,"name":"yarn","description":"x"`), "0.options.1.name APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"},
		"required too late":  {option(`},{"type":3,"name":"b","description":"x","required":true`), "0.options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"},
		"over 8000 in all": {option(`,"choices":[` + strings.TrimSuffix(strings.Repeat(`{"name":"`+strings.Repeat("a", 100)+`","value":"`+strings.Repeat("a", 100)+`"},`, 25), ",") +
			`]},{"type":3,"name":"b","description":"x","choices":[` + strings.TrimSuffix(strings.Repeat(`{"name":"`+strings.Repeat("a", 100)+`","value":"`+strings.Repeat("a", 100)+`"},`, 25), ",") + `]`), "0 APPLICATION_COMMAND_TOO_LARGE"},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.register(t, c.body)
			if got := formError(t, a); a.status != http.StatusBadRequest || got != c.want {
				t.Errorf("got %q in %d %s, want %q and %d", got, a.status, a.body, c.want, http.StatusBadRequest)
			}
		})
	}
	if commands := p.People.Commands(p.bot.User); len(commands) > 0 {
		t.Errorf("what was refused is registered: %v, want none", commands)
	}
}

func TestCommandsKeepTheirIDs(t *testing.T) {
	p := newPlace(t, free())
	p.register(t, weave)
	before := p.People.Commands(p.bot.User)
	p.register(t, strings.Replace(weave, "Weaves", "Weaves well", 1))
	after := p.People.Commands(p.bot.User)
	if len(after) != 4 || before[0].ID != after[0].ID || before[1].ID != after[1].ID || after[0].Description != "Weaves well" {
		t.Errorf("the commands %+v became %+v, want them unchanged", before, after)
	}
}

func TestOnlyOfferedCommandsAreUsed(t *testing.T) {
	p := newPlace(t, free())
	p.register(t, weave)
	bob := p.People.AddUser("bob", p.guild)
	m := p.created(t, `{"content":"a warp"}`)
	elsewhere := p.World.AddGuild("elsewhere")
	p.People.Join(elsewhere, bob)
	far := p.World.AddChannel(elsewhere, discordtest.ChannelDraft{Name: "far"})
	target, err := p.Chat.Post(far, bob, discordtest.Draft{Content: "a far warp"})
	if err != nil {
		t.Fatal(err)
	}
	cloth := func(options map[string]any) discordtest.Invocation {
		return discordtest.Invocation{Command: "weave cloth", Options: options}
	}
	use := func(channel graph.ChannelID, use discordtest.Invocation) error {
		_, err := p.Interactions.Invoke(channel, bob, p.bot.User, use)
		return err
	}
	for name, c := range map[string]struct {
		channel graph.ChannelID
		use     discordtest.Invocation
		ok      bool
	}{
		"all options": {p.channel, cloth(map[string]any{
			"yarn": "wool", "rows": 9, "for": p.ann, "where": p.channel, "role": graph.RoleID(p.guild), "fast": true,
		}), true},
		"no subcommand":       {p.channel, discordtest.Invocation{Command: "weave"}, false},
		"another subcommand":  {p.channel, discordtest.Invocation{Command: "weave net"}, false},
		"no required option":  {p.channel, cloth(nil), false},
		"not among choices":   {p.channel, cloth(map[string]any{"yarn": "silk"}), false},
		"out of bounds":       {p.channel, cloth(map[string]any{"yarn": "wool", "rows": 10}), false},
		"of another type":     {p.channel, cloth(map[string]any{"yarn": "wool", "rows": "9"}), false},
		"an unknown option":   {p.channel, cloth(map[string]any{"yarn": "wool", "dye": "red"}), false},
		"not permitted":       {p.channel, discordtest.Invocation{Command: "tune"}, false},
		"in a message's menu": {p.channel, discordtest.Invocation{Command: "Show the weft", Target: m.ID}, true},
		"without a message":   {p.channel, discordtest.Invocation{Command: "Show the weft"}, false},
		"for no installation": {p.channel, discordtest.Invocation{Command: "Anywhere", Target: m.ID}, false},
		"where no bot is":     {far, discordtest.Invocation{Command: "Anywhere", Target: target}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := use(c.channel, c.use); (err == nil) != c.ok || err != nil && !errors.Is(err, discordtest.ErrCommand) {
				t.Errorf("using the command fails: %v", err)
			}
		})
	}
	p.People.InstallFor(bob, p.bot.User)
	if err := use(far, discordtest.Invocation{Command: "Anywhere", Target: target}); err != nil {
		t.Errorf("a person's own installation is not used: %v", err)
	}
	if err := use(far, discordtest.Invocation{Command: "Show the weft", Target: target}); !errors.Is(err, discordtest.ErrCommand) {
		t.Errorf("using a guild's command in a place without the bot returns %v, want %v", err, discordtest.ErrCommand)
	}
}

func TestACommandComesWithAFile(t *testing.T) {
	p := newPlace(t, free())
	p.register(t, `[{"name":"weave","description":"x","options":[{"type":11,"name":"pattern","description":"x"}]}]`)
	use := func(value any) (discordtest.InteractionID, error) {
		return p.Interactions.Invoke(p.channel, p.ann, p.bot.User, discordtest.Invocation{Command: "weave", Options: map[string]any{"pattern": value}})
	}
	if _, err := use("pattern.txt"); !errors.Is(err, discordtest.ErrCommand) {
		t.Errorf("passing a string for a file returns %v, want %v", err, discordtest.ErrCommand)
	}
	if _, err := use(discordtest.Attachment{Name: "pattern.txt", Data: []byte("over, under")}); err != nil {
		t.Errorf("passing a file fails: %v", err)
	}
}
