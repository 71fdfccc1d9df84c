package e2e_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatIsSaidBesideDecidesReuse asks the same question in three threads. Others talk
// beside it: of one thing in the first, of another in the second and third.
func TestWhatIsSaidBesideDecidesReuse(t *testing.T) {
	s := newScene(t)
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		for _, day := range []string{"Tuesday", "Friday"} {
			if strings.Contains(fmt.Sprint(r.Chat.Messages), "on "+day) {
				reply := openaitest.Answer("It moves on " + day + ".")
				return &reply
			}
		}
		return nil
	})
	s.start()
	cyd, dan := s.discord.People.AddUser("cyd", s.guild), s.discord.People.AddUser("dan", s.guild)
	ask := func(said, want string) {
		in := s.thread("moving")
		var before graph.MessageID
		for i, text := range []string{said, "who packs?"} {
			before = s.postIn(in, []graph.UserID{cyd, dan}[i%2], discordtest.Draft{
				Content: text, ReplyTo: before, At: time.Now().Add(time.Duration(i)*time.Minute - time.Hour),
			})
		}
		about := s.postIn(in, s.ann, discordtest.Draft{Content: "we have to plan this", At: time.Now().Add(-30 * time.Minute)})
		s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("when does it move?"), ReplyTo: about}), want)
	}
	ask("the servers move on Tuesday", "It moves on Tuesday.")
	ask("the offices move on Friday", "It moves on Friday.")
	s.lacks(s.conversation(1), "Tuesday")
	s.contains(s.tail(1), "Tuesday")
	ask("the offices move on Friday", "It moves on Friday.")
	s.askedTimes(2)
}

// askedTimes fails the test unless the model was asked this many times.
func (p *provider) askedTimes(want int) {
	p.t.Helper()
	p.same("requests to the model", len(p.model.Requests()), want)
}

// TestAReusedAnswerHasTheSourcesOfItsOriginal deletes the question that an answer was
// made for after the answer was given again elsewhere.
func TestAReusedAnswerHasTheSourcesOfItsOriginal(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("It is Swordfish."), openaitest.Answer("Here."))
	r := s.start()
	var in [2]graph.ChannelID
	var asked [2]graph.MessageID
	for i := range in {
		in[i] = s.thread("secrets")
		asked[i] = s.askIn(in[i], s.ann, "what is the password?")
		s.answer(in[i], asked[i], "It is Swordfish.")
		r.settled(s, asked[i])
	}
	s.discord.Chat.Delete(in[0], asked[0])
	s.asks("and now?", "Here.")
	r.end()
	s.nowhere("Swordfish")
	s.same("what is kept of the reused answer", len(s.keeps(asked[1])), 0)
}

// TestAnAnswerIsNotGivenAgainOnceItsSourceIsHidden hides the channel that an answer was
// made from before the same is asked in another.
func TestAnAnswerIsNotGivenAgainOnceItsSourceIsHidden(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("The one of before."), openaitest.Answer("The one of now."), openaitest.Answer("Here."))
	r := s.start()
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "hidden"})
	before := s.askIn(hidden, s.ann, "2 + 2?")
	r.answer(s, hidden, before, "The one of before.")
	hideFromMost(s, hidden)
	s.sums(r, "The one of now.")
	s.sums(r, "The one of now.")
	s.askedTimes(2)
}

// TestFollowUpsMeetTheProvidersCache has a conversation of replies and mentions while
// others talk, and compares the bytes of its requests.
func TestFollowUpsMeetTheProvidersCache(t *testing.T) {
	s := newScene(t)
	answer := openaitest.Answer("Noted. " + strings.Repeat("Weaving goes on and on. ", 8))
	s.always(answer)
	r := s.start()
	const followUps = 20
	last := s.answered(s.channel, "the big loom is stuck", "Noted.")
	for n := 1; n <= followUps; n++ {
		if n%4 == 0 {
			s.post(s.bob, discordtest.Draft{Content: fmt.Sprintf("anyone for lunch at %d?", n)})
		}
		draft := discordtest.Draft{Content: fmt.Sprintf("I turned screw %d of the loom, still stuck", n), ReplyTo: last.ID}
		if n%3 == 0 {
			draft.Content = s.mention(draft.Content)
		}
		last = s.answer(s.channel, s.post(s.ann, draft), "Noted.")
	}
	other := s.thread("dinner")
	s.answer(other, s.askIn(other, s.bob, "what is for dinner?"), "Noted.")
	r.end()

	requests := s.model.Requests()
	if n := utf8.RuneCountInString(requests[0].Chat.Messages[0].Text()); n >= 1000 {
		t.Errorf("the system prompt and its frame have %d characters, want less than 1,000", n)
	}
	extended, key := 0, requests[0].Chat.Fields["prompt_cache_key"]
	for i := 1; i <= followUps; i++ {
		before, _, _ := bytes.Cut(requests[i-1].Body, []byte(`{"role":"user","content":"[heddle: added`))
		if bytes.HasPrefix(requests[i].Body, before) {
			extended++
		}
		s.contains("$"+s.parts(i + 1)[0].Text, "$[speaker: ann]\n", fmt.Sprintf("I turned screw %d of", i)) // the question comes last
		if !bytes.Equal(requests[i].Chat.Fields["prompt_cache_key"], key) {
			t.Errorf("the key became %s, want %s", requests[i].Chat.Fields["prompt_cache_key"], key)
		}
	}
	if extended*10 < followUps*9 {
		t.Errorf("%d of %d follow-ups extend the request before them, want nine tenths", extended, followUps)
	}
	if len(key) != 26 || bytes.Equal(requests[followUps+1].Chat.Fields["prompt_cache_key"], key) {
		t.Errorf("another conversation has the same key %s, want another one of 26 bytes", key)
	}
	s.contains(r.logs.String(), fmt.Sprintf("counts.continued=%d counts.extended=%d", followUps, extended))
	s.contains(s.prints(nil, "verify"), fmt.Sprintf("%d requests can be made again byte for byte, 0 cannot", followUps+2))
}
