package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatIsDeletedIsNowhereAnyMore deletes a secret in every way after an answer was
// made from it, and looks for it in stored responses, in exports and in the bytes on
// disk.
func TestWhatIsDeletedIsNowhereAnyMore(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s *scene, secret, question graph.MessageID){
		"one message":       func(s *scene, secret, _ graph.MessageID) { s.discord.Chat.Delete(s.channel, secret) },
		"several at once":   func(s *scene, secret, question graph.MessageID) { s.discord.Chat.Delete(s.channel, question, secret) },
		"the whole channel": func(s *scene, _, _ graph.MessageID) { s.discord.World.DeleteChannel(s.channel) },
		"the guild, left":   func(s *scene, _, _ graph.MessageID) { s.discord.People.Leave(s.guild, s.heddle.User) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			other := s.discord.World.AddGuild("knitters")
			elsewhere := s.discord.World.AddChannel(other, discordtest.ChannelDraft{Name: "general"})
			s.discord.People.Join(other, s.ann)
			s.discord.People.Join(other, s.heddle.User)
			s.model.Queue(openaitest.Answer("So it is Swordfish."), openaitest.Answer("Here."))
			r := s.start()
			secret := s.post(s.bob, discordtest.Draft{Content: "the password is swordfish"})
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?")})
			s.answer(s.channel, question, "So it is Swordfish.")
			r.settled(s, question)
			scope := s.scope()
			remove(s, secret, question)
			s.answer(elsewhere, s.postIn(elsewhere, s.ann, discordtest.Draft{Content: s.mention("and now?")}), "Here.")
			r.end()

			s.nowhere("swordfish", "Swordfish")
			if rows, _ := s.must(consent(s.ann, s.bob), "export", "-format", "raw", "-scope", string(scope)); strings.Contains(rows, "wordfish") {
				t.Errorf("exported is %s, want no %q in it", rows, "wordfish")
			}
			if report, _ := s.must(nil, "verify"); !strings.Contains(report, string(scope)+": 0 responses and 0 turns fit, 0 faults; ") {
				t.Errorf("verify says %s, want %q in it", report, string(scope)+": 0 responses and 0 turns fit, 0 faults; ")
			}
			if kept, err := s.stored().Responses.ByTrigger(s.ctx, scope, question); err != nil || len(kept) != 0 {
				t.Errorf("kept are %+v, %v, want none and no error", kept, err)
			}
			if strings.Contains(r.logs.String(), "wordfish") {
				t.Errorf("%q is in the log, want no text of a message there", "wordfish")
			}
		})
	}
}

// TestNothingIsMadeOfWhatIsDeletedMeanwhile deletes a message while an answer is being
// made from it.
func TestNothingIsMadeOfWhatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	slow := openaitest.Answer("So it is Swordfish, which everybody ", "should know.")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow)
	r := s.start()
	secret := s.post(s.bob, discordtest.Draft{Content: "the password is swordfish"})
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?")})
	s.begun(s.channel, question, "So it is")
	s.discord.Chat.Delete(s.channel, secret)
	other := s.thread("so that the deletion is known to be read")
	s.model.Queue(openaitest.Answer("Yes."))
	s.answer(other, s.postIn(other, s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Yes.")
	close(gate)
	s.answer(s.channel, question, "should know.")
	r.end()
	s.nowhere("the password is swordfish", "So it is Swordfish")
	if kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question); err != nil || len(kept) != 0 {
		t.Errorf("kept are %+v, %v, want none and no error", kept, err)
	}
}

func TestForgettingAPersonReachesTheMemoryOfARunningProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	s.always(openaitest.Answer("Yes."))
	environ := []string{"REDIS_URL=" + server.URL()}
	r := s.start(environ...)
	r.checked(s)
	s.post(s.bob, discordtest.Draft{Content: "my number is 555-1234"})
	s.reads(s.channel, discordtest.Draft{Content: "one?"})
	if reads := s.reads(s.channel, discordtest.Draft{Content: "two?"}); reads != 0 {
		t.Fatalf("a warm channel took %d reads, want 0", reads)
	}
	s.must(environ, "forget", "-yes", s.bob.String())
	if err := r.logs.await(s.ctx, `"a person opted out or in, what was held of their channels is dropped" channels=1`); err != nil {
		t.Fatal(err)
	}
	if reads := s.reads(s.channel, discordtest.Draft{Content: "three?"}); reads != 1 {
		t.Errorf("after bob was forgotten an answer took %d reads, want 1, as nothing is held", reads)
	}
}
