package e2e_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAnotherModelStandsInAmongToolCalls has the model fail twice on the way to an answer.
// Another model calls the tool and is the helper; the answer is the model's own again. What
// is verified and exported is what was sent to each of them.
func TestAnotherModelStandsInAmongToolCalls(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	spare := s.spare()
	away := openaitest.Fail(openaitest.Failure{Status: 401, Code: "invalid_api_key", Message: "no"})
	s.model.Queue(away, away, openaitest.Answer("There are nine."))
	spare.Queue(call("ask_subagent", `{"task":"Count."}`), openaitest.Answer("9"))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("how many threads?")})
	s.wholeAnswer(question, "There are nine.")
	r.settled(s, question)
	r.end()

	if report, _ := s.must(nil, "verify"); !strings.Contains(report, " 0 faults") || !strings.Contains(report, "1 requests can be made again byte for byte, 0 cannot") {
		t.Errorf("verify says %q, want %q in it and %q in it", report, " 0 faults", "1 requests can be made again byte for byte, 0 cannot")
	}
	stdout, told := s.must(consent(s.ann), "export", "-format", "raw")
	var made [][]byte
	for line := range strings.Lines(stdout) {
		var row exported
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		made = append(made, row.Request)
	}
	sent := [][]byte{spare.Requests()[0].Body, spare.Requests()[1].Body, s.model.Requests()[2].Body}
	slices.SortFunc(made, bytes.Compare)
	slices.SortFunc(sent, bytes.Compare)
	if !slices.EqualFunc(made, sent, bytes.Equal) {
		t.Errorf("%d requests are exported, %d were answered, want the same; export says %q", len(made), len(sent), told)
	}
}

// TestAHelperIsTheModelOfTheChannel has an admin choose a model, which then asks a helper.
func TestAHelperIsTheModelOfTheChannel(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.admin(s.ann)
	s.environ = append(s.environ, "MODELS=large-model")
	s.model.Queue(call("ask_subagent", `{"task":"Count."}`), openaitest.Answer("9"), openaitest.Answer("There are nine."))
	s.start()
	s.registered()
	s.runs(s.ann, "heddle model", map[string]any{"model": "large-model"}, "**large-model** answers")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("how many threads?")}), "There are nine.")
	for i, request := range s.model.Requests() {
		if request.Chat.Model != "large-model" {
			t.Errorf("request %d is for %s, want %q", i+1, request.Chat.Model, "large-model")
		}
	}
}
