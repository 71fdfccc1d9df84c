package e2e_test

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// healthOf waits until a run serves its health, and returns the address.
func (r *running) healthOf(s *scene) string {
	s.t.Helper()
	if err := r.logs.await(s.ctx, `msg="serving health and metrics" address=`); err != nil {
		s.t.Fatal(err)
	}
	found := regexp.MustCompile(`msg="serving health and metrics" address=(\S+)`).FindStringSubmatch(r.logs.String())
	return found[1]
}

// visit returns the status and the text of a page.
func (o *operator) visit(address, path string) (int, string) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.ctx, http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		o.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// health runs the command health.
func (o *operator) health(address string) (status int, said string) {
	o.t.Helper()
	var out lockedBuffer
	status = cli.Run(o.ctx, []string{"health"}, cli.Process{
		Environ: []string{"HEALTH_ADDR=" + address}, Read: noFiles, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
	})
	return status, out.String()
}

func TestHealthSaysWhetherHeddleAnswers(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	fault := s.discord.Faults.Inject(discordtest.Fault{Times: -1, Status: http.StatusBadGateway})
	r := s.launch("HEALTH_ADDR=127.0.0.1:0", "REDIS_URL="+server.URL())
	address := r.healthOf(s)
	is := func(ready int, want string) {
		t.Helper()
		if status, _ := s.visit(address, "/livez"); status != http.StatusOK {
			t.Errorf("it is said not to live: %d, want %d", status, http.StatusOK)
		}
		if status, said := s.visit(address, "/readyz"); status != ready || !strings.Contains(said, want) {
			t.Errorf("ready: %d %q, want %d %q", status, said, ready, want)
		}
		wanted := map[bool]int{true: cli.StatusDone, false: cli.StatusFailed}[ready == http.StatusOK]
		if status, said := s.health(address); status != wanted || strings.Count(said, "\n") != 1 {
			t.Errorf("heddle health ends with %d and says %q, want %d and one line", status, said, wanted)
		}
	}
	is(http.StatusServiceUnavailable, "heddle is not connected to Discord")
	fault.Remove()
	if err := r.logs.await(s.ctx, "connected to Discord"); err != nil {
		t.Fatal(err)
	}
	is(http.StatusOK, "ok")
	server.Kill()
	is(http.StatusServiceUnavailable, "the store does not work")
	r.end()
	if status, said := s.health(address); status != cli.StatusFailed || !strings.Contains(said, "does it run") {
		t.Errorf("of a heddle that ended: %d %q, want %d and %q in it", status, said, cli.StatusFailed, "does it run")
	}
}

func TestMetricsAddUpToTheRequests(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start("HEALTH_ADDR=127.0.0.1:0")
	for range 3 {
		in := s.thread("sums")
		question := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
		s.answer(in, question, "Four.")
		r.settled(s, question)
	}
	status, text := s.visit(r.healthOf(s), "/metrics")
	for _, want := range []string{
		"heddle_connected 1", "heddle_gateway_dropped_total 0", "heddle_requests_total 3", `heddle_answers_total{way="hit"} 2`, `heddle_answers_total{way="miss"} 1`,
		`heddle_answers_total{way="coalesced"} 0`, `heddle_answers_total{way="bypassed"} 0`, `heddle_answers_total{way="rejected"} 0`,
		"heddle_prompt_tokens_total 10", "heddle_store_failures_total 0", "heddle_log_lost_total 0", "go_goroutines ",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%q is not among the metrics", want)
		}
	}
	if status != http.StatusOK || strings.Contains(text, "Four") || strings.Contains(text, s.heddle.Token) {
		t.Errorf("%d with\n%s\nwant %d, no %q in it and no %q in it", status, text, http.StatusOK, "Four", s.heddle.Token)
	}
}

func TestHealthThatCannotBeToldIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	taken := func(s *scene) string {
		listener, err := new(net.ListenConfig).Listen(s.ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = listener.Close() })
		return listener.Addr().String()
	}
	for name, test := range map[string]refused{
		"an address that is taken": {set("HEALTH_ADDR", taken), cli.StatusMisuse, "HEALTH_ADDR: listen on 127.0.0.1:"},
	} {
		t.Run(name, test.holds)
	}
	s := newScene(t, discordtest.Options{})
	for address, want := range map[string]string{
		"":                           "HEALTH_ADDR is not set",
		"127.0.0.1":                  "use a host and a port like 127.0.0.1:8086",
		s.page(http.StatusOK)[7:]:    "is not heddle",
		"127.0.0.1:1":                "does it run, with the same HEALTH_ADDR?",
		s.page(http.StatusFound)[7:]: "is not heddle",
	} {
		if status, said := s.health(address); status == cli.StatusDone || !strings.Contains(said, want) || strings.Count(said, "HEALTH_ADDR") > 2 {
			t.Errorf("the address %q gave status %d and %q, want a failure that says %q", address, status, said, want)
		}
	}
}

// TestMetricsTellWhatWasCaughtUpAndTurnedAway has a question wait for heddle's return, and
// another one exceed a limit.
func TestMetricsTellWhatWasCaughtUpAndTurnedAway(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	s.start().end()
	missed := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")})
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "LIMIT_PERSON=1 requests/day", "TOOLS=off")
	s.answer(s.channel, missed, "Yes.")
	over := s.post(s.ann, discordtest.Draft{Content: s.mention("still?")})
	s.answer(s.channel, over, "as much as one person may")
	r.settled(s, over)
	_, text := s.visit(r.healthOf(s), "/metrics")
	for _, want := range []string{
		`heddle_mentions_total{event="caught_up"} 1`, `heddle_mentions_total{event="turned_away"} 1`,
		`heddle_wait_seconds_count{cause="model"} 2`, `heddle_waiting{cause="model"} 0`, `heddle_waiting{cause="send"} 0`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%q is not among the metrics", want)
		}
	}
	if strings.Contains(text, "\nheddle_wait_seconds_count{cause=\"send\"} 0\n") {
		t.Error("no request to Discord waited for its limits, not even for no time")
	}
}

// TestALimitThatOthersUsedUpIsWaitedFor has Discord refuse an answer because of a limit that
// is shared with others, which it does not count against heddle. The answer is sent after it.
func TestALimitThatOthersUsedUpIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	r := s.start("HEALTH_ADDR=127.0.0.1:0")
	used := discordtest.TooMany(discordtest.On(discordtest.RouteCreateMessage), discordtest.ScopeShared, time.Second)
	used.Times = 1
	s.discord.Faults.Inject(used)
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")})
	s.answer(s.channel, asked, "Yes.")
	r.settled(s, asked)
	if _, text := s.visit(r.healthOf(s), "/metrics"); !strings.Contains(text, "\nheddle_rest_limited_total{scope=\"shared\"} 1\n") {
		t.Error("the limit that others used up is not among the metrics")
	}
	s.oneEach(s.channel)
}
