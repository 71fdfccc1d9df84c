package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// looked is what heddle logs at the end of a check of what it missed.
const looked = "the sources of stored answers were checked against Discord"

// checked waits until a run has checked what it missed.
func (r *running) checked(s *scene) {
	s.t.Helper()
	if err := r.logs.await(s.ctx, looked); err != nil {
		s.t.Fatal(err)
	}
}

// TestWhatIsEditedOutIsNowhereAnyMore edits a secret out of a message, or removes the file
// that holds it, after answers were made from it.
func TestWhatIsEditedOutIsNowhereAnyMore(t *testing.T) {
	t.Parallel()
	plan := discordtest.Attachment{Name: "plan.txt", Type: "text/plain", Data: []byte("the password is swordfish")}
	for name, test := range map[string]struct {
		told   discordtest.Draft
		remove func(s *scene, told graph.MessageID)
	}{
		"words": {discordtest.Draft{Content: "the password is swordfish"}, func(s *scene, told graph.MessageID) { s.edit(told, "never mind") }},
		"a file": {discordtest.Draft{Content: "see there", Attachments: []discordtest.Attachment{plan}}, func(s *scene, told graph.MessageID) {
			m, _ := s.discord.Chat.Message(s.channel, told)
			if err := s.discord.Chat.RemoveAttachment(s.channel, told, m.Attachments[0].ID); err != nil {
				s.t.Fatal(err)
			}
		}},
	} {
		for when, away := range map[string]bool{"while heddle runs": false, "while heddle is away": true} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				s := newScene(t, discordtest.Options{})
				s.model.Queue(openaitest.Answer("So it is Swordfish."), openaitest.Answer("Swordfish, yes."))
				s.environ = append(s.environ, "EDITED_TTL=1ms")
				r := s.start()
				told := s.post(s.bob, test.told)
				first := s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?")})
				reply := s.answer(s.channel, first, "So it is Swordfish.")
				second := s.post(s.ann, discordtest.Draft{Content: s.mention("really?"), ReplyTo: reply.ID})
				s.answer(s.channel, second, "Swordfish, yes.")
				r.settled(s, second)
				if away {
					r.end()
					test.remove(s, told)
					r = s.start()
					r.checked(s)
				} else {
					test.remove(s, told)
				}
				if err := r.logs.await(s.ctx, "what was derived from older versions of an edited message was erased"); err != nil {
					t.Fatal(err)
				}
				r.end()
				s.nowhere("wordfish")
				if rows, _ := s.must(consent(s.ann, s.bob), "export", "-format", "raw", "-scope", string(s.scope())); rows != "" {
					t.Errorf("exported is %s, want \"\"", rows)
				}
			})
		}
	}
}

// TestWhatIsDeletedWhileHeddleIsAwayIsNowhereAnyMore removes a secret in every way between
// two runs.
func TestWhatIsDeletedWhileHeddleIsAwayIsNowhereAnyMore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remove func(s *scene, secret, question graph.MessageID)
		own    int // messages of heddle's that are left in the channel; -1: the channel is gone
	}{
		"a message":         {func(s *scene, secret, _ graph.MessageID) { s.discord.Chat.Delete(s.channel, secret) }, 1},
		"the question":      {func(s *scene, _, question graph.MessageID) { s.discord.Chat.Delete(s.channel, question) }, 0},
		"everything":        {func(s *scene, _, _ graph.MessageID) { s.discord.Chat.Delete(s.channel, s.all()...) }, 0},
		"the whole channel": {func(s *scene, _, _ graph.MessageID) { s.discord.World.DeleteChannel(s.channel) }, -1},
		"the guild, left":   {func(s *scene, _, _ graph.MessageID) { s.discord.People.Leave(s.guild, s.heddle.User) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("So it is Swordfish."))
			r := s.start()
			secret := s.post(s.bob, discordtest.Draft{Content: "the password is swordfish"})
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?")})
			s.answer(s.channel, question, "So it is Swordfish.")
			r.settled(s, question)
			r.end()
			scope := s.scope()
			test.remove(s, secret, question)
			r = s.start()
			r.checked(s)
			r.end()
			s.nowhere("wordfish")
			if kept, err := s.stored().Responses.ByTrigger(s.ctx, scope, question); err != nil || len(kept) != 0 {
				t.Errorf("kept are %+v, %v, want none and no error", kept, err)
			}
			if test.own >= 0 && s.own() != test.own {
				t.Errorf("heddle has %d messages in the channel, want %d", s.own(), test.own)
			}
			if strings.Contains(r.logs.String(), "wordfish") {
				t.Error("a message's text is in the log")
			}
		})
	}
}

// TestAChannelThatIsDeletedUnheardIsForgotten deletes a channel while heddle runs, loses
// the event, and ends heddle's session. Discord then lists the guild without the channel.
func TestAChannelThatIsDeletedUnheardIsForgotten(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("So it is Swordfish."))
	r := s.start("CATCH_UP=0s")
	s.post(s.bob, discordtest.Draft{Content: "the password is swordfish"})
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?")})
	s.answer(s.channel, question, "So it is Swordfish.")
	r.settled(s, question)
	scope := s.scope()
	s.discord.Events.Intercept(discordtest.Dropped("CHANNEL_DELETE"))
	s.discord.World.DeleteChannel(s.channel)
	r.checked(s)
	s.discord.Gateway.Invalidate()
	if err := r.logs.awaitTimes(s.ctx, looked, 2); err != nil {
		t.Fatal(err)
	}
	r.end()
	s.nowhere("wordfish")
	if kept, err := s.stored().Responses.ByTrigger(s.ctx, scope, question); err != nil || len(kept) != 0 {
		t.Errorf("kept are %+v, %v, want none and no error", kept, err)
	}
}

// all returns the messages of the channel.
func (s *screen) all() []graph.MessageID {
	var ids []graph.MessageID
	for _, m := range s.discord.Chat.Messages(s.channel) {
		ids = append(ids, m.ID)
	}
	return ids
}

// TestOneProcessAtATimeChecksWhatWasMissed starts three processes on one Redis and counts
// what they read. A page holds all sources, however many answers were made from them, and
// a check serves every process that was away before it began.
func TestOneProcessAtATimeChecksWhatWasMissed(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	environ := []string{"REDIS_URL=" + s.redis().URL(), "CATCH_UP=0s"}
	r := s.start(environ...)
	var last graph.MessageID
	for range 5 {
		last = s.post(s.ann, discordtest.Draft{Content: s.mention("is it?")})
		s.answer(s.channel, last, "Yes.")
	}
	r.settled(s, last)
	r.end()
	before := s.discord.Record.Count(discordtest.RouteMessages)
	var all []*running
	for range 3 {
		all = append(all, s.start(environ...))
	}
	checks := 0
	for _, r := range all {
		if err := r.logs.await(s.ctx, "the sources of stored answers were checked"); err != nil {
			t.Fatal(err)
		}
		r.end()
		checks += strings.Count(r.logs.String(), looked)
	}
	if reads := s.discord.Record.Count(discordtest.RouteMessages) - before; checks < 1 || checks > 3 || reads != checks {
		t.Errorf("%d checks took %d reads, want one to three checks, each with one read", checks, reads)
	}
}

// TestAChannelThatCannotBeReadForNowIsCheckedLater deletes an answered question while heddle
// is away. When heddle is back, Discord fails for a while to return the channel's messages.
func TestAChannelThatCannotBeReadForNowIsCheckedLater(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("It runs lengthwise."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
	s.answer(s.channel, question, "It runs lengthwise.")
	r.settled(s, question)
	r.end()
	s.discord.Chat.Delete(s.channel, question)
	down := discordtest.BadGateway(discordtest.On(discordtest.RouteMessages))
	down.Times = -1
	struck := s.discord.Faults.Inject(down)
	r = s.start("CATCH_UP=0s")
	if err := r.logs.await(s.ctx, "not all sources of stored answers could be checked against Discord"); err != nil {
		t.Fatal(err)
	}
	struck.Remove()
	s.standIn(0)
}
