package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// tells fails the test unless the explanation of a message begins with a text and
// contains others.
func (c *commands) tells(channel graph.ChannelID, message graph.MessageID, begins string, wants ...string) {
	c.t.Helper()
	shown := c.privately(c.shows(channel, message), begins).Content
	for _, want := range wants {
		if !strings.Contains(shown, want) {
			c.t.Errorf("the explanation lacks %q:\n%s", want, shown)
		}
	}
}

// TestEveryReasonIsTold asks with a reply and a link across pauses, continues from the
// answer, and asks the same in two threads. The explanation gives the reason for each
// message, says where reading ended, and names what answered.
func TestEveryReasonIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	lost := s.post(s.ann, discordtest.Draft{Content: "the shuttle is lost", At: ago(5 * time.Hour)})
	s.post(s.bob, discordtest.Draft{Content: "which of them?", At: ago(5*time.Hour - time.Minute)})
	rack := s.post(s.ann, discordtest.Draft{Content: "look behind the rack", At: ago(3 * time.Hour)})
	s.post(s.ann, discordtest.Draft{Content: "good morning", At: ago(2 * time.Minute)})
	s.post(s.bob, discordtest.Draft{Content: "morning", At: ago(time.Minute)})
	s.always(openaitest.Answer("Behind the rack."))
	r := s.start("AFFINITY=off", "MIN_LINEAR=2", "TIME_THRESHOLD=10m")
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("where? " + s.linkTo(rack)), ReplyTo: lost})
	answer := s.answer(s.channel, question, "Behind")
	r.settled(s, question)
	s.tells(s.channel, answer.ID, "What this answer was made from",
		"the shuttle is lost\n-# the question replies to it\n", "which of them?\n-# next to ann, 1 minute apart\n",
		"look behind the rack\n-# the question links to it\n", "good morning\n-# among the newest\n",
		"Reading stopped at: ", "a pause of 2 hours", "the beginning of the channel", "-# test-model, ")
	s.always(openaitest.Answer("On the left."))
	further := s.post(s.bob, discordtest.Draft{Content: "on which side?", ReplyTo: answer.ID})
	second := s.answer(s.channel, further, "left")
	r.settled(s, further)
	s.tells(s.channel, second.ID, "What this answer was made from", "Behind the rack.\n-# the question replies to it\n", "-# from an earlier question of this conversation\n")
}

// TestAForwardIsAReason has bob forward an old message within the channel, and ask about the
// forward, as people do, or only below it.
func TestAForwardIsAReason(t *testing.T) {
	t.Parallel()
	for name, affinity := range map[string]string{"with affinity": "on", "without": "off"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			old := s.post(s.ann, discordtest.Draft{Content: "the looms move on Friday", At: time.Now().Add(-50 * time.Hour)})
			s.said(time.Minute, "ann: good morning", "bob: morning", "ann: coffee?")
			s.always(openaitest.Answer("On Friday."))
			r := s.start("AFFINITY="+affinity, "MIN_LINEAR=2")
			forward := s.post(s.bob, discordtest.Draft{Forward: old, ForwardFrom: s.channel})
			question := s.post(s.bob, discordtest.Draft{Content: s.mention("when do they move?"), ReplyTo: forward})
			answer := s.answer(s.channel, question, "On Friday.")
			r.settled(s, question)
			s.tells(s.channel, answer.ID, "What this answer was made from", "the looms move on Friday\n-# bob forwards it\n", "-# the question replies to it\n")
		})
	}
}

// TestWhatAnsweredIsTold asks the same in two threads, of which the second is answered
// without the model, and where there is no room for everything.
func TestWhatAnsweredIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Four."))
	r := s.start("AFFINITY=off", "MIN_LINEAR=1", "MAX_TOTAL=1")
	for n, want := range []string{"-# test-model, ", "-# test-model, already given to the same question"} {
		in := s.thread("sums")
		question := s.postIn(in, s.bob, discordtest.Draft{Content: s.mention("2 + 2?")})
		answer := s.answer(in, question, "Four.")
		r.settled(s, question)
		s.tells(in, answer.ID, "What this answer was made from", want)
		if n == 1 && !strings.Contains(answer.Content, "Answered before") {
			t.Errorf("the second answer reads %q, want a note that it was given before", answer.Content)
		}
	}
	s.said(time.Minute, "ann: one", "ann: two", "ann: three")
	last := s.post(s.bob, discordtest.Draft{Content: "four"})
	s.tells(s.channel, last, "What I would answer this from", "three\n-# among the newest\n", "Reading stopped at: the limit on messages.")
	unknown := s.post(s.heddle.User, discordtest.Draft{Content: "of another life"})
	s.tells(s.channel, unknown, "I don't know what this message of mine was made from.")
}

// TestWhatIsInferredIsTold has people answer each other without replies, in a thread too,
// while a model that tells how sure it is answers.
func TestWhatIsInferredIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	ids := s.said(time.Minute,
		"ann: who has the key to the barn?", "bob: lunch is soup today", "bob: the key to the barn hangs by the door",
		"ann: which soup?", "ann: thanks, I have the key to the barn now", "bob: leek soup")
	sure := openaitest.Answer("By the door.")
	sure.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "By the door.", Logprob: -0.01}}
	s.always(sure)
	r := s.start("CONFIDENCE=raw")
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("where did ann find the key to the barn?")})
	answer := s.answer(s.channel, question, "By the door.")
	r.settled(s, question)
	s.tells(s.channel, answer.ID, "What this answer was made from", "(inferred, ", " % likely to belong\n", "-# The model was sure of it.")
	in := s.aside(ids[0])
	question = s.postIn(in, s.bob, discordtest.Draft{Content: s.mention("and who has it now?")})
	answer = s.answer(in, question, "By the door.")
	r.settled(s, question)
	s.tells(in, answer.ID, "What this answer was made from", "who has the key to the barn?\n-# the thread starts with it")
}

// TestAnAnswerThatFailedIsNoConversation asks while the model is away, and once more.
func TestAnAnswerThatFailedIsNoConversation(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Reply{Status: 401})
	r := s.start()
	failed := s.post(s.ann, discordtest.Draft{Content: s.mention("which colour?")})
	s.answer(s.channel, failed, "My language model refuses")
	r.settled(s, failed)
	s.always(openaitest.Answer("Green."))
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("and now?")})
	answer := s.answer(s.channel, question, "Green.")
	r.settled(s, question)
	shown := s.privately(s.shows(s.channel, answer.ID), "What this answer was made from").Content
	if !strings.Contains(shown, "which colour?") || strings.Contains(shown, "refuses") {
		t.Errorf("the explanation reads\n%s\nwant %q in it and no %q in it", shown, "which colour?", "refuses")
	}
}

// TestMarksAreNotShownInExcerpts has people write with marks, one of which hides something,
// and heddle answer with some.
func TestMarksAreNotShownInExcerpts(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.said(time.Minute, "ann: **monday** to __wednesday__ I can", "bob: the present is ||a loom||", "ann: run `make **all**` in snake_case")
	s.always(openaitest.Answer("# Plan\n*ann* waters."))
	r := s.start("AFFINITY=off", "MIN_LINEAR=4")
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("who waters the plants?")})
	answer := s.answer(s.channel, question, "waters")
	r.settled(s, question)
	s.tells(s.channel, answer.ID, "What this answer was made from",
		") monday to wednesday I can\n", ") the present is ▒▒▒\n", `) run make \*\*all\*\* in snake\_case`+"\n")
	further := s.post(s.bob, discordtest.Draft{Content: s.mention("all week?"), ReplyTo: answer.ID})
	second := s.answer(s.channel, further, "waters")
	r.settled(s, further)
	s.tells(s.channel, second.ID, "What this answer was made from", ") Plan ann waters.\n")
}
