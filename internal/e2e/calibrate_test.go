package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/calibration"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestCalibrateReadsWhatPeopleThinkFromTheStore(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.must(nil, "opt-out", "1") // this creates the store
	if status, _, complaint := s.command(nil, "calibrate"); status != cli.StatusMisuse || !strings.Contains(complaint, "nobody rated") {
		t.Errorf("without ratings calibrate ends with %d: %q, want %d and %q in it", status, complaint, cli.StatusMisuse, "nobody rated")
	}
	certain := openaitest.Answer("Four.")
	certain.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "Four", Logprob: -0.1}, {Token: ".", Logprob: -0.2}}
	s.model.Queue(certain, openaitest.Answer("Who knows."), openaitest.Answer("Indeed."))
	r := s.start()
	first := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "Four.")
	second := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and why?")}), "Who knows.")
	s.reacts(s.channel, first.ID, s.ann, "👍")
	s.reacts(s.channel, first.ID, s.bob, "👎")
	s.reacts(s.channel, second.ID, s.bob, "👎") // the certainty of this answer is unknown
	s.heard(s.channel, "Indeed.")
	r.end()
	file := filepath.Join(t.TempDir(), "curves.json")
	out, _ := s.must(nil, "calibrate", "-o", file)
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "test-model 2 50%") {
		t.Errorf("calibrate says\n%s\nwant two ratings of test-model, half of them good", out)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var curves calibration.Curves
	if err := json.Unmarshal(content, &curves); err != nil {
		t.Fatal(err)
	}
	if share, known := curves.At("test-model", 0.86); !known || share != 0.5 {
		t.Errorf("the curve gives %v, %v, want %v and true", share, known, 0.5)
	}
}
