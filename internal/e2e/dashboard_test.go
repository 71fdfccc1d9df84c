package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// dashboardOf waits until a run serves its dashboard, and returns the address.
func (r *running) dashboardOf(s *scene) string {
	s.t.Helper()
	if err := r.logs.await(s.ctx, `msg="serving the dashboard" address=`); err != nil {
		s.t.Fatal(err)
	}
	return regexp.MustCompile(`msg="serving the dashboard" address=(\S+)`).FindStringSubmatch(r.logs.String())[1]
}

// latest waits until the dashboard has drawn an answer that Discord shows, and returns its
// number.
func (o *operator) latest(address string) int {
	o.t.Helper()
	for { // visits end with the scene
		_, text := o.visit(address, "/api/answers")
		var list struct {
			Answers []struct {
				Number int `json:"number"`
				Shown  int `json:"shown"`
			} `json:"answers"`
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			o.t.Fatalf("%v in %s, want JSON", err, text)
		}
		if len(list.Answers) > 0 && list.Answers[0].Shown > 0 {
			return list.Answers[0].Number
		}
	}
}

func TestTheDashboardShowsWhatHeddleJustDid(t *testing.T) {
	t.Parallel()
	for texts, shown := range map[string]bool{"off": false, "on": true} {
		t.Run("texts "+texts, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("At eight."))
			r := s.start("DASHBOARD_ADDR=127.0.0.1:0", "DASHBOARD_TEXTS="+texts)
			told := s.post(s.bob, discordtest.Draft{Content: "the boat leaves at eight"})
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("when does the boat leave?")})
			s.answer(s.channel, question, "At eight.")
			r.settled(s, question)

			address := r.dashboardOf(s)
			answer := fmt.Sprintf("/api/answers/%d", s.latest(address))
			_, drawn := s.visit(address, answer)
			for _, want := range []string{told.String(), question.String(), `"recorded":true`, `"role":"system"`, "among the newest"} {
				if !strings.Contains(drawn, want) {
					t.Errorf("the drawing does not hold %s:\n%s", want, drawn)
				}
			}
			if strings.Contains(drawn, "the boat") != shown || strings.Contains(drawn, "Bob") && !shown {
				t.Errorf("with DASHBOARD_TEXTS=%s the drawing is\n%s\nwant texts in it: %t", texts, drawn, shown)
			}
			if _, counts := s.visit(address, "/api/pulse"); !strings.Contains(counts, `{"name":"answers_total","labels":{"way":"miss"},"value":1}`) || !strings.Contains(counts, "model_tokens_total") {
				t.Errorf("the counts are %s, want %q in it and %q in it", counts, `{"name":"answers_total","labels":{"way":"miss"},"value":1}`, "model_tokens_total")
			}
			s.forgottenOnceDeleted(address, answer, told)
			if status, _ := s.visit(address, "/api/answers/77"); status != http.StatusNotFound {
				t.Errorf("an answer that is not kept: %d, want %d", status, http.StatusNotFound)
			}
			for _, file := range []string{"/", "/dashboard.js", "/modules/graph.js", "/modules/panel.css"} {
				if status, _ := s.visit(address, file); status != http.StatusOK {
					t.Errorf("%s: %d, want %d", file, status, http.StatusOK)
				}
			}
		})
	}
}

// forgottenOnceDeleted deletes a message on Discord and waits until the dashboard does not
// show its text.
func (s *scene) forgottenOnceDeleted(address, answer string, told graph.MessageID) {
	s.t.Helper()
	s.discord.Chat.Delete(s.channel, told)
	for { // visits end with the scene
		if _, drawn := s.visit(address, answer); !strings.Contains(drawn, "the boat leaves") {
			return
		}
	}
}

func TestTheDashboardIsClosedToOthers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]refused{
		"open to the network": {func(*scene) []string { return []string{"DASHBOARD_ADDR=0.0.0.0:0"} }, cli.StatusMisuse, "can be reached from other machines; set DASHBOARD_TOKEN"},
		"all addresses":       {func(*scene) []string { return []string{"DASHBOARD_ADDR=:0"} }, cli.StatusMisuse, "can be reached from other machines"},
	} {
		t.Run(name, test.holds)
	}
	s := newScene(t, discordtest.Options{})
	open := s.start("DASHBOARD_ADDR=127.0.0.1:0")
	request := func(address string, change func(*http.Request)) int {
		r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, "http://"+address+"/api/answers", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if status := request(open.dashboardOf(s), func(r *http.Request) { r.Host = "rebound.example" }); status != http.StatusMisdirectedRequest {
		t.Errorf("another name gets %d, want %d", status, http.StatusMisdirectedRequest)
	}
	open.end()
	guarded := s.start("DASHBOARD_ADDR=0.0.0.0:0", "DASHBOARD_TOKEN=let me in")
	_, port, _ := strings.Cut(strings.TrimPrefix(guarded.dashboardOf(s), "["), "]")
	if port == "" {
		_, port, _ = strings.Cut(guarded.dashboardOf(s), ":")
	}
	address := "127.0.0.1:" + strings.TrimPrefix(port, ":")
	for password, want := range map[string]int{"": http.StatusUnauthorized, "let me": http.StatusUnauthorized, "let me in": http.StatusOK} {
		if status := request(address, func(r *http.Request) { r.SetBasicAuth("operator", password) }); status != want {
			t.Errorf("with %q: %d, want %d", password, status, want)
		}
	}
}
