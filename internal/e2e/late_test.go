package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// invokes has somebody use a command in the scene's channel, and waits until an answer is
// promised.
func (c *commands) invokes(who graph.UserID, command string, options map[string]any) discordtest.InteractionID {
	c.t.Helper()
	c.registered()
	id, err := c.discord.Interactions.Invoke(c.channel, who, c.heddle.User, discordtest.Invocation{Command: command, Options: options})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.discord.Interactions.Await(c.ctx, id, func(in discordtest.Interaction) bool { return in.Answered != 0 }); err != nil {
		c.t.Fatalf("no answer to /%s is promised: %v", command, err)
	}
	return id
}

// late is what people read whose answer takes too long for Discord.
const late = "takes longer than the 15 minutes that Discord allows"

// TestAnAnswerByCommandThatComesTooLateIsKept lets the model think until Discord hardly
// takes an answer any more, and until it takes none. Whoever asked is told, in a direct
// message if need be. Once they ask again, the answer is there at once, and others do not
// have it.
func TestAnAnswerByCommandThatComesTooLateIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		took    time.Duration
		private bool
	}{
		"while Discord takes answers":           {14 * time.Minute, false},
		"while Discord takes a private answer":  {14 * time.Minute, true},
		"when Discord takes no answer any more": {16 * time.Minute, false},
		"nor a private one":                     {16 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := new(discordtest.Clock)
			s := newScene(t, discordtest.Options{Clock: clock.Now})
			gate := make(chan struct{})
			slow := openaitest.Answer("Green.")
			slow.Wait = gate
			s.model.Queue(slow, openaitest.Answer("Blue."))
			r := s.start()
			options := map[string]any{"question": "which colour?", "private": test.private}
			asked := s.invokes(s.ann, "heddle ask", options)
			s.asked(1)
			clock.Advance(test.took)
			if test.took < 15*time.Minute {
				s.uses(s.channel, "heddle help") // its responses tell heddle what time it is
				s.ephemeral(asked, late)
				close(gate)
			} else {
				close(gate)
				s.toldDirectly(s.ann, late)
			}
			if err := r.logs.await(s.ctx, "an answer that came too late is kept"); err != nil {
				t.Fatalf("the answer is not kept: %v", err)
			}
			s.runs(s.bob, "heddle ask", options, "Blue.")
			s.runs(s.ann, "heddle ask", options, "Green.")
			s.askedTimes(2)
			for _, m := range s.discord.Chat.Messages(s.channel) {
				if m.Flags&discordtest.FlagLoading != 0 && strings.TrimSpace(m.Content) == "" && test.took < 15*time.Minute {
					t.Error("the answer that was promised to everybody is still announced, want it withdrawn")
				}
			}
		})
	}
}

// TestAPressThatWaitsTooLongIsGivenUp presses a button while another question is answered,
// until Discord hardly takes an answer to the press any more. Whoever pressed is told, and
// the question is not answered again.
func TestAPressThatWaitsTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	clock := new(discordtest.Clock)
	s := newScene(t, discordtest.Options{Clock: clock.Now})
	gate := make(chan struct{})
	s.floodsWait(gate)
	s.start("CATCH_UP=1h")
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("which?")})
	answer := s.standsIn(s.answer(s.channel, asked, "Yes."), "Yes.", row)
	s.post(s.bob, discordtest.Draft{Content: s.mention("flood of Bob?")})
	s.asked(2)
	press := s.press(s.ann, answer, "↻")
	if _, err := s.discord.Interactions.Await(s.ctx, press, func(in discordtest.Interaction) bool { return in.Answered != 0 }); err != nil {
		t.Fatalf("the press is not acknowledged: %v", err)
	}
	clock.Advance(14 * time.Minute)
	s.uses(s.channel, "heddle help") // its responses tell heddle what time it is
	s.ephemeral(press, "Your press has waited so long")
	close(gate)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and now?")}), "Yes.")
	s.askedTimes(3)
}

// TestAPressThatFailsTooLateIsToldDirectly has the model think about another answer until
// Discord takes no answer to the press any more, and then fail.
func TestAPressThatFailsTooLateIsToldDirectly(t *testing.T) {
	t.Parallel()
	clock := new(discordtest.Clock)
	s := newScene(t, discordtest.Options{Clock: clock.Now})
	gate := make(chan struct{})
	failing := openaitest.Fail(openaitest.Failure{Status: 401})
	failing.Wait = gate
	s.model.Queue(openaitest.Answer("Yes."), failing)
	s.start()
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("which?")})
	answer := s.standsIn(s.answer(s.channel, asked, "Yes."), "Yes.", row)
	s.press(s.ann, answer, "↻")
	s.asked(2)
	clock.Advance(16 * time.Minute)
	close(gate)
	s.toldDirectly(s.ann, "My language model refuses to work with me")
}
