package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// use is something that bob does with heddle: a command with its options, or the press of a
// button of an answer.
type use struct {
	command string
	options map[string]any
	button  string
	want    string // what he reads if the store does not work; "" for any sentence
}

// storeUses returns uses of heddle that need its store, and some that work without it.
func storeUses() []use {
	failed, noMemory := phrases.English(phrases.CommandFailed), phrases.English(phrases.NoMemory)
	return []use{
		{command: "heddle opt-out", want: failed},
		{command: "heddle forget-me", want: failed},
		{command: "heddle persona", options: map[string]any{"text": "Be kind."}, want: failed},
		{command: "heddle persona", want: "I have no persona of my own here."},
		{command: "heddle ask", options: map[string]any{"question": "well?", "private": true}, want: "Fine."},
		{command: "heddle ask", options: map[string]any{"question": "well?"}, want: "Fine."},
		{command: "heddle catchup"},
		{command: "heddle usage"},
		{command: "heddle status", want: "running since"},
		{command: "Show context", want: failed},
		{button: "Why?", want: failed},
		{button: "↻", want: noMemory},
		{button: "⋯", want: noMemory},
		{button: "◀", want: noMemory},
	}
}

// by has bob do what u says.
func (u use) by(s *scene, answer discordtest.Message) discordtest.InteractionID {
	s.t.Helper()
	if u.button != "" {
		return s.press(s.bob, answer, u.button)
	}
	invocation := discordtest.Invocation{Command: u.command, Options: u.options}
	if u.command == "Show context" {
		invocation.Target = answer.ID
	}
	id, err := s.discord.Interactions.Invoke(s.channel, s.bob, s.heddle.User, invocation)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// TestCommandsAndPressesEndInASentenceWhateverRedisAnswers has Redis refuse all commands, or
// those that write. Whoever uses heddle reads one sentence, and nothing is done by half.
func TestCommandsAndPressesEndInASentenceWhateverRedisAnswers(t *testing.T) {
	t.Parallel()
	writes := func(refusal string) map[string]string {
		return map[string]string{"evalsha": refusal, "eval": refusal, "set": refusal, "del": refusal}
	}
	for name, refuses := range map[string]map[string]string{
		"LOADING":  {"": "LOADING Redis is loading the dataset in memory"},
		"READONLY": writes("READONLY You can't write against a read only replica."),
		"OOM":      writes("OOM command not allowed when used memory > 'maxmemory'."),
		"MISCONF":  writes("MISCONF Redis is configured to save RDB snapshots"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.takeTime()
			s.admin(s.bob)
			relay := s.relayed()
			s.start("REDIS_URL="+relay.URL(), "OPERATORS="+s.bob.String())
			_, answer := s.joked()
			s.always(openaitest.Answer("Fine."))
			s.registered()
			relay.Refuse(refuses)
			for _, u := range storeUses() {
				s.shown(u.by(s, answer), u.want)
			}
			relay.Refuse(nil)
			s.runs(s.bob, "heddle persona", nil, "I have no persona of my own here.")
			s.answer(s.channel, s.ask(s.bob, "do you still read me?"), "Fine.")
			s.runs(s.bob, "heddle opt-out", nil, phrases.English(phrases.OptedOut))
		})
	}
}

// TestCommandsAndPressesAreAcknowledgedWhileRedisIsSilent has Redis answer nothing. Discord
// must be told within three seconds that an answer is coming, so nothing that tells it so
// may wait for the store.
func TestCommandsAndPressesAreAcknowledgedWhileRedisIsSilent(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.admin(s.bob)
	server := s.redis()
	s.start("REDIS_URL="+server.URL(), "OPERATORS="+s.bob.String())
	_, answer := s.joked()
	s.always(openaitest.Answer("Fine."))
	s.registered()
	if err := server.Pause(); err != nil {
		t.Fatal(err)
	}
	used := make(map[string]discordtest.InteractionID)
	for i, u := range storeUses() {
		used[fmt.Sprintf("%d %s%s", i, u.command, u.button)] = u.by(s, answer)
	}
	for name, id := range used {
		if _, err := s.discord.Interactions.Await(s.ctx, id, func(in discordtest.Interaction) bool { return in.Answered != 0 }); err != nil {
			t.Errorf("%s is not acknowledged while Redis is silent: %v", name, err)
		}
	}
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	for name, id := range used {
		if strings.Contains(name, "◀") || strings.Contains(name, "↻") {
			continue // they change what the answer shows
		}
		s.shown(id, "")
	}
}
