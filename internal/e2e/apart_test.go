package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestOnlyWholeAnswersAreGivenAgain asks a question whose answer goes wrong, and asks it
// twice more in fresh threads.
func TestOnlyWholeAnswersAreGivenAgain(t *testing.T) {
	t.Parallel()
	cut := openaitest.Answer("The first half of an answer that")
	cut.FinishReason = "length"
	filtered := openaitest.Answer("The first half of an answer that")
	filtered.FinishReason = "content_filter"
	broken := openaitest.Answer("The first half of an answer that")
	broken.FinishReason, broken.End = "", openaitest.EndAbort
	for name, reply := range map[string]openaitest.Reply{
		"truncated": cut, "filtered": filtered, "broken off": broken, "empty": openaitest.Answer(""),
		"failed": openaitest.Fail(openaitest.Failure{Status: 401}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(reply)
			r := s.start("LLM_RETRIES=0")
			s.sums(r, "")
			s.always(openaitest.Answer("Four."))
			s.sums(r, "Four.")
			s.sums(r, "Answered before")
			r.end()
			if !strings.Contains(r.logs.String(), "counts.requests=3 counts.hits=1 counts.misses=2 counts.coalesced=0 counts.bypassed=0 counts.rejected=0") {
				t.Errorf("the counts are not in the log:\n%s\nwant %q in it", r.logs.String(), "counts.requests=3 counts.hits=1 counts.misses=2 counts.coalesced=0 counts.bypassed=0 counts.rejected=0")
			}
		})
	}
}

// TestALargerTokenLimitAsksAnew gets an answer that is cut off at one limit and asks
// again with another.
func TestALargerTokenLimitAsksAnew(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	cut := openaitest.Answer("The first half")
	cut.FinishReason = "length"
	s.model.Queue(cut, openaitest.Answer("The whole of it."))
	for limit, want := range []string{"The first half", "The whole of it."} {
		r := s.start("MAX_TOKENS=" + []string{"50", "500"}[limit])
		s.sums(r, want)
		r.end()
	}
}

// TestAChannelThatIsHiddenLaterSharesNothingWithBefore takes a channel away from
// everyone between two equal questions.
func TestAChannelThatIsHiddenLaterSharesNothingWithBefore(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("The public one."), openaitest.Answer("The secret one."))
	r := s.start()
	s.sums(r, "The public one.")
	s.discord.World.SetOverwrites(s.channel,
		discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel},
	)
	s.sums(r, "The secret one.")
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want 2", got)
	}
}

// TestTwoPeopleOfOneNameShareNoAnswer lets two people of one name ask who they are.
func TestTwoPeopleOfOneNameShareNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Ann, the weaver."), openaitest.Answer("Ann, the dyer."))
	s.start()
	for _, who := range []graph.UserID{s.ann, s.discord.People.AddUser("ann", s.guild)} {
		in := s.thread("names")
		s.answer(in, s.postIn(in, who, discordtest.Draft{Content: s.mention("who am I?")}), "Ann, the ")
	}
	if one, two := s.asked(1), s.asked(2); strings.Join(one, "\n") != strings.Join(two, "\n") {
		t.Errorf("the model was asked %q and %q, want the same twice", one, two)
	}
}
