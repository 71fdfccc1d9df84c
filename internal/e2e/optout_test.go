package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
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
	for i, request := range p.model.Requests() {
		if body := string(request.Body); i >= from && (strings.Contains(body, canary) || strings.Contains(body, "bob")) {
			p.t.Errorf("request %d holds what is not to be read, want it left out: %s", i+1, body)
		}
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
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.repeats()
	r := s.start()
	root := s.post(s.ann, discordtest.Draft{Content: "where do we meet? in room 7"})
	said := s.post(s.bob, bobs(root))
	told := s.annAsks(discordtest.Draft{Content: "what is it?"}, "It is "+canary)
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("and what else?")}), "It is "+canary)
	asked := len(s.model.Requests())

	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("Forget me!")}), phrases.English(phrases.Forgotten))
	s.post(s.bob, bobs(said))
	s.annAsks(discordtest.Draft{Content: "what is it now?"}, "I don't know.")
	s.annAsks(discordtest.Draft{Content: "say that again", ReplyTo: told.ID}, "I don't know.")
	s.annAsks(discordtest.Draft{Content: "what about this, <@" + s.bob.String() + ">?", ReplyTo: said}, "I don't know.")
	if got := strings.Join(s.asked(asked+3), "\n"); !strings.Contains(got, "room 7") || !strings.Contains(got, "@somebody") {
		t.Errorf("a reply to what is not read leads not to what that answers, or names somebody: %q, want %q in it and %q in it", got, "room 7", "@somebody")
	}
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention(canary + "?")}), phrases.English(phrases.NotRead))
	if got := len(s.model.Requests()); got != asked+3 {
		t.Errorf("the model was asked %d times, want %d", got, asked+3)
	}
	r.end()
	s.nowhere(canary)
	if strings.Contains(r.logs.String(), canary) {
		t.Error("what Bob wrote is in the log")
	}

	s.start()
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention(canary + "?")}), phrases.English(phrases.NotRead))
	s.annAsks(discordtest.Draft{Content: "and after the restart?"}, "I don't know.")
	s.unread(asked)
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("please opt in")}), phrases.English(phrases.OptedIn))
	s.annAsks(discordtest.Draft{Content: "and now that he is back?"}, "It is "+canary)
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("hello?")}), "It is "+canary)
}

// TestWhoOptsOutIsInNothingThatIsStored opts Bob out while heddle runs, by another
// process. What was made from his words is not used, although it is not erased.
func TestWhoOptsOutIsInNothingThatIsStored(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	environ := []string{"REDIS_URL=" + s.redis().URL()}
	s.repeats()
	r := s.start(environ...)
	in := s.thread("one")
	s.postIn(in, s.bob, bobs(0))
	question := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("what is it?")})
	told := s.answer(in, question, "It is "+canary)
	r.settled(s, question)
	asked := len(s.model.Requests())

	stdout, _ := s.must(environ, "opt-out", s.bob.String())
	if !strings.Contains(stdout, "uses nothing that "+s.bob.String()+" writes") {
		t.Errorf("opt-out says %q, want that nothing that bob writes is used", stdout)
	}
	s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("what was that?"), ReplyTo: told.ID}), "I don't know.")
	s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("and that?")}), "I don't know.")
	again := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("again"), ReplyTo: told.ID})
	s.answer(in, again, "I don't know.")
	s.unread(asked)

	s.must(environ, "opt-in", s.bob.String())
	s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("what was that once more?"), ReplyTo: told.ID}), "It is "+canary)
}

// TestWishesAreHeardWhereverHeddleIsAsked has people opt out and in by a direct message,
// an edit, a reply, and a message from an absence.
func TestWishesAreHeardWhereverHeddleIsAsked(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	direct := s.discord.World.OpenDM(s.bob, s.heddle.User)
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "hello"}), "Yes.")
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "opt-out"}), phrases.English(phrases.OptedOut))
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "hello"}), phrases.English(phrases.NotRead))
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("hello")}), phrases.English(phrases.NotRead))
	s.answer(direct, s.postIn(direct, s.bob, discordtest.Draft{Content: "opt in"}), phrases.English(phrases.OptedIn))
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("hello once more")})
	answer := s.answer(s.channel, question, "Yes.")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: "Opt out.", ReplyTo: answer.ID}), phrases.English(phrases.OptedOut))
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("opt in")}), phrases.English(phrases.OptedIn))
	for words, want := range map[string]phrases.ID{"Bitte lies mich nicht mehr!": phrases.OptedOut, "¡olvídame!": phrases.Forgotten, "オプトイン": phrases.OptedIn} {
		s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention(words)}), phrases.English(want))
	}
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("また読んでください")}), phrases.English(phrases.OptedIn))
	edited := s.post(s.ann, discordtest.Draft{Content: s.mention("am I read?")})
	s.answer(s.channel, edited, "Yes.")
	s.edit(edited, s.mention("opt out"))
	s.answer(s.channel, edited, phrases.English(phrases.OptedOut))
	r.end()
	asked := len(s.model.Requests())

	missed := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?"), At: time.Now()})
	wish := s.post(s.bob, discordtest.Draft{Content: s.mention("forget me"), At: time.Now()})
	s.start()
	s.wholeAnswer(missed, phrases.English(phrases.NotRead))
	s.wholeAnswer(wish, phrases.English(phrases.Forgotten))
	if got := len(s.model.Requests()); got != asked {
		t.Errorf("the model was asked %d times about wishes, want 0", got-asked)
	}
}

// TestNobodyIsShownWhatIsNotRead explains an answer that was made from the words of
// somebody who opted out since.
func TestNobodyIsShownWhatIsNotRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	cyd := s.discord.People.AddUser("cyd", s.guild)
	first := s.post(s.ann, discordtest.Draft{Content: "the loom is stuck"})
	second := s.post(cyd, discordtest.Draft{Content: "oil it", ReplyTo: first})
	s.always(openaitest.Answer("The large one."))
	r := s.start()
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("what did cyd mean?"), ReplyTo: second})
	answer := s.answer(s.channel, question, "The large one.")
	r.settled(s, question)
	if shown := s.privately(s.shows(s.channel, answer.ID), "made from").Content; !strings.Contains(shown, "oil it") {
		t.Errorf("the explanation reads\n%s\nwant %q in it", shown, "oil it")
	}
	s.must(nil, "opt-out", cyd.String())
	s.wholeAnswer(s.post(cyd, discordtest.Draft{Content: s.mention("hello?")}), phrases.English(phrases.NotRead))
	shown := s.privately(s.shows(s.channel, answer.ID), "made from").Content
	if strings.Contains(shown, "oil it") || strings.Count(shown, "the loom is stuck") != 1 {
		t.Errorf("after cyd opted out, the explanation reads\n%s\nwant nothing of cyd's in it", shown)
	}
}
