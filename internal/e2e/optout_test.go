package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// canary is in everything that Bob writes, who opts out, and in nothing that other people
// write.
const canary = "swordfish"

// bobs returns a message of Bob's with a file.
func bobs(to graph.MessageID) discordtest.Draft {
	return discordtest.Draft{Content: "the password is " + canary, ReplyTo: to, Attachments: []discordtest.Attachment{
		{Name: canary + ".txt", Type: "text/plain", Data: []byte(canary)},
	}}
}

// repeats lets the model repeat the password if it was told, as models do.
func (p *provider) repeats() {
	p.scripted(func(r openaitest.Request) *openaitest.Reply {
		answer := openaitest.Answer("I don't know.")
		for _, m := range r.Chat.Messages {
			if strings.Contains(m.Text(), "the password is") {
				answer = openaitest.Answer("It is " + canary + ".")
			}
		}
		return &answer
	})
}

// unread fails the test if any request from the nth on contains what Bob wrote, or his
// name.
func (p *provider) unread(from int) {
	p.t.Helper()
	for _, request := range p.model.Requests()[from:] {
		p.lacks(string(request.Body), canary, "bob")
	}
}

// annAsks has Ann ask something and waits for an answer that contains want.
func (p *people) annAsks(draft discordtest.Draft, want string) discordtest.Message {
	p.t.Helper()
	draft.Content = p.mention(draft.Content)
	return p.answer(p.channel, p.post(p.ann, draft), want)
}

// TestWhoIsForgottenIsInNothing has Bob ask to be forgotten while heddle runs. Nothing of
// his is used, also after a restart, until he opts in.
func TestWhoIsForgottenIsInNothing(t *testing.T) {
	s := newScene(t)
	s.repeats()
	r := s.start()
	root := s.post(s.ann, discordtest.Draft{Content: "where do we meet? in room 7"})
	said := s.post(s.bob, bobs(root))
	told := s.annAsks(discordtest.Draft{Content: "what is it?"}, "It is "+canary)
	s.answer(s.channel, s.ask(s.bob, "and what else?"), "It is "+canary)
	asked := len(s.model.Requests())

	s.wholeAnswer(s.ask(s.bob, "Forget me!"), phrases.English("forgotten"))
	s.post(s.bob, bobs(said))
	s.annAsks(discordtest.Draft{Content: "what is it now?"}, "I don't know.")
	s.annAsks(discordtest.Draft{Content: "say that again", ReplyTo: told.ID}, "I don't know.")
	s.annAsks(discordtest.Draft{Content: "what about this, <@" + s.bob.String() + ">?", ReplyTo: said}, "I don't know.")
	s.contains(s.conversation(asked+3), "room 7", "@somebody")
	s.wholeAnswer(s.ask(s.bob, canary+"?"), phrases.English("not_read"))
	s.askedTimes(asked + 3)
	r.end()
	s.nowhere(canary)
	s.lacks(r.logs.String(), canary)

	s.start()
	s.wholeAnswer(s.ask(s.bob, canary+"?"), phrases.English("not_read"))
	s.annAsks(discordtest.Draft{Content: "and after the restart?"}, "I don't know.")
	s.unread(asked)
	s.wholeAnswer(s.ask(s.bob, "please opt in"), phrases.English("opted_in"))
	s.annAsks(discordtest.Draft{Content: "and now that he is back?"}, "It is "+canary)
	s.answer(s.channel, s.ask(s.bob, "hello?"), "It is "+canary)
}

// TestWhoOptsOutIsInNothingThatIsStored opts Bob out while heddle runs, by another
// process. What was made from his words is not used, although it is not erased.
func TestWhoOptsOutIsInNothingThatIsStored(t *testing.T) {
	s := newScene(t)
	environ := []string{"REDIS_URL=" + s.redis().URL()}
	s.repeats()
	r := s.start(environ...)
	in := s.thread("one")
	s.postIn(in, s.bob, bobs(0))
	told := r.answer(s, in, s.askIn(in, s.ann, "what is it?"), "It is "+canary)
	asked := len(s.model.Requests())

	s.contains(s.prints(environ, "opt-out", s.bob.String()), "uses nothing that "+s.bob.String()+" writes")
	s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("what was that?"), ReplyTo: told.ID}), "I don't know.")
	s.answered(in, "and that?", "I don't know.")
	s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("again"), ReplyTo: told.ID}), "I don't know.")
	s.unread(asked)

	s.must(environ, "opt-in", s.bob.String())
	s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("what was that once more?"), ReplyTo: told.ID}), "It is "+canary)
}

// TestWishesAreHeardWhereverHeddleIsAsked has people opt out and in by a direct message,
// an edit, a reply, and a message from an absence.
func TestWishesAreHeardWhereverHeddleIsAsked(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	direct := s.discord.World.OpenDM(s.bob, s.heddle.User)
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "hello"}), "Yes.")
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "opt-out"}), phrases.English("opted_out"))
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "hello"}), phrases.English("not_read"))
	s.wholeAnswer(s.ask(s.bob, "hello"), phrases.English("not_read"))
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "opt in"}), phrases.English("opted_in"))
	answer := s.answer(s.channel, s.ask(s.bob, "hello once more"), "Yes.")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: "Opt out.", ReplyTo: answer.ID}), phrases.English("opted_out"))
	s.wholeAnswer(s.ask(s.bob, "opt in"), phrases.English("opted_in"))
	for words, want := range map[string]phrases.ID{"Bitte lies mich nicht mehr!": "opted_out", "¡olvídame!": "forgotten", "オプトイン": "opted_in"} {
		s.answer(s.channel, s.ask(s.bob, words), phrases.English(want))
	}
	s.wholeAnswer(s.ask(s.bob, "また読んでください"), phrases.English("opted_in"))
	edited := s.ask(s.ann, "am I read?")
	s.answer(s.channel, edited, "Yes.")
	s.edit(edited, s.mention("opt out"))
	s.answer(s.channel, edited, phrases.English("opted_out"))
	r.end()
	asked := len(s.model.Requests())

	missed := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?"), At: time.Now()})
	wish := s.post(s.bob, discordtest.Draft{Content: s.mention("forget me"), At: time.Now()})
	s.start()
	s.wholeAnswer(missed, phrases.English("not_read"))
	s.wholeAnswer(wish, phrases.English("forgotten"))
	s.askedTimes(asked)
}

// TestForgetShowsWhatItErases forgets a person beside a running heddle with the
// embedded store.
func TestForgetShowsWhatItErases(t *testing.T) {
	s := newScene(t)
	s.repeats()
	r := s.start()
	s.post(s.bob, bobs(0))
	for _, question := range []string{"what is it?", "and now?"} {
		id := s.ask(s.ann, question)
		r.answer(s, s.channel, id, "It is "+canary)
	}
	asked := len(s.model.Requests())
	want := fmt.Sprintf("Stored from the words of %s: answers 2, summaries 0, names of files that answers made 0.\n  in channel %s: answers 2\n", s.bob, s.channel)

	status, stdout, stderr := s.command(nil, "forget", s.bob.String())
	s.same("the status without --yes", status, cli.StatusMisuse)
	s.same("what forget prints without --yes", stdout, want)
	s.contains(stderr, "nothing was erased", "--yes")
	s.contains(s.prints(nil, "tree"), "what is it?") // nothing was to be erased
	stdout, stderr = s.must(nil, "forget", s.bob.String(), "--yes")
	s.contains(stdout+"$", "All of that is erased.\n$")
	s.same("what forget complains of", stderr, "")
	s.annAsks(discordtest.Draft{Content: "what is it now?"}, "I don't know.")
	s.wholeAnswer(s.ask(s.bob, "hello?"), phrases.English("not_read"))
	s.unread(asked)
	r.end()
	s.nowhere(canary)
	s.misuse("not an id", nil, "forget", "ann")
}

// TestAGuildIsForgottenByCommand erases what is stored of one of two guilds.
func TestAGuildIsForgottenByCommand(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	elsewhere := anotherServer(s)
	r := s.start()
	for _, in := range []graph.ChannelID{s.channel, elsewhere} {
		question := s.askIn(in, s.ann, "a question in "+in.String())
		r.answer(s, in, question, "Yes.")
	}
	stdout := s.prints(nil, "forget", "--guild", s.guild.String(), "--yes")
	s.contains(stdout, "Stored for the server "+s.guild.String()+": answers 1,", "All of that is erased.")
	r.end()
	s.nowhere("a question in " + s.channel.String())
	s.contains(s.prints(nil, "tree"), "a question in "+elsewhere.String())
}
