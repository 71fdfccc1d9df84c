package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/waittest"
)

// healthOf waits until a run serves its health, and returns the address.
func (r *running) healthOf(s *scene) string {
	s.t.Helper()
	return r.serves(s, "health and metrics")
}

// serves waits until a run serves something, and returns the address.
func (r *running) serves(s *scene, what string) string {
	s.t.Helper()
	serving := `msg="serving ` + what + `" address=`
	s.awaits(&r.logs, serving)
	return regexp.MustCompile(serving + `(\S+)`).FindStringSubmatch(r.logs.String())[1]
}

// visit returns the status and the text of a page.
func (o *operator) visit(address, path string) (int, string) {
	o.t.Helper()
	return o.visitAs("", address, path)
}

// visitAs is visit as a browser asks that knows the address by the name of a host.
func (o *operator) visitAs(host, address, path string) (int, string) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.ctx, http.MethodGet, "http://"+address+path, http.NoBody)
	o.ok(err)
	request.Host = host
	response, err := http.DefaultClient.Do(request)
	o.ok(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	o.ok(err)
	return response.StatusCode, string(text)
}

// health runs the command health.
func (o *operator) health(address string) (status int, said string) {
	o.t.Helper()
	var out waittest.Log
	status = cli.Run(o.ctx, []string{"health"}, cli.Process{
		Environ: []string{"HEALTH_ADDR=" + address}, Read: noFiles, Stdout: &out, Stderr: &out,
	})
	return status, out.String()
}

// TestHealthSaysWhetherHeddleAnswers takes Discord, the model and the store away in turn.
func TestHealthSaysWhetherHeddleAnswers(t *testing.T) {
	s := newScene(t)
	server := s.redis()
	fault := s.discord.Faults.Inject(discordtest.Fault{Times: -1, Status: http.StatusBadGateway})
	refused := openaitest.Fail(openaitest.Failure{Status: http.StatusBadRequest, Message: "Your credit balance is too low to access the API."})
	s.model.Queue(openaitest.Reply{Status: http.StatusUnauthorized}, openaitest.Reply{Status: http.StatusUnauthorized}, refused, refused, openaitest.Reject("logprobs"), openaitest.Answer("Four."))
	r := s.launch("HEALTH_ADDR=127.0.0.1:0", "REDIS_URL="+server.URL())
	address := r.healthOf(s)
	is := func(path string, want int, text string) {
		t.Helper()
		if status, said := s.visit(address, path); status != want || !strings.Contains(said, text) {
			t.Errorf("%s: %d %q, want %d %q", path, status, said, want, text)
		}
	}
	ready := func(want int, text string) {
		t.Helper()
		is("/livez", http.StatusOK, "")
		is("/readyz", want, text)
		wanted := map[bool]int{true: cli.StatusDone, false: cli.StatusFailed}[want == http.StatusOK]
		if status, said := s.health(address); status != wanted || strings.Count(said, "\n") != 1 {
			t.Errorf("heddle health ends with %d and says %q, want %d and one line", status, said, wanted)
		}
	}
	ready(http.StatusServiceUnavailable, "heddle is not connected to Discord")
	fault.Remove()
	s.awaits(&r.logs, "connected to Discord")
	r.settled(s, s.ask(s.ann, "1 + 1?"))
	is("/readyz/model", http.StatusServiceUnavailable, "the model does not answer: not authorized")
	ready(http.StatusOK, "ok")
	r.settled(s, s.ask(s.ann, "1 + 2?"))
	is("/metrics", http.StatusOK, "heddle_model_up 1") // two failures in a row
	r.settled(s, s.ask(s.ann, "1 + 3?"))
	is("/metrics", http.StatusOK, "heddle_model_up 0")
	r.settled(s, s.ask(s.ann, "2 + 2?"))
	is("/metrics", http.StatusOK, "heddle_model_up 1")
	is("/readyz/model", http.StatusOK, "ok without log-probabilities")
	is("/metrics", http.StatusOK, `heddle_model_refuses{feature="logprobs",model="test-model"} 1`)
	server.Kill()
	is("/readyz/store", http.StatusServiceUnavailable, "the store does not work")
	is("/readyz/gateway", http.StatusOK, "ok")
	ready(http.StatusServiceUnavailable, "the store does not work")
	r.end()
	status, said := s.health(address)
	s.same("the status once heddle has ended", status, cli.StatusFailed)
	s.contains(said, "does it run")
}

// TestMetricsAddUpToTheRequests has a question wait for heddle's return, the same question
// asked thrice, and another one exceed a limit.
func TestMetricsAddUpToTheRequests(t *testing.T) {
	s := newScene(t)
	s.start().end()
	missed := s.ask(s.ann, "are you there?")
	four := openaitest.Answer("Four.")
	four.Usage = &openaitest.Usage{Prompt: 1000, Cached: 400, Completion: 50}
	s.model.Queue(openaitest.Answer("Yes."), four)
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "LLM_PRICES=2/0.5/8 USD", "LIMIT_PERSON=2 requests/day", "TOOLS=off")
	s.answer(s.channel, missed, "Yes.")
	for range 3 {
		s.sums(r, "Four.")
	}
	r.answers(s, s.ann, "still?", overPerson)
	_, text := s.visit(r.healthOf(s), "/metrics")
	for _, want := range []string{
		"heddle_connected 1", "heddle_gateway_dropped_total 0", "heddle_requests_total 5", `heddle_answers_total{way="hit"} 2`, `heddle_answers_total{way="miss"} 3`,
		`heddle_answers_total{way="coalesced"} 0`, `heddle_answers_total{way="bypassed"} 0`,
		"heddle_store_failures_total 0", "go_goroutines ",
		`heddle_model_tokens_total{kind="cached",model="test-model"} 400`, `heddle_model_cost_total{currency="USD",model="test-model"} 0.001`,
		`heddle_stage_seconds_count{stage="prepare"} `, `heddle_stage_seconds_count{stage="model"} `, `heddle_stage_seconds_count{stage="deliver"} `,
		`heddle_gateway_shards{state="connected"} 1`, `heddle_rest_limited_total{scope="user"} 0`, "heddle_model_up 1",
		`heddle_mentions_total{event="caught_up"} 1`, `heddle_mentions_total{event="turned_away"} 1`, `heddle_waiting{cause="slot"} 0`,
	} {
		s.contains(text, "\n"+want)
	}
	s.lacks(text, "Four", s.heddle.Token)
}

func TestHealthThatCannotBeToldIsRefusedInASentence(t *testing.T) {
	taken := func(s *scene) string {
		listener, err := new(net.ListenConfig).Listen(s.ctx, "tcp", "127.0.0.1:0")
		s.ok(err)
		s.t.Cleanup(func() { _ = listener.Close() })
		return listener.Addr().String()
	}
	inScenes(t, map[string]refused{
		"an address that is taken": {set("HEALTH_ADDR", taken), cli.StatusMisuse, "HEALTH_ADDR: listen on 127.0.0.1:"},
	}, (*scene).isRefused)
	s := sceneOn(t, discordtest.Options{})
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

// TestNoDoorAnswersToANamePointedHere asks as a browser does for a site that has pointed a
// name of its own at heddle's addresses.
func TestNoDoorAnswersToANamePointedHere(t *testing.T) {
	s := newScene(t)
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "DASHBOARD_ADDR=127.0.0.1:0")
	health := r.healthOf(s)
	for path, address := range map[string]string{"/metrics": health, "/debug/pprof/heap": health, "/api/answers": r.dashboardOf(s)} {
		for host, want := range map[string]int{
			"": http.StatusOK, "localhost:1": http.StatusOK, "heddle:8086": http.StatusOK, "[::1]": http.StatusOK,
			"rebound.example": http.StatusMisdirectedRequest, "127.0.0.1.rebound.example:80": http.StatusMisdirectedRequest, "localhost.": http.StatusMisdirectedRequest,
		} {
			status, _ := s.visitAs(host, address, path)
			s.same(path+" asked of the host "+host, status, want)
		}
	}
}

// TestDashboardAndAlertsGoByMetricsThatExist compares deploy/grafana.json and
// deploy/alerts.yml with what a running heddle publishes, and the alerts with
// docs/operations.md.
func TestDashboardAndAlertsGoByMetricsThatExist(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Reply{Status: 401}, openaitest.Answer("Four."))
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "LLM_PRICES=1/0.5/2")
	address := r.healthOf(s)
	for _, question := range []string{"1 + 1?", "2 + 2?"} {
		r.settled(s, s.ask(s.ann, question))
	}
	_, published := s.visit(address, "/metrics")

	var dashboard any
	board := s.read("../../deploy/grafana.json")
	s.ok(json.Unmarshal([]byte(board), &dashboard))
	rules := s.read("../../deploy/alerts.yml")
	name := regexp.MustCompile(`\b(?:heddle|go|process)_[a-z_]+`)
	for _, used := range name.FindAllString(board+rules, -1) {
		s.contains(published, "\n"+strings.TrimSuffix(used, "_bucket"))
	}
	for _, matched := range regexp.MustCompile(`([a-z]+)="([a-z_]+)"`).FindAllStringSubmatch(rules, -1) {
		if matched[1] != "job" {
			s.contains(published, matched[0])
		}
	}
	runbook := s.read("../../docs/operations.md")
	alerts := regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules, -1)
	for _, alert := range alerts {
		s.contains(runbook, "\n### "+alert[1]+"\n")
		s.contains(rules, "runbook: docs/operations.md#"+strings.ToLower(alert[1])+"\n")
	}
	for _, heading := range regexp.MustCompile(`\n### (Heddle\w+)\n`).FindAllStringSubmatch(runbook, -1) {
		s.contains(rules, "alert: "+heading[1]+"\n")
	}
	for _, event := range regexp.MustCompile(`heddle_mentions_total\{event="(\w+)"\}`).FindAllStringSubmatch(published, -1) {
		s.contains(runbook, "| `"+event[1]+"` |")
	}
}

// dashboardOf waits until a run serves its dashboard, and returns the address.
func (r *running) dashboardOf(s *scene) string {
	s.t.Helper()
	return r.serves(s, "the dashboard")
}

// latest waits until the dashboard has drawn an answer that Discord shows, and returns its
// number.
func (o *operator) latest(address string) int {
	o.t.Helper()
	for { // visits end with the scene
		_, text := o.visit(address, "/api/answers")
		var answers []struct {
			Number int `json:"number"`
			Shown  int `json:"shown"`
		}
		o.ok(json.Unmarshal([]byte(text), &answers))
		if len(answers) > 0 && answers[0].Shown > 0 {
			return answers[0].Number
		}
	}
}

func TestTheDashboardShowsWhatHeddleJustDid(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("At eight."))
	r := s.start("DASHBOARD_ADDR=127.0.0.1:0")
	told := s.post(s.bob, discordtest.Draft{Content: "the boat leaves at eight"})
	question := r.answers(s, s.ann, "when does the boat leave?", "At eight.")

	address := r.dashboardOf(s)
	answer := fmt.Sprintf("/api/answers/%d", s.latest(address))
	_, drawn := s.visit(address, answer)
	s.contains(drawn, told.String(), question.String(), `"recorded":true`, `"role":"system"`, "among the newest")
	s.lacks(drawn, "the boat", "Bob")
	_, counts := s.visit(address, "/api/counts")
	s.contains(counts, `heddle_answers_total{way="miss"} 1`, "heddle_model_tokens_total")
	for path, want := range map[string]int{
		"/api/answers/77": http.StatusNotFound, "/": http.StatusOK, "/live.js": http.StatusOK, "/graph.js": http.StatusOK,
	} {
		status, _ := s.visit(address, path)
		s.same("the status of "+path, status, want)
	}
}

func TestTheDashboardIsClosedToOthers(t *testing.T) {
	inScenes(t, map[string]refused{
		"open to the network": {func(*scene) []string { return []string{"DASHBOARD_ADDR=0.0.0.0:0"} }, cli.StatusMisuse, "can be reached from other machines; set DASHBOARD_TOKEN"},
		"all addresses":       {func(*scene) []string { return []string{"DASHBOARD_ADDR=:0"} }, cli.StatusMisuse, "can be reached from other machines"},
	}, (*scene).isRefused)
	s := sceneOn(t, discordtest.Options{})
	address := s.start("DASHBOARD_ADDR=0.0.0.0:0", "DASHBOARD_TOKEN=let me in").dashboardOf(s)
	port := address[strings.LastIndex(address, ":"):]
	for password, want := range map[string]int{"": http.StatusUnauthorized, "let me": http.StatusUnauthorized, "let me in": http.StatusOK} {
		status, _ := s.visit("operator:"+url.PathEscape(password)+"@127.0.0.1"+port, "/api/answers")
		s.same("the status with "+password, status, want)
	}
}
