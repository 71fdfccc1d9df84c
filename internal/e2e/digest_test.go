package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestACallIsAnsweredWithWhatWasTalkedAbout mentions heddle without words. The answer is
// public and short, and has a button for the whole list. A mention that asks something,
// or replies, is answered as usual.
func TestACallIsAnsweredWithWhatWasTalkedAbout(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	printer, _ := s.twoTalks()
	s.crowd(5, 50, time.Now().Add(-90*time.Minute))
	dan := s.discord.People.AddUser("dan", s.guild)
	s.describing(func(title string) string { return "On the " + title })
	r := s.start()
	call := s.post(dan, discordtest.Draft{Content: s.mention("")})
	r.settled(s, call)
	told := s.says(s.channel, "talks**")
	if told.Reference == nil || told.Reference.Message != call || strings.Count(told.Content, "On the ") != 3 || len(told.Content) > 1500 {
		t.Errorf("dan reads, in reply to %+v:\n%s\nwant three talks in at most 1500 bytes, in reply to %s", told.Reference, told.Content, call)
	}
	s.pingsNobody(told)
	before := len(s.model.Requests())
	if before != 1 {
		t.Errorf("the model was asked %d times, want once for three talks", before)
	}
	whole := s.press(s.ann, told, "All talks")
	s.ephemeral(whole, "On the climbing")
	if now, _ := s.discord.Chat.Message(s.channel, told.ID); now.Content != told.Content {
		t.Errorf("what everybody reads has become %q, want %q", now.Content, told.Content)
	}
	s.always(openaitest.Answer("bob and ann."))
	s.script.Store(nil)
	s.edit(call, s.mention("who climbs?"))
	s.standsIn(told, "bob and ann.", "Why? ↻ ⋯")
	reply := s.post(dan, discordtest.Draft{Content: s.mention(""), ReplyTo: printer[0]})
	s.answer(s.channel, reply, "bob and ann.")
	if asked := strings.Join(s.asked(len(s.model.Requests())), "\n"); !strings.Contains(asked, "out of toner") {
		t.Errorf("a call in reply was answered from %q, want %q in it", asked, "out of toner")
	}
	again := s.post(dan, discordtest.Draft{Content: s.mention("")}) // nothing was said since the first call
	s.answer(s.channel, again, "bob and ann.")
}
