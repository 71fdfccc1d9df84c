package e2e_test

import (
	"strings"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAnEditThatIsRefusedInMidAnswerLeavesNoHalf lets Discord refuse to edit what has
// begun. The log must not blame the model for it.
func TestAnEditThatIsRefusedInMidAnswerLeavesNoHalf(t *testing.T) {
	t.Parallel()
	edit := discordtest.On(discordtest.RouteEditMessage)
	for name, refusal := range map[string]discordtest.Fault{
		"403": discordtest.Refused(edit, 403, 50013, "Missing Permissions"),
		"404": {Match: edit, Status: 404, Body: "404 page not found"},
		"405": {Match: edit, Status: 405, Body: "method not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			refusal.Times = -1
			refused := s.discord.Faults.Inject(refusal)
			shown, gate := make(chan struct{}), make(chan struct{})
			reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft ", "across it.")
			reply.Chunks[1].Wait, reply.Chunks[2].Wait = shown, gate
			s.model.Queue(reply)
			r := s.start()
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			s.begun(s.channel, trigger, "The warp is what runs lengthwise")
			close(shown)
			if err := refused.Await(s.ctx, 1); err != nil {
				t.Fatal(err)
			}
			close(gate)
			s.wholeAnswer(trigger, "The warp is what runs lengthwise in a loom, and the weft across it.")
			r.settled(s, trigger)
			if n := s.own(); n != 1 {
				t.Errorf("%d messages of heddle's stand, want 1", n)
			}
			if logs := r.logs.String(); strings.Contains(logs, "the model did not answer") {
				t.Errorf("the log says that the model did not answer, want Discord named:\n%s", logs)
			}
		})
	}
}

// TestNoHalfStaysWhereHeddleWasShutOut hides the channel from heddle while its answer
// grows, and shows it again before the answer ends or after.
func TestNoHalfStaysWhereHeddleWasShutOut(t *testing.T) {
	t.Parallel()
	shut := func(s *scene) {
		s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ViewChannel})
	}
	reveal := func(s *scene, _ *running) { s.discord.World.SetOverwrites(s.channel) }
	for name, test := range map[string]struct {
		shut func(*scene)
		open func(*scene, *running)
		late bool // it is opened only once the answer could not be sent
	}{
		"hidden and shown again":         {shut, reveal, false},
		"hidden until after the answer":  {shut, reveal, true},
		"removed and invited again":      {removed, invited, false},
		"removed until after the answer": {removed, invited, true},
		// Requests succeed here while the gateway has yet to report the guild.
		"invited before the gateway says so": {removed, invitedUnheard, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.takeTime()
			shown, gate := make(chan struct{}), make(chan struct{})
			reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft ", "across it.")
			reply.Chunks[1].Wait, reply.Chunks[2].Wait = shown, gate
			s.model.Queue(reply)
			s.always(openaitest.Answer("The warp is what runs lengthwise in a loom, and the weft across it."))
			r := s.start()
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			s.begun(s.channel, trigger, "The warp is what runs lengthwise")
			test.shut(s)
			close(shown)
			if err := r.logs.await(s.ctx, "the beginning of an answer could not be deleted"); err != nil {
				t.Fatal(err)
			}
			if test.late {
				close(gate)
				if err := r.logs.await(s.ctx, "an answer could not be sent, this is tried again"); err != nil {
					t.Fatal(err)
				}
			}
			test.open(s, r)
			if !test.late {
				close(gate)
			}
			s.answer(s.channel, trigger, "and the weft across it.")
			r.settled(s, trigger)
			s.wholeAnswer(trigger, "The warp is what runs lengthwise in a loom, and the weft across it.")
		})
	}
}

func removed(s *scene) { s.discord.People.Leave(s.guild, s.heddle.User) }

func invited(s *scene, _ *running) { s.discord.People.Join(s.guild, s.heddle.User) }

// invitedUnheard invites heddle, and keeps back the event that says so until heddle has
// tried again to answer.
func invitedUnheard(s *scene, r *running) {
	s.t.Helper()
	release := s.discord.Events.Hold()
	defer release()
	invited(s, r)
	if err := r.logs.await(s.ctx, " tries=3 "); err != nil {
		s.t.Fatal(err)
	}
}

// TestACreateThatIsRefusedIsNotBlamedOnTheModel refuses the answer itself.
func TestACreateThatIsRefusedIsNotBlamedOnTheModel(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), 403, 50013, "Missing Permissions"))
	reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft across it.")
	reply.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(reply)
	r := s.start()
	r.settled(s, s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")}))
	logs := r.logs.String()
	if strings.Contains(logs, "the model did not answer") || !strings.Contains(logs, "as Discord refuses its answer") {
		t.Error("the log does not name Discord")
	}
}

// TestWhatDiscordSaysOfARefusalIsNotLogged has Discord refuse an answer, or a read, with an
// error that quotes what was said.
func TestWhatDiscordSaysOfARefusalIsNotLogged(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]string{"an answer": discordtest.RouteCreateMessage, "a read": discordtest.RouteMessages} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			refusal := discordtest.Refused(discordtest.On(route), 400, 50035, `Invalid Form Body: "the canary sang in the warp"`)
			refused := s.discord.Faults.Inject(refusal)
			s.always(openaitest.Answer("The canary sang ", "in the warp."))
			r := s.start()
			s.post(s.ann, discordtest.Draft{Content: s.mention("what did the canary do?")})
			if err := refused.Await(s.ctx, 1); err != nil {
				t.Fatal(err)
			}
			if err := r.logs.await(s.ctx, "HTTP 400, code 50035"); err != nil {
				t.Fatal(err)
			}
			r.end()
			if strings.Contains(r.logs.String(), "canary") {
				t.Errorf("%q is in the log, want nothing of what Discord said there", "canary")
			}
		})
	}
}

// TestAnAnswerThatMayNotGoOnSaysSo takes from heddle the right to send in the midst of an
// answer of several messages. What stands ends with a sentence that says why.
func TestAnAnswerThatMayNotGoOnSaysSo(t *testing.T) {
	t.Parallel()
	const notice = "\n-# The answer stops here, as Discord no longer lets me write in this channel."
	for name, refuse := range map[string]func(*scene){
		"the permission is taken": func(s *scene) { s.denies(s.channel, discordtest.SendMessages) },
		"heddle is timed out": func(s *scene) {
			s.discord.People.Timeout(s.guild, s.heddle.User, time.Now().Add(time.Hour))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			gate := make(chan struct{})
			reply := openaitest.Answer(strings.Repeat("The warp runs lengthwise. ", 40), strings.Repeat("The weft runs across it. ", 400))
			reply.Chunks[1].Wait = gate
			s.model.Queue(reply, openaitest.Answer("Here."))
			r := s.start()
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			s.begun(s.channel, trigger, "The warp runs lengthwise.")
			refuse(s)
			close(gate)
			m := s.answer(s.channel, trigger, notice)
			if !strings.HasPrefix(m.Content, "The warp runs") || !strings.HasSuffix(m.Content, notice) || len(m.Content) > 2000 {
				t.Errorf("what stands reads %q, want the beginning of the answer and the notice", m.Content)
			}
			if n := s.own(); n != 1 {
				t.Errorf("%d messages of heddle's stand, want 1", n)
			}
			r.settled(s, trigger)
			if refused := len(s.discord.Record.Requests(func(q discordtest.Request) bool {
				return q.Route == discordtest.RouteCreateMessage && q.Status == 403
			})); refused == 0 {
				t.Error("no message was refused, want that the rest was")
			}
		})
	}
}
