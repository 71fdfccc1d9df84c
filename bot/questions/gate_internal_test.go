package questions

import (
	"reflect"
	"slices"
	"testing"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
)

func TestWishesAreWholeMessages(t *testing.T) {
	self := guilds.Self{User: 9, Role: 8}
	for content, want := range map[string]phrases.ID{
		"<@9> forget me": "forgotten", "<@!9> Forget me!": "forgotten", "<@&8>\nplease forget me.": "forgotten", "forget me": "forgotten",
		"<@9> opt out": "opted_out", "opt-out <@9>": "opted_out", "<@9> OPTOUT": "opted_out", "<@9> Opt me out, please": "opted_out",
		"<@9> opt in": "opted_in", "<@9>opt-in": "opted_in",
		"<@9> Vergiss mich, bitte!": "forgotten", "<@9> lies mich nicht mehr": "opted_out", "bitte melde mich an <@9>": "opted_in",
		"<@9> ¡Olvídame, por favor!": "forgotten", "<@9> olvi\u0301dame": "forgotten", "<@9> no me leas.": "opted_out", "<@9> inclúyeme": "opted_in",
		"<@9> 忘れてください。": "forgotten", "<@9>読まないで": "opted_out", "<@9> オプトイン": "opted_in", "<@9> ｵﾌﾟﾄｱｳﾄ": "opted_out",
		"<@9> vergiss mich nicht": "", "<@9> no me olvides": "", "<@9> please": "", "<@9> 読んで": "",
		"": "", "<@9>": "", "<@9> forget": "", "<@9> forget me not": "", "<@9> don't forget me": "",
		"<@9> <@7> forget me": "", "<@9> how do I opt out?": "", "<@9> opt out 2": "", "<@90> opt out": "",
	} {
		if got := newWishes().in(&discord.Message{Content: content}, self); got != want {
			t.Errorf("%q is taken for %q, want %q", content, got, want)
		}
	}
}

// TestNoWordsAreTwoWishes has each wish be one in every language, and no other.
func TestNoWordsAreTwoWishes(t *testing.T) {
	known := newWishes()
	for id, want := range map[phrases.ID]phrases.ID{"opt_in_words": "opted_in", "opt_out_words": "opted_out", "forget_me_words": "forgotten"} {
		for _, words := range phrases.Words(id) {
			for _, said := range slices.Concat([]string{words}, known.please) {
				text := "<@9> " + said + " " + words
				if said == words {
					text = "<@9> " + words
				}
				if got := known.in(&discord.Message{Content: text}, guilds.Self{User: 9, Role: 8}); got != want {
					t.Errorf("%q is taken for %q, want %q", text, got, want)
				}
			}
		}
	}
}

func TestListsDecideWhoMayAsk(t *testing.T) {
	const (
		ann, bob     = 1, 2
		staff, muted = 11, 12
		general, off = 21, 22
		home, other  = 31, 32
	)
	member := func(user graph.UserID, roles ...graph.RoleID) Asker {
		return Asker{User: user, Guild: home, Channel: general, Member: &discord.Member{Roles: roles}}
	}
	in := func(by Asker, change func(*Asker)) Asker { change(&by); return by }
	for name, test := range map[string]struct {
		settings GateSettings
		may, not []Asker
	}{
		"nothing is set": {may: []Asker{member(ann), {User: bob, Channel: 5}, {User: bob, Guild: home, Channel: off}}},
		"people and roles are allowed": {
			GateSettings{People: []uint64{ann, staff}},
			[]Asker{member(ann), {User: ann, Channel: 5}, member(bob, muted, staff)},
			[]Asker{member(bob), member(bob, muted), {User: bob, Channel: 5}, {User: bob, Guild: home}},
		},
		"a person is blocked, and a role": {
			GateSettings{Block: []uint64{bob, muted}},
			[]Asker{member(ann, staff), {User: ann, Channel: 5}},
			[]Asker{member(bob), {User: bob, Channel: 5}, member(ann, staff, muted), {User: ann, Guild: home}},
		},
		"a blocked role beats an allowed person": {
			GateSettings{People: []uint64{ann}, Block: []uint64{muted}},
			[]Asker{member(ann), {User: ann, Guild: home, Channel: general}},
			[]Asker{member(ann, muted), {User: bob, Guild: home, Channel: general}},
		},
		"a channel is allowed": {
			GateSettings{Places: []uint64{general}},
			[]Asker{member(ann), in(member(ann), func(a *Asker) { a.Channel, a.Parent = 99, general }), {User: ann, Channel: 5}},
			[]Asker{in(member(ann), func(a *Asker) { a.Channel = off })},
		},
		"a channel is blocked": {
			GateSettings{Block: []uint64{off}},
			[]Asker{member(ann)},
			[]Asker{in(member(ann), func(a *Asker) { a.Channel = off }), in(member(ann), func(a *Asker) { a.Channel, a.Parent = 99, off })},
		},
		"a guild is allowed, and a channel of another": {
			GateSettings{Places: []uint64{home, off}},
			[]Asker{member(ann), {User: ann, Channel: 5}, in(member(ann), func(a *Asker) { a.Guild, a.Channel = other, off })},
			[]Asker{in(member(ann), func(a *Asker) { a.Guild = other }), in(member(ann), func(a *Asker) { a.Guild = 33 })},
		},
		"a guild is blocked, and a channel in it allowed": {
			GateSettings{Places: []uint64{general}, Block: []uint64{other}},
			[]Asker{member(ann), {User: ann, Channel: 5}},
			[]Asker{in(member(ann), func(a *Asker) { a.Guild = other })},
		},
	} {
		for _, by := range slices.Concat(test.may, test.not) {
			want := slices.ContainsFunc(test.may, func(a Asker) bool { return reflect.DeepEqual(a, by) })
			if got := (&Gate{settings: test.settings}).Permits(by); got != want {
				t.Errorf("%s: whether %+v may ask is %t, want %t", name, by, got, want)
			}
		}
	}
}

// TestBotsAskAFewTimesInARow ends with as many channels in which bots asked as are remembered: a bot
// may ask in a new one all the same (finding 4.7).
func TestBotsAskAFewTimesInARow(t *testing.T) {
	b := &NewGate(nil, nil, GateSettings{}).bots
	says := func(channel graph.ChannelID, id graph.MessageID, bot bool) *discord.Message {
		m := &discord.Message{ID: id, Channel: channel, Author: discord.User{ID: 7, Bot: bot}}
		b.heard(m)
		return m
	}
	for _, step := range []struct {
		id   graph.MessageID
		want bool
	}{{1, true}, {2, true}, {3, true}, {3, true}, {1, true}, {4, false}, {5, false}} {
		if got := b.mayAsk(says(1, step.id, true)); got != step.want {
			t.Errorf("question %d of a bot is answered: %t, want %t", step.id, got, step.want)
		}
	}
	says(1, 0, false) // it is read once more, and older than what was counted
	if b.mayAsk(says(1, 5, true)) {
		t.Error("after an older message of a person's was read, a bot may ask")
	}
	says(1, 6, false)
	if b.mayAsk(says(1, 5, true)) {
		t.Error("a question of a bot that was refused is answered once a person has spoken")
	}
	if !b.mayAsk(says(1, 7, true)) {
		t.Error("after a person has spoken, a bot may not ask")
	}
	for channel := range graph.ChannelID(mostTalks) {
		b.mayAsk(says(2+channel, 9, true))
	}
	if !b.mayAsk(says(1, 10, true)) || !b.mayAsk(says(mostTalks+2, 11, true)) {
		t.Error("once bots asked in many channels, a bot may not ask in another")
	}
}
