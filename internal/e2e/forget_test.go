package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// asking runs a command at a terminal where somebody types typed.
func (o *operator) asking(typed string, args ...string) (status int, stdout, stderr string) {
	o.t.Helper()
	var out, told bytes.Buffer
	status = cli.Run(context.Background(), args, cli.Process{
		Environ: o.environ, Read: noFiles, Terminal: true,
		Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &told,
	})
	return status, out.String(), told.String()
}

// TestForgetShowsWhatItErasesAndAsks forgets a person beside a running heddle with the
// embedded store.
func TestForgetShowsWhatItErasesAndAsks(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.repeats()
	r := s.start()
	s.post(s.bob, bobs(0))
	for _, question := range []string{"what is it?", "and now?"} {
		id := s.post(s.ann, discordtest.Draft{Content: s.mention(question)})
		s.answer(s.channel, id, "It is "+canary)
		r.settled(s, id)
	}
	asked := len(s.model.Requests())
	want := fmt.Sprintf("Stored from the words of %s: answers 2, summaries 0, ratings 0, names of files that answers made 0, vectors of what was meant 0.\n  in channel %s: answers 2\n", s.bob, s.channel)

	status, stdout, stderr := s.command(nil, "forget", s.bob.String())
	if status != cli.StatusMisuse || stdout != want || !strings.Contains(stderr, "nothing was erased") || !strings.Contains(stderr, "-yes") {
		t.Errorf("with nobody to ask, forget ends with %d and says %q, %q, want %d, %q, %q in it and %q in it", status, stdout, stderr, cli.StatusMisuse, want, "nothing was erased", "-yes")
	}
	for _, typed := range []string{"", "n\n", "Yesterday\n"} {
		status, stdout, stderr = s.asking(typed, "forget", s.bob.String())
		if status != cli.StatusFailed || stdout != want+"Erase all of that? It cannot be undone. [y/N] " || !strings.Contains(stderr, "nothing was erased") {
			t.Errorf("at %q forget ends with %d and says %q, %q, want %d, %q and %q in it", typed, status, stdout, stderr, cli.StatusFailed, want+"Erase all of that? It cannot be undone. [y/N] ", "nothing was erased")
		}
	}
	if kept, err := s.matchesOf("what is it?"); err != nil || kept == 0 {
		t.Errorf("what was not to be erased is stored %d times: %v, want more than 0 and no error", kept, err)
	}
	status, stdout, stderr = s.asking("Yes\n", "forget", s.bob.String())
	if status != cli.StatusDone || !strings.HasSuffix(stdout, "All of that is erased.\n") || stderr != "" {
		t.Errorf("forget ends with %d and says %q, %q, want %d, %q at its end and \"\"", status, stdout, stderr, cli.StatusDone, "All of that is erased.\n")
	}
	s.annAsks(discordtest.Draft{Content: "what is it now?"}, "I don't know.")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("hello?")}), phrases.English(phrases.NotRead))
	s.unread(asked)
	r.end()
	s.nowhere(canary)
}

// matchesOf returns how often the tree shows a text.
func (o *operator) matchesOf(text string) (int, error) {
	o.t.Helper()
	status, stdout, stderr := o.command(nil, "tree")
	if status != cli.StatusDone {
		return 0, fmt.Errorf("tree ended with %d: %s", status, stderr)
	}
	return strings.Count(stdout, text), nil
}

// TestAGuildIsForgottenByCommand erases what is stored of one of two guilds.
func TestAGuildIsForgottenByCommand(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.always(openaitest.Answer("Yes."))
	other := s.discord.World.AddGuild("knitters")
	elsewhere := s.discord.World.AddChannel(other, discordtest.ChannelDraft{Name: "general"})
	s.discord.People.Join(other, s.ann)
	s.discord.People.Join(other, s.heddle.User)
	r := s.start()
	for _, in := range []graph.ChannelID{s.channel, elsewhere} {
		question := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("a question in " + in.String())})
		s.answer(in, question, "Yes.")
		r.settled(s, question)
	}
	stdout, _ := s.must(nil, "forget", "-guild", s.guild.String(), "-yes")
	if !strings.Contains(stdout, "Stored for the server "+s.guild.String()+": answers 1,") || !strings.Contains(stdout, "All of that is erased.") {
		t.Errorf("forget says %q, want one answer to be stored and erased", stdout)
	}
	r.end()
	s.nowhere("a question in " + s.channel.String())
	if kept, err := s.matchesOf("a question in " + elsewhere.String()); err != nil || kept == 0 {
		t.Errorf("what is stored of the other guild is there %d times: %v, want more than 0 and no error", kept, err)
	}
}
