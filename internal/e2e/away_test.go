package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAModelThatHangsIsToldAtOnce has requests to the model hang for 64 questions. All
// who asked are told that it is slow, or that it is away, as is somebody in another
// server, who is answered once it is back.
func TestAModelThatHangsIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.environ = append(s.environ, "LLM_PATIENCE=100ms", "SHUTDOWN_GRACE=1s")
	back := make(chan struct{})
	reply := openaitest.Answer("There I am.")
	reply.Wait = back
	s.always(reply)
	elsewhere := s.discord.World.AddGuild("spinners")
	quiet := s.discord.World.AddChannel(elsewhere, discordtest.ChannelDraft{Name: "general"})
	carl := s.discord.People.AddUser("carl", elsewhere)
	s.discord.People.Join(elsewhere, s.heddle.User)
	s.start()

	waiting := map[graph.ChannelID]graph.MessageID{}
	for i := range 64 {
		thread := s.thread(fmt.Sprintf("thread %d", i))
		waiting[thread] = s.postIn(thread, []graph.UserID{s.ann, s.bob}[i%2], discordtest.Draft{Content: s.mention(fmt.Sprintf("are you there, %d?", i))})
	}
	for thread, asked := range waiting {
		s.answerThat(thread, asked, "", func(discordtest.Message) bool { return true })
	}
	// The notice that the model is slow stands only until heddle knows that it is away.
	slow := len(s.discord.Record.Requests(func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteCreateMessage && strings.Contains(string(r.Body), "is slow to answer")
	}))
	t.Logf("%d who asked are told that the model is slow, the others that it is away", slow)
	if slow < 7 {
		t.Errorf("%d who asked are told that the model is slow, want at least the 7 that show it", slow)
	}
	s.answer(quiet, s.postIn(quiet, carl, discordtest.Draft{Content: s.mention("and here?")}), "can't reach my language model")
	close(back)
	for {
		asked := s.postIn(quiet, carl, discordtest.Draft{Content: s.mention("and now?")})
		if m := s.answerThat(quiet, asked, "", func(m discordtest.Message) bool { return !growing(m) }); m.Content == "There I am." {
			break
		}
	}
}

// TestASlowModelIsAskedOnce has the model take so long that people are told that it is
// slow. heddle sends no second request to be faster: it would wait behind the first, and
// cost as much.
func TestASlowModelIsAskedOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.environ = append(s.environ, "LLM_PATIENCE=50ms")
	back := make(chan struct{})
	reply := openaitest.Answer("There I am.")
	reply.Wait = back
	s.model.Queue(reply)
	s.always(openaitest.Answer("Again?"))
	s.start()
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")})
	s.begun(s.channel, asked, "is slow to answer")
	close(back)
	s.wholeAnswer(asked, "There I am.")
	if n := len(s.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times, want 1", n)
	}
	s.oneEach(s.channel)
}
