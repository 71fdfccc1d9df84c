package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

func TestAgainBringsAnotherAnswerToTheSameQuestion(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("A joke about warps."), openaitest.Answer("A joke about wefts."))
	r := s.start()
	first := s.post(s.ann, discordtest.Draft{Content: s.mention("a joke?")})
	told := s.answer(s.channel, first, "warps.")
	again := s.post(s.bob, discordtest.Draft{Content: "again!", ReplyTo: told.ID})
	s.answer(s.channel, again, "A joke about wefts.")
	if one, two := s.asked(1), s.asked(2); fmt.Sprint(one) != fmt.Sprint(two) {
		t.Errorf("asked again the model was asked %q, want %q", two, one)
	}
	r.end()

	stored := s.stored()
	found, err := stored.Responses.ByTrigger(s.ctx, s.scope(), first)
	if err != nil || len(found) != 2 || found[0].PathHash != found[1].PathHash || found[0].Text != "A joke about wefts." {
		t.Errorf("stored are %+v, %v, want two answers to one path", found, err)
	}
	if !strings.Contains(r.logs.String(), "counts.requests=2 counts.hits=0 counts.misses=1 counts.coalesced=0 counts.bypassed=1") {
		t.Errorf("the counts are not in the log:\n%s\nwant %q in it", r.logs.String(), "counts.requests=2 counts.hits=0 counts.misses=1 counts.coalesced=0 counts.bypassed=1")
	}
}

func TestAReuseIsRecordedAsOne(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start()
	var triggers []graph.MessageID
	for range 3 {
		in := s.thread("sums")
		trigger := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
		s.answer(in, trigger, "Four.")
		r.settled(s, trigger)
		triggers = append(triggers, trigger)
	}
	r.end()
	stored := s.stored()
	original, err := stored.Responses.ByTrigger(s.ctx, s.scope(), triggers[0])
	if err != nil || len(original) != 1 || original[0].Original() != original[0].ID {
		t.Fatalf("recorded are %+v, %v, want one answer that is its own original", original, err)
	}
	for _, trigger := range triggers[1:] {
		reuse, err := stored.Responses.ByTrigger(s.ctx, s.scope(), trigger)
		if err != nil || len(reuse) != 1 || reuse[0].Reuses != original[0].ID || !reuse[0].Reused.After(original[0].Created) {
			t.Errorf("recorded are %+v, %v, want one later reuse of the first answer", reuse, err)
		}
	}
	if samples := s.samples(stored, original[0]); samples != 1 {
		t.Errorf("three answers to one path are %d samples, want 1", samples)
	}
	// The answer appears before the model's stream has ended; equal questions wait for that.
	counts := regexp.MustCompile(`counts\.requests=3 counts\.hits=(1 counts\.misses=1 counts\.coalesced=1|2 counts\.misses=1 counts\.coalesced=0) counts\.bypassed=0 counts\.rejected=0`)
	if !counts.MatchString(r.logs.String()) {
		t.Errorf("want counts like %s in the log:\n%s", counts, r.logs.String())
	}
}

// samples returns the number of alternatives to a response that a model made.
func (s *screen) samples(stored *store.Store, r store.Response) int {
	s.t.Helper()
	turns, err := stored.Responses.Turns(s.ctx, r)
	if err != nil {
		s.t.Fatal(err)
	}
	tools, err := stored.Responses.Tools(s.ctx, r)
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := stored.Archive.Match(s.ctx, s.scope(), path.Path{Turns: turns, Tools: tools, Options: r.Options})
	if err != nil || m.Node != r.PathHash {
		s.t.Fatalf("the path matches up to %s, %v, want %s and no error", m.Node, err, r.PathHash)
	}
	return len(m.Responses)
}

func TestAHundredWhoAskTheSameAtOnceAskTheModelOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Four."))
	s.start()
	s.together(100, "2 + 2?", "Four.")
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want once", got)
	}
}

func TestALeaderThatIsGoneFailsNobodyElse(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	slow := openaitest.Answer("The first half of an answer that never ends, ", "or does it?")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow)
	s.always(openaitest.Answer("Four, after all."))
	s.start()
	leading := s.thread("leading")
	leader := s.postIn(leading, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	partial := s.begun(leading, leader, "The first half")
	following, triggers := make([]graph.ChannelID, 5), make([]graph.MessageID, 5)
	for i := range following {
		following[i] = s.thread("following")
		triggers[i] = s.postIn(following[i], s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	}
	s.discord.Chat.Delete(leading, partial.ID)
	close(gate)
	for i := range following {
		s.answer(following[i], triggers[i], "")
	}
	if got := len(s.model.Requests()); got > 2 {
		t.Errorf("the model was asked %d times, want twice at most", got)
	}
}

func TestAnAnswerIsGivenAgainOnlyForAsLongAsItMay(t *testing.T) {
	t.Parallel()
	for ttl, counts := range map[string]string{
		"0s":  "counts.requests=1 counts.hits=0 counts.misses=0 counts.coalesced=0 counts.bypassed=1",
		"1ns": "counts.requests=1 counts.hits=0 counts.misses=1 counts.coalesced=0 counts.bypassed=0",
		"1h":  "counts.requests=1 counts.hits=1 counts.misses=0 counts.coalesced=0 counts.bypassed=0",
	} {
		t.Run(ttl, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Four."))
			var r *running
			for range 2 { // runs, so that nobody is still answering
				r = s.start("REUSE_TTL=" + ttl)
				in := s.thread("sums")
				s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "Four.")
				r.end()
			}
			if !strings.Contains(r.logs.String(), counts) {
				t.Errorf("the counts are not %q in the log:\n%s", counts, r.logs.String())
			}
		})
	}
}
