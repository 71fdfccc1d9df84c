package e2e_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestDashboardAndAlertsGoByMetricsThatExist compares deploy/grafana.json and
// deploy/alerts.yml with what a running heddle publishes, and the alerts with
// docs/operations.md.
func TestDashboardAndAlertsGoByMetricsThatExist(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Reply{Status: 401}, openaitest.Answer("Four."))
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "LLM_PRICES=1/0.5/2")
	address := r.healthOf(s)
	for _, question := range []string{"1 + 1?", "2 + 2?"} {
		r.settled(s, s.post(s.ann, discordtest.Draft{Content: s.mention(question)}))
	}
	_, published := s.visit(address, "/metrics")

	var dashboard any
	board := read(t, "../../deploy/grafana.json")
	if err := json.Unmarshal([]byte(board), &dashboard); err != nil {
		t.Fatal(err)
	}
	rules := read(t, "../../deploy/alerts.yml")
	name := regexp.MustCompile(`\b(?:heddle|go|process)_[a-z_]+`)
	for _, used := range name.FindAllString(board+rules, -1) {
		if !strings.Contains(published, "\n"+strings.TrimSuffix(used, "_bucket")) {
			t.Errorf("%s is not published", used)
		}
	}
	for _, matched := range regexp.MustCompile(`([a-z]+)="([a-z_]+)"`).FindAllStringSubmatch(rules, -1) {
		if matched[1] != "job" && !strings.Contains(published, matched[0]) {
			t.Errorf("nothing is published with %s", matched[0])
		}
	}
	runbook := read(t, "../../docs/operations.md")
	alerts := regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules, -1)
	for _, alert := range alerts {
		if !strings.Contains(runbook, "\n### "+alert[1]+"\n") || !strings.Contains(rules, "runbook: docs/operations.md#"+strings.ToLower(alert[1])+"\n") {
			t.Errorf("docs/operations.md has no paragraph on %s, or its rule does not lead there", alert[1])
		}
	}
	for _, heading := range regexp.MustCompile(`\n### (Heddle\w+)\n`).FindAllStringSubmatch(runbook, -1) {
		if !slices.ContainsFunc(alerts, func(alert []string) bool { return alert[1] == heading[1] }) {
			t.Errorf("docs/operations.md has a paragraph on %s, which no rule raises", heading[1])
		}
	}
	for _, event := range regexp.MustCompile(`heddle_mentions_total\{event="(\w+)"\}`).FindAllStringSubmatch(published, -1) {
		if !strings.Contains(runbook, "| `"+event[1]+"` |") {
			t.Errorf("docs/operations.md does not say what the event %s means", event[1])
		}
	}
}

// read returns the content of a file.
func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
