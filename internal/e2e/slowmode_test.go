package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// slows refuses messages of heddle's in the scene's channel after so many, as a slow mode of
// hours does that applies to bots.
func (s *scene) slows(after int, wait time.Duration) *discordtest.Injection {
	create, path := discordtest.On(discordtest.RouteCreateMessage), "/channels/"+s.channel.String()+"/"
	fault := discordtest.TooMany(func(r discordtest.Request) bool { return create(r) && strings.HasPrefix(r.Path, path) }, discordtest.ScopeUser, wait)
	fault.Body = strings.Replace(fault.Body, `"code":0`, `"code":20016`, 1)
	fault.Skip, fault.Times = after, -1
	return s.discord.Faults.Inject(fault)
}

// TestASlowModeOfHoursHoldsUpItsChannelAlone asks for an answer of several messages and for
// a short one where Discord takes one message in six hours. Discord is not asked again and
// again, and other channels are answered.
func TestASlowModeOfHoursHoldsUpItsChannelAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	slow := s.slows(1, 6*time.Hour)
	s.model.Queue(openaitest.Answer(strings.Repeat("The warp runs lengthwise. ", 40), strings.Repeat("The weft runs across it. ", 200)))
	s.always(openaitest.Answer("Here."))
	r := s.start()
	const kept = "an answer could not be sent, this is tried again"
	for i, question := range []string{"what is a warp?", "and a weft?"} {
		s.ask(s.ann, question)
		if err := r.logs.awaitTimes(s.ctx, kept, i+1); err != nil {
			t.Fatal(err)
		}
	}
	thread := s.thread("elsewhere")
	s.answer(thread, s.postIn(thread, s.bob, discordtest.Draft{Content: s.mention("where are you?")}), "Here.")
	if n := slow.Hits(); n != 1 {
		t.Errorf("Discord was asked %d times to take a message although it takes none for hours, want once", n)
	}
	if n := s.own(); n != 1 {
		t.Errorf("%d messages of heddle's stand in the channel, want the one that Discord took", n)
	}
	if logs := r.logs.String(); strings.Count(logs, "pause=5h") != 2 {
		t.Errorf("the log does not say of both answers that they wait for six hours:\n%s", logs)
	}
}
