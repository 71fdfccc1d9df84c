package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
)

// depsOf returns what a bot in an environment works with.
func depsOf(h *roomtest.Env) Deps {
	connection := gateway.NewShards(gateway.ShardsConfig{Gateway: gateway.Config{REST: h.REST}})
	return Deps{REST: h.REST, Guilds: guilds.New(h.REST), Gateway: connection, History: h.History, Replies: h.Replies, Model: h.Client, Store: h.Store, Limits: h.Limits(), Servers: new(tools.Servers), Log: h.Log}
}

// run runs a bot in an environment for as long as the script takes.
func run(t *testing.T, h *roomtest.Env, play func(b *Bot, events gateway.Handler)) {
	t.Helper()
	runWith(t, h, Settings{Lease: 20 * time.Second, Grace: discordtest.Patience}, play)
}

// runWith is run with settings.
func runWith(t *testing.T, h *roomtest.Env, settings Settings, play func(b *Bot, events gateway.Handler)) {
	t.Helper()
	settings.Overrides.Model = "test-model"
	b := New(depsOf(h), settings)
	if err := b.serve(h.Context(), h.Self, func(_ context.Context, events gateway.Handler) error {
		play(b, events)
		return context.Canceled
	}); err != nil {
		t.Errorf("the bot ends with %v, want no error", err)
	}
}

// connected returns a new connection, and guild the data of the GUILD_CREATE that follows
// it.
func connected(h *roomtest.Env) gateway.Connected {
	return gateway.Connected{Ready: discord.Ready{User: discord.User{ID: h.Self}}}
}

func guild(h *roomtest.Env) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"id":"%[1]d","roles":[{"id":"%[1]d","permissions":"66560"}],"channels":[{"id":"%[2]d","type":0}]}`, h.Guild, h.Channel))
}

// event returns the event of a message.
func event(t *testing.T, h *roomtest.Env, id graph.MessageID) json.RawMessage {
	t.Helper()
	raw := errtest.Must(h.REST.Get(h.Context(), "/channels/"+h.Channel.String()+"/messages/"+id.String(), nil))(t)
	return json.RawMessage(strings.Replace(string(raw), "{", fmt.Sprintf(`{"guild_id":"%d",`, h.Guild), 1))
}

// TestWhatCannotBeReadIsIgnoredAndLogged sends events that are damaged.
func TestWhatCannotBeReadIsIgnoredAndLogged(t *testing.T) {
	h := roomtest.New(t)
	names := []string{
		"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "MESSAGE_REACTION_ADD", "THREAD_LIST_SYNC",
		"INTERACTION_CREATE", "GUILD_CREATE", "GUILD_DELETE", "CHANNEL_DELETE",
	}
	run(t, h, func(_ *Bot, events gateway.Handler) {
		for _, name := range names {
			events.Event(name, json.RawMessage(`"what a person wrote"`))
		}
		events.Event("SOMETHING_TO_COME", json.RawMessage(`{}`))
	})
	for _, name := range names {
		if !strings.Contains(h.Logged(), `msg="an event could not be read and is ignored" event=`+name+" ") {
			t.Errorf("of %s nothing is logged", name)
		}
	}
	if strings.Contains(h.Logged(), "what a person wrote") || strings.Contains(h.Logged(), "SOMETHING_TO_COME") {
		t.Errorf("logged was %s, want no %q in it and no %q in it", h.Logged(), "what a person wrote", "SOMETHING_TO_COME")
	}
}

func TestOnlyAnErrorOfTheGatewayEndsTheBotWithOne(t *testing.T) {
	h := roomtest.New(t)
	broken := errors.New("the gateway is broken")
	b := New(depsOf(h), Settings{Lease: time.Second})
	if err := b.serve(h.Context(), h.Self, func(context.Context, gateway.Handler) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the bot ends with %v, want %v", err, broken)
	}
}

func TestARefusedTokenEndsTheBotBeforeItConnects(t *testing.T) {
	h := roomtest.New(t)
	h.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteApplication), http.StatusUnauthorized, 0, "401: Unauthorized"))
	b := New(depsOf(h), Settings{Lease: time.Second})
	if err := b.Run(h.Context()); !errors.Is(err, gateway.ErrToken) {
		t.Errorf("the bot ends with %v, want %v", err, gateway.ErrToken)
	}
	if n := h.Discord.Gateway.State().Opened; n != 0 {
		t.Errorf("it connected %d times, want it to end before", n)
	}
}

func TestIntroducingNamesTheInvitationAndTheMissingIntent(t *testing.T) {
	for name, test := range map[string]struct {
		body            string
		invited, warned bool
	}{
		"the intent is on":         {`{"id":"7","flags":262144}`, true, false},
		"the intent of few guilds": {`{"id":"7","flags":"524288"}`, true, false},
		"the intent is off":        {`{"id":"7","flags":0}`, true, true},
		"no flags":                 {`{"id":7}`, true, false},
		"another server":           {`[]`, false, false},
		"an id that is none":       {`{"id":"seven"}`, false, false},
	} {
		h := roomtest.New(t)
		h.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteApplication), Status: http.StatusOK, Body: test.body})
		id, err := introduce(h.Context(), h.REST, h.Log)
		if err != nil || (id == 7) != test.invited {
			t.Errorf("%s: the application is %v, %v, want it told: %t, and no error", name, id, err, test.invited)
		}
		invited := strings.Contains(h.Logged(), "client_id=7") && strings.Contains(h.Logged(), "permissions=309238795264")
		if warned := strings.Contains(h.Logged(), "Message Content intent"); invited != test.invited || warned != test.warned {
			t.Errorf("%s: the log is %s, want an invitation: %t, and a warning: %t", name, h.Logged(), test.invited, test.warned)
		}
	}
}
