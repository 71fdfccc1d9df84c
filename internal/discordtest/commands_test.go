package discordtest_test

import (
	"errors"
	"net/http"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

const weave = `[{"name":"weave","description":"Weaves","default_member_permissions":null,"options":[` +
	`{"type":1,"name":"cloth","description":"a cloth","options":[` +
	`{"type":3,"name":"yarn","description":"of what","required":true,"choices":[{"name":"Wool","value":"wool"}]},` +
	`{"type":4,"name":"rows","description":"how many","min_value":1,"max_value":9},` +
	`{"type":7,"name":"where","description":"where"},{"type":5,"name":"fast","description":"at once"}]}]},` +
	`{"type":3,"name":"Show the weft","contexts":[0]},{"type":3,"name":"Anywhere","integration_types":[1]},` +
	`{"name":"tune","description":"Tunes","default_member_permissions":"32"}]`

func (p *place) register(t *testing.T, body string) answer {
	t.Helper()
	return p.do(t, http.MethodPut, "/applications/"+p.bot.Application.String()+"/commands", body)
}

func TestOnlyOfferedCommandsAreUsed(t *testing.T) {
	p := newPlace(t, free())
	p.register(t, weave)
	bob := p.People.AddUser("bob", p.guild)
	m := p.created(t, `{"content":"a warp"}`)
	elsewhere := p.World.AddGuild("elsewhere")
	p.People.Join(elsewhere, bob)
	far := p.World.AddChannel(elsewhere, discordtest.ChannelDraft{Name: "far"})
	target := errtest.Must(p.Chat.Post(far, bob, discordtest.Draft{Content: "a far warp"}))(t)
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
			"yarn": "wool", "rows": 9, "where": p.channel, "fast": true,
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
