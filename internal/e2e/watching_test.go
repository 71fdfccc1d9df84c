package e2e_test

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestReadinessTellsGatewayStoreAndModelApart(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	s.model.Queue(openaitest.Reply{Status: http.StatusUnauthorized}, openaitest.Answer("Four."))
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "REDIS_URL="+server.URL())
	address := r.healthOf(s)
	is := func(path string, want int, text string) {
		t.Helper()
		if status, said := s.visit(address, path); status != want || !strings.Contains(said, text) {
			t.Errorf("%s: %d %q, want %d %q", path, status, said, want, text)
		}
	}
	r.settled(s, s.post(s.ann, discordtest.Draft{Content: s.mention("1 + 1?")}))
	is("/readyz/model", http.StatusServiceUnavailable, "the model does not answer: not authorized")
	is("/readyz", http.StatusOK, "ok")
	r.settled(s, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}))
	is("/readyz/model", http.StatusOK, "ok")
	server.Kill()
	is("/readyz/store", http.StatusServiceUnavailable, "the store does not work")
	is("/readyz/gateway", http.StatusOK, "ok")
	is("/readyz", http.StatusServiceUnavailable, "the store does not work")
}

func TestTokensAndStagesAreAmongTheMetrics(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	four := openaitest.Answer("Four.")
	four.Usage = &openaitest.Usage{Prompt: 1000, Cached: 400, Completion: 50}
	s.model.Queue(four)
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "LLM_PRICES=2/0.5/8")
	r.settled(s, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}))
	_, text := s.visit(r.healthOf(s), "/metrics")
	for _, want := range []string{
		`heddle_model_tokens_total{kind="prompt",model="test-model"} 600`,
		`heddle_model_tokens_total{kind="cached",model="test-model"} 400`,
		`heddle_model_tokens_total{kind="completion",model="test-model"} 50`,
		`heddle_model_cost_total{model="test-model"} 0.0018`,
		`heddle_stage_seconds_count{stage="prepare"} 1`, `heddle_stage_seconds_count{stage="look_up"} 1`,
		`heddle_stage_seconds_count{stage="first_text"} 1`, `heddle_stage_seconds_count{stage="model"} 1`,
		`heddle_stage_seconds_count{stage="deliver"} 1`, `heddle_stage_seconds_count{stage="record"} 1`,
		`heddle_stage_seconds_count{stage="whole"} 1`, `heddle_wait_seconds_count{cause="slot"} 1`, `heddle_waiting{cause="turn"} 0`,
		`heddle_gateway_shards{state="connected"} 1`, `heddle_rest_limited_total{scope="user"} 0`, `heddle_model_up 1`,
		`heddle_rest_requests_total{method="POST",route="/channels/{id}/messages",scope="",status="2xx"} 1`,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%q is not among the metrics", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestEveryLineAboutAMentionNamesItsRequest(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	r.settled(s, question)
	ids := map[string]int{}
	for line := range strings.Lines(r.logs.String()) {
		if !strings.Contains(line, question.String()) {
			continue
		}
		found := regexp.MustCompile(`request=(\S+)`).FindStringSubmatch(line)
		if found == nil {
			t.Errorf("a line names no request: %s", line)
			continue
		}
		ids[found[1]]++
	}
	if len(ids) != 1 {
		t.Errorf("a mention's lines name the requests %v, want one of them", ids)
	}
}

func TestProfilesAreServedToThisMachine(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start("PPROF_ADDR=127.0.0.1:0")
	if err := r.logs.await(s.ctx, `msg="serving profiles" address=`); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`msg="serving profiles" address=(\S+)`).FindStringSubmatch(r.logs.String())[1]
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine?debug=1", "/debug/pprof/heap"} {
		if status, _ := s.visit(address, path); status != http.StatusOK {
			t.Errorf("%s answers %d, want %d", path, status, http.StatusOK)
		}
	}
}

// TestSIGHUPReadsTheSettingsAgain changes .env while heddle runs.
func TestSIGHUPReadsTheSettingsAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	var dotEnv atomic.Value
	dotEnv.Store("LOG_LEVEL=info\n")
	reload := make(chan os.Signal)
	var environ []string
	for _, setting := range s.environ {
		if !strings.HasPrefix(setting, "LOG_LEVEL=") {
			environ = append(environ, setting)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	var logs lockedBuffer
	ended := make(chan struct{})
	connected := s.connecting()
	go func() {
		defer close(ended)
		cli.Run(ctx, nil, cli.Process{
			Environ: environ, Stdin: strings.NewReader(""), Stdout: &logs, Stderr: &logs, Reload: reload,
			Read: func(name string) ([]byte, error) {
				if name == ".env" {
					return []byte(dotEnv.Load().(string)), nil
				}
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			},
		})
	}()
	t.Cleanup(func() { stop(); <-ended })
	if err := connected(); err != nil {
		t.Fatal(err)
	}
	hangUp := func(env, want string) {
		t.Helper()
		dotEnv.Store(env)
		reload <- syscall.SIGHUP
		if err := logs.await(s.ctx, want); err != nil {
			t.Fatalf("want %q in the log: %v\n%s", want, err, logs.String())
		}
	}
	hangUp("LOG_LEVEL=loud\n", "the settings were read again and cannot be used, nothing changes")
	hangUp("LOG_LEVEL=debug\nMAX_TOTAL=50\n", `msg="the settings were read again" level=DEBUG wait_for_restart=[MAX_TOTAL]`)
	s.model.Queue(openaitest.Answer("Four."))
	s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	if err := logs.await(s.ctx, `level=DEBUG msg="a task is done"`); err != nil {
		t.Fatal(err)
	}
}
