package e2e_test

import (
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAQuestionWhoseDeletionIsNotHeardHasNoAnswer loses the events of deletions with the
// session in which they would have come. A question is deleted before anything of its answer was sent, another when its answer
// has begun to show.
func TestAQuestionWhoseDeletionIsNotHeardHasNoAnswer(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]bool{"before it shows": false, "as it grows": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_DELETE"))
			goesOn := make(chan struct{})
			reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft across it.")
			if shows {
				reply.Chunks[1].Wait = goesOn
			} else {
				reply.Wait = goesOn
			}
			s.model.Queue(reply)
			r := s.start()
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
			s.asked(1)
			if shows {
				s.begun(s.channel, question, "The warp")
			}
			s.discord.Chat.Delete(s.channel, question)
			s.discord.Gateway.Invalidate()
			if err := r.logs.await(s.ctx, "disconnected from Discord"); err != nil {
				t.Fatal(err)
			}
			close(goesOn)
			if err := r.logs.await(s.ctx, `msg="a task is done" trigger=`+question.String()); err != nil {
				t.Fatal(err)
			}
			if n := s.own(); n != 0 {
				t.Errorf("%d messages of the answer stand", n)
			}
			if created := s.discord.Record.Count(discordtest.RouteCreateMessage); created > 0 && !shows {
				t.Errorf("%d messages were sent", created)
			}
		})
	}
}
