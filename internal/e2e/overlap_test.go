package e2e_test

import (
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestTwoProcessesWithStoresOfTheirOwnAnswerOnce runs an old process and a new one for a
// while, as a deployment may that gives the new one a disk of its own. Neither store
// knows of the other process.
func TestTwoProcessesWithStoresOfTheirOwnAnswerOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	goOn := make([]chan struct{}, 6)
	for i := range goOn {
		goOn[i] = make(chan struct{})
	}
	asked := make(chan int, 1)
	asked <- 0
	s.scripted(func(openaitest.Request) *openaitest.Reply {
		number := <-asked
		asked <- number + 1
		text := strings.Repeat("Answer "+strconv.Itoa(number)+" says this. ", 30+number%3*70)
		reply := openaitest.Answer(text[:len(text)/2], text[len(text)/2:]+"That was "+strconv.Itoa(number)+".")
		reply.Chunks[1].Wait = goOn[number/2]
		return &reply
	})
	environ := []string{"CLAIM_LEASE=2s", "REUSE_TTL=0s"}
	processes := []*child{s.spawn(environ...), s.spawn(append(environ, "DATA_DIR="+t.TempDir())...)}
	s.connected(2)
	var triggers []graph.MessageID
	for i := range goOn {
		trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("question " + strconv.Itoa(i))})
		triggers = append(triggers, trigger)
		s.asked(2*i + 2) // by both
		close(goOn[i])
		for _, c := range processes {
			if err := c.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.oneEach(s.channel)
	yielded := 0
	for _, c := range processes {
		yielded += strings.Count(c.logs.String(), "another process, of which the store does not know, answers")
	}
	if yielded != len(triggers) {
		t.Errorf("of %d questions that both began to answer, %d were left to the other process, want all", len(triggers), yielded)
	}
	of := map[string]string{} // the answer that each message is a part of
	for _, edit := range s.discord.Record.Requests(discordtest.On(discordtest.RouteEditMessage)) {
		_, after, _ := strings.Cut(string(edit.Body), "Answer ")
		number, _, _ := strings.Cut(after, " ")
		if before, known := of[edit.Path]; known && before != number {
			t.Errorf("%s shows answer %s and answer %s, want one of them", edit.Path, before, number)
		}
		of[edit.Path] = number
	}
	for _, trigger := range triggers {
		s.wholeOfOne(trigger)
	}
}

// wholeOfOne fails the test unless all parts of the answer to a question are of one attempt,
// with its end.
func (s *screen) wholeOfOne(trigger graph.MessageID) {
	s.t.Helper()
	said := ""
	parts := []graph.MessageID{trigger}
	for _, m := range s.discord.Chat.Messages(s.channel) {
		if m.Author == s.heddle.User && m.Reference != nil && m.Reference.Message == parts[len(parts)-1] {
			parts, said = append(parts, m.ID), said+m.Content+" "
		}
	}
	_, number, ended := strings.Cut(strings.TrimSpace(said), "That was ")
	number = strings.TrimSuffix(number, ".")
	if !ended || strings.Count(said, "Answer ") != strings.Count(said, "Answer "+number+" ") {
		s.t.Errorf("the answer to %s reads %q, want one whole answer", trigger, said)
	}
}
