package eval_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/bot/conversation"
	"heddle/internal/errtest"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog/chatlogtest"
	"heddle/lab/eval"
)

func TestEvalSetsStrategiesSideBySide(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(30), "b.jsonl": chatlogtest.TwoTalks(20)})
	out := errtest.Must(chatlogtest.Run(t, eval.Command, folder))(t)
	for _, want := range []string{"club/dev", "2 logs, 46 triggers", "last-10", "last-30", "10-min", "chain", "plain", "heddle"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q, want it in\n%s", want, out)
		}
	}
}

func TestHeddleSeparatesTalksThatOthersMix(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(40)})
	out := errtest.Must(chatlogtest.Run(t, eval.Command, "--json", folder, "--reply-share", "0", "--strategy", "last-30,heddle"))(t)
	var report eval.Report
	errtest.None(t, json.Unmarshal([]byte(out), &report))
	if len(report.Summaries) != 2 || report.Summaries[0].Strategy != "last-30" || report.Summaries[0].Triggers != 38 {
		t.Fatalf("summaries %+v, want 2 of them, Strategy %q of the first and Triggers 38 of the first", report.Summaries, "last-30")
	}
	if fixed, heddle := report.Summaries[0].Conversation, report.Summaries[1].Conversation; heddle.F1 < 0.8 || fixed.F1 > heddle.F1-0.15 {
		t.Errorf("F1 %.2f of heddle, %.2f of the last 30, want at least %.2f and at most %.2f", heddle.F1, fixed.F1, 0.8, heddle.F1-0.15)
	}
	parted := report.Summaries[1].Parted
	if parted == nil || parted.LinkF1 < 0.8 || parted.OneToOne < 0.8 || parted.VI < 0.8 {
		t.Errorf("disentanglement %+v, want LinkF1 at least %v, OneToOne at least %v and VI at least %v", parted, 0.8, 0.8, 0.8)
	}
}

// TestQuestionsAreAskedInTheirLogs asks in a log, and in one that is not there. For what is
// measured see the test of internal/evaluation.
func TestQuestionsAreAskedInTheirLogs(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(40)})
	questions := filepath.Join(t.TempDir(), "q.jsonl")
	const line = `{"channel":"a","after":"m39","delay":5,"author":"ann","text":"@heddle what was that?","kind":"back","needed":["m38","m20"],"talk":[]}`
	errtest.None(t, os.WriteFile(questions, []byte(line), 0o600))
	out, err := chatlogtest.Run(t, eval.Command, "--json", "--strategy", "last-10", "--questions", questions, folder)
	var report evaluation.QuestionReport
	errtest.None(t, errors.Join(err, json.Unmarshal([]byte(out), &report)))
	if row := report.Rows[0]; row.Kind != "back" || row.Strategy != "last-10" || row.Needed != 0.5 {
		t.Errorf("the report begins with %+v, want half of what is needed in the last 10", row)
	}
	errtest.None(t, os.WriteFile(questions, []byte(`{"channel":"b","after":"m39"}`), 0o600))
	if _, err := chatlogtest.Run(t, eval.Command, "--questions", questions, folder); !chatlogtest.IsInputError(err) || !strings.Contains(err.Error(), `asks in "b"`) {
		t.Errorf("a question in another log leads to %v, want %q", err, `asks in "b"`)
	}
}

// choice is a line of a dump.
type choice struct {
	Log          string   `json:"log"`
	Trigger      string   `json:"trigger"`
	Conversation []string `json:"conversation"`
	Background   []string `json:"background"`
}

func dump(t *testing.T, log string, args ...string) []choice {
	t.Helper()
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": log})
	file := filepath.Join(t.TempDir(), "dump.jsonl")
	errtest.Must(chatlogtest.Run(t, eval.Command, append([]string{folder, "--strategy", "last-10", "--dump", file}, args...)...))(t)
	content := errtest.Must(os.ReadFile(file))(t)
	var choices []choice
	for line := range strings.Lines(string(content)) {
		var c choice
		errtest.None(t, json.Unmarshal([]byte(line), &c))
		choices = append(choices, c)
	}
	return choices
}

func TestADumpHasALineForEveryChatMessage(t *testing.T) {
	choices := dump(t, chatlogtest.TwoTalks(40))
	if len(choices) != 41 || choices[0].Trigger != "before" || choices[0].Log != "a" || choices[0].Conversation == nil {
		t.Fatalf("%d lines, the first %+v, want 41, Trigger %q and Log %q", len(choices), choices[0], "before", "a")
	}
	for k, c := range choices {
		sent := slices.Concat(c.Conversation, c.Background)
		if len(c.Conversation) > 30 || len(sent) > 30+13 {
			t.Errorf("%s: %d messages are sent, %d of them as the conversation, want at most %d and at most 30", c.Trigger, len(sent), len(c.Conversation), 30+13)
		}
		earlier := map[string]bool{}
		for _, before := range choices[:k] {
			earlier[before.Trigger] = true
		}
		for _, id := range sent {
			if !earlier[id] {
				t.Errorf("%s is sent with %s, want only earlier chat messages", c.Trigger, id)
			}
			earlier[id] = false // so that a second occurrence is an error
		}
		newest := min(k, 10)
		for _, before := range choices[k-newest : k] {
			if !slices.Contains(sent, before.Trigger) {
				t.Errorf("%s is sent without %s, want all of the ten before it", c.Trigger, before.Trigger)
			}
		}
	}
}

func TestWhatIsChosenDependsOnNothingThatIsHidden(t *testing.T) {
	want := dump(t, chatlogtest.TwoTalks(30), "--reply-share", "0")
	for name, log := range map[string]string{
		"annotations": strings.NewReplacer(`"conv":"printer"`, `"conv":"x"`, `"links":["m3"]`, `"links":["m4"]`).Replace(chatlogtest.TwoTalks(30)),
		"the future":  chatlogtest.TwoTalks(40),
	} {
		got := dump(t, log, "--reply-share", "0")
		for k := range want {
			if !slices.Equal(got[k].Conversation, want[k].Conversation) || !slices.Equal(got[k].Background, want[k].Background) {
				t.Errorf("with %s, for %s %v and %v are chosen, want %v and %v as without", name, want[k].Trigger, got[k].Conversation, got[k].Background, want[k].Conversation, want[k].Background)
			}
		}
	}
}

func TestLogsWithoutAnnotationsCanBeDumpedOnly(t *testing.T) {
	log := `{"id":"1","t":0,"author":"a","text":"x"}` + "\n" + `{"id":"2","t":9,"author":"b","text":"y"}`
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": log})
	if _, err := chatlogtest.Run(t, eval.Command, folder); !chatlogtest.IsInputError(err) || !strings.Contains(err.Error(), "--dump") {
		t.Errorf("error %v, want an InputError with %q in it", err, "--dump")
	}
	file := filepath.Join(t.TempDir(), "dump")
	if _, err := chatlogtest.Run(t, eval.Command, folder, "--dump", file); err != nil {
		t.Error(err)
	}
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(4)})
	for want, args := range map[string][]string{
		"name an export, or a folder": {},
		"-reply-share is 2":           {folder, "--reply-share", "2"},
		"-time-scale is 0":            {folder, "--time-scale", "0"},
		"-history is 0":               {folder, "--history", "0"},
		"--max-total":                 {folder, "--max-total", "0"},
		"choose from last-10":         {folder, "--strategy", "best"},
		"there is no flag --nonsense": {folder, "--nonsense"},
		"weights cannot be opened":    {folder, "--weights", "/no/such/file"},
		"no weights for this version": {folder, "--weights", filepath.Join(folder, "a.jsonl")},
		"cannot be written":           {folder, "--dump", "/no/such/folder/dump"},
	} {
		if _, err := chatlogtest.Run(t, eval.Command, args...); !chatlogtest.IsInputError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want an InputError with %q in it", args, err, want)
		}
	}
}

func TestEvalLooksForHiddenParents(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.Pressed(60, nil)})
	out := errtest.Must(chatlogtest.Run(t, eval.Command, "--json", folder, "--strategy", "last-10,chain"))(t)
	var report eval.Report
	errtest.None(t, json.Unmarshal([]byte(out), &report))
	for i, want := range []float64{1, 0} {
		if h := report.Summaries[i].Hidden; h == nil || h.Replies != 19 || h.InConversation != want {
			t.Errorf("%s: %+v, want %v of 19", report.Summaries[i].Strategy, h, want)
		}
	}
}

func TestPartingIsComparedWithBaselines(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(80), "b.jsonl": chatlogtest.TwoTalks(60)})
	out, err := chatlogtest.Run(t, eval.Command, "--parting", "--json", "--reply-share", "0", folder)
	errtest.None(t, err)
	var report eval.PartingReport
	errtest.None(t, json.Unmarshal([]byte(out), &report))
	if len(report.Communities) != 1 || report.Communities[0].Logs != 2 || report.Communities[0].Messages != 140 {
		t.Fatalf("communities %+v, want one of them, Logs 2 of the first and Messages 140 of the first", report.Communities)
	}
	byName := map[string]eval.Parted{}
	for _, way := range report.Communities[0].Ways {
		byName[way.Way] = way
	}
	one, chains, heddle := byName["one talk"], byName["reply chains"], byName["heddle"]
	if one.LinkF1 > 0.05 || one.OneToOne < 0.49 || one.OneToOne > 0.51 {
		t.Errorf("two talks that take turns are scored %+v as one, want LinkF1 at most %v, OneToOne at least %v and OneToOne at most %v", one, 0.05, 0.49, 0.51)
	}
	if chains.OneToOne > 0.1 {
		t.Errorf("without replies, reply chains are scored %+v, want OneToOne at most %v", chains, 0.1)
	}
	if heddle.LinkF1 < 0.9 || heddle.OneToOne < 0.9 || heddle.VI < 0.9 {
		t.Errorf("heddle is scored %+v, want LinkF1 at least %v, OneToOne at least %v and VI at least %v", heddle, 0.9, 0.9, 0.9)
	}
	if out, err = chatlogtest.Run(t, eval.Command, "--parting", folder); err != nil || !strings.Contains(out, "pause by pace") || !strings.Contains(out, "2 logs, 140 annotated messages") {
		t.Errorf("error %v; the table is\n%s\nwant no error, %q in it and %q in it", err, out, "pause by pace", "2 logs, 140 annotated messages")
	}
}

// TestTheAnswersOfReadersCanBeUsed reads what a reader answered to what it was shown of the
// given questions, which are not part of the repository.
func TestTheAnswersOfReadersCanBeUsed(t *testing.T) {
	answers, err := eval.ReadAnswers("../questions/read.json")
	if err != nil || len(answers) != 112 {
		t.Fatalf("there are %d answers, want 112: %v", len(answers), err)
	}
	needing := 0
	for shown, answer := range answers {
		choice, err := conversation.AsRead(answer, 100)
		if err != nil {
			t.Errorf("%s: %v", shown, err)
		}
		if slices.Contains(choice.Needed, true) {
			needing++
		}
	}
	if needing < 100 {
		t.Errorf("%d questions need a line, want 100 or more", needing)
	}
}
