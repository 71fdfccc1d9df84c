package e2e_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
)

// oneOutage fails the test unless the log reports one outage, and its end over times.
func (r *running) oneOutage(t *testing.T, over int) {
	t.Helper()
	if went, back := r.outages(t); went != 1 || back != over {
		t.Errorf("the log says %d times that the store went and %d times that it came back, want 1 and %d", went, back, over)
	}
}

// asksUnread is like asks, but the answer may say that it is not known who opted out.
func (s *scene) asksUnread(question, want string) {
	s.t.Helper()
	s.model.Queue(openaitest.Answer(want))
	trigger := s.ask(s.ann, question)
	m := s.answer(s.channel, trigger, want)
	if n := len(s.answersOf(s.channel)[trigger]); n != 1 || m.Content != want && m.Content != want+"\n"+phrases.English(phrases.NoticeAlone) {
		s.t.Errorf("%d answers, the first of which reads %q, want %q", n, m.Content, want)
	}
}

// survives asks a question and lets something happen to Redis while half of the answer
// stands. The answer has to become whole.
func (s *scene) survives(happens func() error) {
	s.t.Helper()
	gate := make(chan struct{})
	half := openaitest.Answer("Half of an answer that Redis does not survive ", "and its other half.")
	half.Chunks[1].Wait = gate
	s.model.Queue(half)
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("two?")})
	s.begun(s.channel, trigger, "Half of an answer")
	if err := happens(); err != nil {
		s.t.Fatal(err)
	}
	close(gate)
	s.wholeAnswer(trigger, "Half of an answer that Redis does not survive and its other half.")
}

func TestRedisDownAtTheStartCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	server.Kill()
	r := s.start("REDIS_URL=" + server.URL())
	s.asksUnread("one?", "One.")
	s.asksUnread("two?", "Two.")
	r.oneOutage(t, 0)
	if err := server.Restart(s.ctx); err != nil {
		t.Fatal(err)
	}
	for question := 'a'; !strings.Contains(r.logs.String(), "the store works again"); question++ {
		s.asksUnread(string(question)+"?", "Yes.")
	}
	r.oneOutage(t, 1)
}

// TestNobodyIsReadWhileItIsNotKnownWhoOptedOut starts heddle without its store. Whoever
// asks is answered from their message alone, and told so.
func TestNobodyIsReadWhileItIsNotKnownWhoOptedOut(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	server := s.redis()
	server.Kill()
	s.start("REDIS_URL=" + server.URL())
	s.post(s.bob, bobs(0))
	s.wholeAnswer(s.ask(s.ann, "what is it?"), "Yes.\n"+phrases.English(phrases.NoticeAlone))
	s.unread(0)
}

func TestRedisGoingDownInMidFlightCostsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]struct {
		timeout     string
		leave, back func(*redistest.Server, *scene) error
	}{
		"killed": {
			"10m",
			func(server *redistest.Server, _ *scene) error { server.Kill(); return nil },
			func(server *redistest.Server, s *scene) error { return server.Restart(s.ctx) },
		},
		"stalled": {
			"300ms", // a slow machine has more outages
			func(server *redistest.Server, _ *scene) error { return server.Pause() },
			func(server *redistest.Server, _ *scene) error { return server.Resume() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			server := s.redis()
			r := s.start("REDIS_URL="+server.URL(), "REDIS_TIMEOUT="+away.timeout)
			s.asks("one?", "One.")

			s.survives(func() error { return away.leave(server, s) })
			s.asks("three?", "Three.")
			if err := away.back(server, s); err != nil {
				t.Fatal(err)
			}
			for question := 'a'; !strings.Contains(r.logs.String(), "the store works again"); question++ {
				s.asks(string(question)+"?", "Yes.")
			}
			if went, back := r.outages(t); name == "killed" && (went != 1 || back != 1) {
				t.Errorf("the log says %d times that the store went and %d times that it came back, want 1 and 1", went, back)
			}
		})
	}
}

// TestAFailOverOfRedisCostsNoAnswer kills the server that a Sentinel leads to while heddle
// answers. The replica takes its place, with the answers from before.
func TestAFailOverOfRedisCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	sentinel, err := redistest.StartSentinel(s.ctx)
	s.stores(sentinel, err)
	r := s.start("REDIS_URL="+sentinel.URL(), "REDIS_TIMEOUT=10m")
	s.model.Queue(openaitest.Answer("Four, as ever."))
	s.sums(r, "Four, as ever.")
	if answer, err := sentinel.Watched().Do(s.ctx, "WAIT", "1", "0"); err != nil || answer != ":1" {
		t.Fatalf("%q replicas have what was stored, %v, want one", answer, err)
	}

	s.survives(func() error { return sentinel.FailOver(s.ctx) })
	for went, back := r.outages(t); went != back; went, back = r.outages(t) {
		s.asks(fmt.Sprintf("Is it back after %d?", len(s.model.Requests())), "Yes.")
	}
	asked := len(s.model.Requests())
	s.sums(r, "Four, as ever.")
	if got := len(s.model.Requests()); got != asked {
		t.Errorf("the model was asked %d times, want %d, as the replica had the answer", got, asked)
	}
}

func TestARedisThatNeverAnswersCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := new(net.ListenConfig).Listen(s.ctx, "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	r := s.start("REDIS_URL=unix://"+socket, "REDIS_TIMEOUT=300ms", storeKey)
	for _, question := range []string{"one", "two", "three"} {
		s.asksUnread(question+"?", "The answer to "+question+".")
	}
	r.oneOutage(t, 0)
	r.end()
	if r.status != cli.StatusDone {
		t.Errorf("it ended with status %d, want %d", r.status, cli.StatusDone)
	}
}

func TestTwoProcessesWithOneRedisAnswerOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	s.start("REDIS_URL=" + server.URL())
	s.launch("REDIS_URL=" + server.URL())
	s.connected(2)
	for _, question := range []string{"one", "two", "three", "four", "five"} {
		s.asks(question+"?", "The answer to "+question+".")
	}
	if got := len(s.model.Requests()); got != 5 {
		t.Errorf("five questions asked the model %d times, want 5", got)
	}
}
