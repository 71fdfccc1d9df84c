package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/deferred"
	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

// script is a gateway that plays what a test does with the events' receiver.
type script func(ctx context.Context, events gateway.Handler) error

func (s script) Run(ctx context.Context, events gateway.Handler) error { return s(ctx, events) }

// depsOf returns what a bot in an environment works with.
func depsOf(h *roomtest.Env, events script) Deps {
	return Deps{REST: h.REST, Gateway: events, History: h.History, Outbox: h.Outbox, Model: h.Client, Store: h.Store, Log: h.Log}
}

// run runs a bot in an environment for as long as the script takes.
func run(t *testing.T, h *roomtest.Env, play func(b *Bot, events gateway.Handler)) {
	t.Helper()
	runWith(t, h, Settings{Grace: discordtest.Patience}, play)
}

// runWith is run with settings.
func runWith(t *testing.T, h *roomtest.Env, settings Settings, play func(b *Bot, events gateway.Handler)) {
	t.Helper()
	var b *Bot
	b, err := New(depsOf(h, func(_ context.Context, events gateway.Handler) error {
		play(b, events)
		return context.Canceled
	}), settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Run(h.Context()); err != nil {
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
	raw, err := h.REST.Get(h.Context(), "/channels/"+h.Channel.String()+"/messages/"+id.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return json.RawMessage(strings.Replace(string(raw), "{", fmt.Sprintf(`{"guild_id":"%d",`, h.Guild), 1))
}

func TestANewMessageIsHeardAndAnswered(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	h.Model.Queue(openaitest.Answer("Over, under."))
	id, err := h.Discord.Chat.Post(h.Channel, h.Ann, discordtest.Draft{Content: h.Mention("how?")})
	if err != nil {
		t.Fatal(err)
	}
	run(t, h, func(_ *Bot, events gateway.Handler) {
		events.Connected(connected(h))
		events.Event("GUILD_CREATE", guild(h))
		events.Event("MESSAGE_CREATE", event(t, h, id))
		if m, ok := h.History.Message(h.Channel, id); !ok || m.Author != h.Ann {
			t.Errorf("the history holds %+v, %t, want Author %v and true", m, ok, h.Ann)
		}
		if _, err := h.Discord.Chat.AwaitMessage(h.Context(), h.Channel, func(m discordtest.Message) bool { return m.Content == "Over, under." }); err != nil {
			t.Errorf("waited for the answer: %v; logged was\n%s", err, h.Logged())
		}
		events.Event("MESSAGE_DELETE", json.RawMessage(fmt.Sprintf(`{"id":"%d","channel_id":"%d","guild_id":"%d"}`, id, h.Channel, h.Guild)))
		if _, ok := h.History.Message(h.Channel, id); ok {
			t.Error("the history holds a deleted message, want it gone")
		}
		events.Disconnected()
	})
	if all, err := h.Store.Responses.ByTrigger(h.Context(), store.GuildScope(h.Guild), id); err != nil || len(all) != 0 {
		t.Errorf("of a deleted question the store holds %+v, %v, want none and no error", all, err)
	}
}

// TestWhatCannotBeReadIsIgnoredAndLogged sends events that are damaged.
func TestWhatCannotBeReadIsIgnoredAndLogged(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	h := roomtest.New(t)
	broken := errors.New("the gateway is broken")
	b, err := New(depsOf(h, func(context.Context, gateway.Handler) error { return broken }), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Run(h.Context()); !errors.Is(err, broken) {
		t.Errorf("the bot ends with %v, want %v", err, broken)
	}
}

func TestARefusedTokenEndsTheBotBeforeItConnects(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	h.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteApplication), http.StatusUnauthorized, 0, "401: Unauthorized"))
	b, err := New(depsOf(h, func(context.Context, gateway.Handler) error {
		t.Error("it connected, want it to end before")
		return nil
	}), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Run(h.Context()); !errors.Is(err, gateway.ErrToken) {
		t.Errorf("the bot ends with %v, want %v", err, gateway.ErrToken)
	}
}

func TestIntroducingNamesTheInvitationAndTheMissingIntent(t *testing.T) {
	t.Parallel()
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

func TestNewNamesEverythingThatIsMissingInOrder(t *testing.T) {
	t.Parallel()
	if _, err := New(Deps{}, Settings{}); err == nil || !strings.HasSuffix(err.Error(), ": REST, Gateway, History, Outbox, Model, Store") {
		t.Errorf("without anything the error is %v, want an error and %q at its end", err, ": REST, Gateway, History, Outbox, Model, Store")
	}
	h := roomtest.New(t)
	deps := depsOf(h, nil)
	deps.Outbox = nil
	if _, err := New(deps, Settings{}); err == nil || !strings.HasSuffix(err.Error(), ": Outbox") {
		t.Errorf("without an outbox the error is %v, want an error and %q at its end", err, ": Outbox")
	}
	deps.Outbox, deps.Log = h.Outbox, nil
	if _, err := New(deps, Settings{}); err != nil {
		t.Errorf("with all that is needed, New fails: %v, want no error", err)
	}
	if got := (Settings{}).orDefaults(); got.Lease != 20*time.Second || got.Grace != 8*time.Second || got.Flush != 1500*time.Millisecond {
		t.Errorf("the defaults are %+v, want Lease %v, Grace %v and Flush %v", got, 20*time.Second, 8*time.Second, 1500*time.Millisecond)
	}
	if chosen := (Settings{Lease: 1, Grace: 2, Flush: 3}); fmt.Sprint(chosen.orDefaults()) != fmt.Sprint(chosen) {
		t.Errorf("chosen settings become %+v, want %+v", chosen.orDefaults(), chosen)
	}
}

// erasing is a store that erases what it is told to, unless it is away.
type erasing struct {
	away      atomic.Bool
	erased    []string
	cleared   []graph.MessageID
	recounted []store.Place
	takenBack []graph.MessageID
}

func (e *erasing) add(what string) error {
	if e.away.Load() {
		return store.ErrUnavailable
	}
	e.erased = append(e.erased, what)
	return nil
}

func (e *erasing) Forget(_ context.Context, scope store.Scope, channel graph.ChannelID, messages []graph.MessageID) (store.Stale, error) {
	at := store.Place{Scope: scope, Channel: 77, Message: messages[0]}
	return store.Stale{Counts: []store.Place{at}, Buttons: []store.Place{at}}, e.add(fmt.Sprint(scope, " ", channel, " ", messages))
}

func (e *erasing) PutRight(stale store.Stale) {
	e.recounted = append(e.recounted, stale.Counts...)
	for _, at := range stale.Buttons {
		e.cleared = append(e.cleared, at.Message)
	}
}

// Answers returns a message of an answer to each that was deleted.
func (e *erasing) Answers(_ context.Context, _ store.Scope, deleted []graph.MessageID) map[graph.MessageID][]graph.MessageID {
	answers := make(map[graph.MessageID][]graph.MessageID)
	for _, id := range deleted {
		answers[id] = []graph.MessageID{id + 1}
	}
	return answers
}

func (e *erasing) TakeBack(deleted discord.Delete, answers map[graph.MessageID][]graph.MessageID) {
	for _, id := range deleted.Messages {
		e.takenBack = append(e.takenBack, answers[id]...)
	}
}

func (e *erasing) ForgetChannel(_ context.Context, scope store.Scope, channel graph.ChannelID) error {
	return e.add(fmt.Sprint(scope, " ", channel))
}

func (e *erasing) ForgetGuild(_ context.Context, guild graph.GuildID) error {
	return e.add(fmt.Sprint(guild))
}

func (e *erasing) Edited(_ context.Context, channel graph.ChannelID, message graph.MessageID, edited time.Time) error {
	return e.add(fmt.Sprint(channel, " ", message, " edited ", edited.Unix()))
}

// Offering returns the message above each that was deleted.
func (e *erasing) Offering(_ context.Context, _ store.Scope, _ graph.ChannelID, deleted []graph.MessageID) []graph.MessageID {
	var above []graph.MessageID
	for _, id := range deleted {
		above = append(above, id+100)
	}
	return above
}

// TestEditsGatherWhileTheStoreIsAway has a message edited many times.
func TestEditsGatherWhileTheStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, writes := &erasing{}, deferred.New(slog.New(slog.DiscardHandler))
		at.away.Store(true)
		d := newDeletions(at, writes, at, nil)
		go writes.Run(t.Context())
		for n := range 3 * deferred.Most {
			d.edited(2, 10, time.Unix(int64(n), 0))
		}
		synctest.Wait() // the last is being written, in vain
		d.edited(2, 10, time.Unix(77, 0))
		d.edited(3, 11, time.Unix(78, 0))
		at.away.Store(false)
		_ = wait.For(t.Context(), 2*deferred.Retry)
		d.edited(4, 12, time.Unix(79, 0))
		writes.Close()
		synctest.Wait()
		slices.Sort(at.erased)
		if want := []string{"2 10 edited 77", "3 11 edited 78", "4 12 edited 79"}; !slices.Equal(at.erased, want) {
			t.Errorf("written is %q, want %q", at.erased, want)
		}
	})
}

func TestDeletionsGatherByChannelWhileTheStoreIsAwayAndNoneIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, writes := &erasing{}, deferred.New(slog.New(slog.DiscardHandler))
		at.away.Store(true)
		d := newDeletions(at, writes, at, nil)
		deleted := func(scope store.Scope, channel graph.ChannelID, ids ...graph.MessageID) {
			d.messages(scope, discord.Delete{Channel: channel, Messages: ids}, at)
		}
		go writes.Run(t.Context())
		deleted("g1", 2, 10)
		synctest.Wait() // it is being written, in vain
		for n := range 3 * deferred.Most {
			deleted("g1", 2, graph.MessageID(n+20))
		}
		deleted("g1", 3, 11, 12)
		d.channel(guilds.Lost{Channel: 4, Scope: "g1"})
		d.guild(9)
		at.away.Store(false)
		_ = wait.For(t.Context(), 2*deferred.Retry)
		writes.Close()
		synctest.Wait()
		if len(at.erased) != 5 || at.erased[0] != "g1 2 [10]" || !slices.Equal(at.erased[2:], []string{"g1 3 [11 12]", "g1 4", "9"}) ||
			strings.Count(at.erased[1], " ") != 3*deferred.Most+1 {
			t.Errorf("%d writes were made: %.200q; want 5, the second with %d messages", len(at.erased), at.erased, 3*deferred.Most)
		}
		if len(at.takenBack) != 3*deferred.Most+3 || at.takenBack[0] != 11 || at.takenBack[1] != 21 {
			t.Errorf("the answers to %d messages were taken back, want %d, with 11 and 21 first", len(at.takenBack), 3*deferred.Most+3)
		}
		if len(at.recounted) != 3 || at.recounted[0] != (store.Place{Scope: "g1", Channel: 77, Message: 10}) {
			t.Errorf("counted anew is below %v, want 3 of them and %v first", at.recounted, (store.Place{Scope: "g1", Channel: 77, Message: 10}))
		}
		if len(at.cleared) != 3*deferred.Most+6 || at.cleared[0] != 10 || at.cleared[1] != 110 {
			t.Errorf("the buttons of %d messages were cleared, want %d, with 10 and 110 first", len(at.cleared), 3*deferred.Most+6)
		}
	})
}
