package e2e_test

import (
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatHeddleTellsBesideIsNoConversation has heddle say in a channel that it is paused,
// that its model fails, and that somebody opted in. Neither the next question, nor what it
// is explained by, nor a catch-up or a search reads any of that, whether heddle heard it or
// reads it after a restart.
func TestWhatHeddleTellsBesideIsNoConversation(t *testing.T) {
	t.Parallel()
	for name, affinity := range map[string]string{"with affinity": "on", "without": "off"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.environ = append(s.environ, "OPERATORS="+s.ann.String(), "AFFINITY="+affinity, "CONTACT=the weavers")
			r := s.start()
			asks := func(question, notice string) discordtest.Message {
				return s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention(question)}), notice)
			}
			asks("opt in", "From now on I read what you write")
			s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
			paused := asks("is the loom free?", "I am paused for now.")
			s.runs(s.ann, "heddle pause", map[string]any{"what": "resume"}, "I answer again")
			s.always(openaitest.Reply{Status: 401})
			asks("is the loom free now?", "My language model refuses to work with me.")
			s.always(openaitest.Answer("It is free."))
			s.readsNoNotice(r, paused)
			r.end()
			s.readsNoNotice(s.start(), paused)
		})
	}
}

// readsNoNotice asks about the loom, with a reply to the notice below an earlier question,
// and fails the test if anything that people read of it, or the model, holds a notice.
func (s *scene) readsNoNotice(r *running, earlier discordtest.Message) {
	s.t.Helper()
	notices := []string{"I am paused", "refuses to work with me", "From now on I read"}
	clean := func(what, text string) {
		s.t.Helper()
		for _, notice := range notices {
			if strings.Contains(text, notice) {
				s.t.Errorf("%s holds %q, want it left out of\n%s", what, notice, text)
			}
		}
	}
	asked := len(s.model.Requests())
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("and the loom today?"), ReplyTo: earlier.ID})
	answer := s.answer(s.channel, question, "It is free.")
	r.settled(s, question)
	read := strings.Join(textsOf(s.model.Requests()[asked]), "\n")
	clean("what the model reads", read)
	if !strings.Contains(read, "is the loom free?") {
		s.t.Errorf("the model does not read the question below which the notice stands:\n%s", read)
	}
	clean("the explanation of an answer", s.privately(s.shows(s.channel, answer.ID), "What this answer was made from").Content)
	clean("the explanation of a message", s.privately(s.shows(s.channel, question), "").Content)
	for command, options := range map[string]map[string]any{"heddle catchup": {"since": "1h"}, "heddle find": {"words": "paused model loom"}} {
		id, m := s.catchesUp(s.bob, command, options)
		clean("the answer to "+command, m.Content)
		if len(m.Buttons()) > 0 {
			s.press(s.bob, m, "1")
			clean("a talk", s.opens(id).Content)
		}
	}
	for _, request := range s.model.Requests()[asked:] {
		clean("what the model reads of talks", strings.Join(textsOf(request), "\n"))
	}
}
