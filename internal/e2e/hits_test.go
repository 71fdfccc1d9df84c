package e2e_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestEqualQuestionsOverThreeProcessesAskTheModelOnce(t *testing.T) {
	t.Parallel()
	overThreeProcesses(t, 100)
}

// BenchmarkHundredAtOnce times overThreeProcesses.
func BenchmarkHundredAtOnce(b *testing.B) {
	for b.Loop() {
		overThreeProcesses(b, 100)
	}
}

// overThreeProcesses asks the same question n times at once of three processes of one
// bot, which share a store and all receive every question.
func overThreeProcesses(tb testing.TB, n int) {
	tb.Helper()
	s := newScene(tb, discordtest.Options{})
	server := s.redis()
	s.always(openaitest.Answer("Four."))
	for range 3 {
		s.launch("REDIS_URL=" + server.URL())
	}
	s.connected(3)
	in := s.together(n, "2 + 2?", "Four.")
	if got := len(s.model.Requests()); got != 1 {
		tb.Errorf("the model was asked %d times, want once", got)
	}
	answers := 0 // counted on Discord, as a request may be repeated
	for _, channel := range in {
		for _, m := range s.discord.Chat.Messages(channel) {
			if m.Author == s.heddle.User {
				answers++
			}
		}
	}
	if answers != n {
		tb.Errorf("%d questions brought %d answers, want one each", n, answers)
	}
}

// BenchmarkHit measures an answer from the store, from the event of the question to the
// request that creates the answer, both over the wire. Each question is in a thread of
// its own, of which heddle reads the history once.
func BenchmarkHit(b *testing.B) {
	for _, shared := range []bool{false, true} {
		name := "embedded"
		if shared {
			name = "redis"
		}
		b.Run(name, func(b *testing.B) {
			s := newScene(b, discordtest.Options{})
			var environ []string
			if shared {
				environ = append(environ, "REDIS_URL="+s.redis().URL())
			}
			s.always(openaitest.Answer("Four."))
			s.start(append(environ, "LOG_LEVEL=warn")...)
			pace := time.NewTicker(hitPace)
			defer pace.Stop()
			var took, wire []time.Duration
			for b.Loop() {
				<-pace.C
				took = append(took, s.hit())
				<-pace.C
				wire = append(wire, s.wire())
			}
			report(b, "hit", took)
			report(b, "wire", wire)
			if got := len(s.model.Requests()); got != 1 {
				b.Errorf("the model was asked %d times, want once", got)
			}
		})
	}
}

func report(b *testing.B, what string, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	for name, share := range map[string]float64{"p50": 0.5, "p99": 0.99} {
		b.ReportMetric(took[int(share*float64(len(took)-1))].Seconds()*1000, "ms-"+what+"-"+name)
	}
}

// wire makes the calls of an answer from the store, one read of the history and one
// create, and returns how long they took.
func (p *people) wire() time.Duration {
	in := p.thread("wire")
	rest, err := discord.NewREST(discord.RESTConfig{BaseURL: p.discord.URL(), Token: p.heddle.Token})
	if err != nil {
		p.t.Fatal(err)
	}
	path := "/channels/" + in.String() + "/messages"
	if _, err := rest.Get(p.ctx, path, url.Values{"limit": {"1"}}); err != nil { // connects
		p.t.Fatal(err)
	}
	started := time.Now()
	if _, err := rest.Get(p.ctx, path, url.Values{"limit": {"100"}}); err != nil {
		p.t.Fatal(err)
	}
	_, err = rest.Do(p.ctx, discord.Call{Method: http.MethodPost, Path: path, Body: map[string]string{"content": "Four."}})
	if err != nil {
		p.t.Fatal(err)
	}
	return time.Since(started)
}

// hitPace stays below the 50 calls a second that Discord allows a bot.
const hitPace = 80 * time.Millisecond

// hit asks in a fresh thread and returns how long the answer took.
func (p *people) hit() time.Duration {
	in := p.thread("hit")
	watcher := p.discord.Chat.Watch()
	defer watcher.Close()
	started := time.Now()
	question := p.postIn(in, p.ann, discordtest.Draft{Content: p.mention("2 + 2?")})
	_, err := watcher.Until(p.ctx, func(h discordtest.Happening) bool { return answers(h, question) })
	if err != nil {
		p.t.Fatal(err)
	}
	return time.Since(started)
}

func answers(h discordtest.Happening, question graph.MessageID) bool {
	return h.Kind == discordtest.Created && h.Message.Reference != nil && h.Message.Reference.Message == question
}
