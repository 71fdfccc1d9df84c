package evaluation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
)

// ids returns the ids of messages of an export that exported made, as a list in JSON.
func ids(messages ...int) string {
	list := []string{}
	for _, i := range messages {
		list = append(list, graph.FirstMessageID(time.Date(2026, 1, 1, 12, i, 0, 0, time.UTC)).String())
	}
	text, _ := json.Marshal(list) //nolint:errchkjson // strings can be encoded
	return string(text)
}

// asked returns a question after message 39, with further fields.
func asked(fields string) string {
	return fmt.Sprintf(`{"after":%s,"author":"u1","text":"@heddle is it?",%s}`, strings.Trim(ids(39), "[]"), fields)
}

// served asks the questions of a file in channels of 40 messages, exported in parts, and of 1.
func served(t *testing.T, questions string) (evaluation.QuestionReport, error) {
	t.Helper()
	folder := place(t, map[string]string{
		"a [part 1].json": exported(20, nil, ""), "a [part 2].json": exported(40, nil, ""),
		"one.json": strings.Replace(exported(1, nil, ""), `"channel":{"id":"2"`, `"channel":{"id":"3"`, 1), "q.jsonl": questions,
	})
	var files []string
	for _, name := range []string{"a [part 1].json", "one.json", "a [part 2].json"} {
		files = append(files, filepath.Join(folder, name))
	}
	logs := errtest.Must(evaluation.ReadLogs(t.Context(), files))(t)
	if len(logs) != 2 || len(logs[0].Messages) != 40 {
		t.Fatalf("there are %d logs, the first with %d messages, want 2, the first with 40", len(logs), len(logs[0].Messages))
	}
	all, err := evaluation.ReadQuestions(filepath.Join(folder, "q.jsonl"))
	if err != nil {
		return evaluation.QuestionReport{}, err
	}
	return evaluation.ServeQuestions(t.Context(), logs, all, evaluation.OnQuestions(usual(t)), t.Output())
}

// TestQuestionsAreServedByWhatTheyNeed asks twice. What is needed is the last message but
// one, and something that is too far back for the last ten.
func TestQuestionsAreServedByWhatTheyNeed(t *testing.T) {
	report, err := served(t, asked(`"channel":"a","kind":"now","needed":`+ids(38)+`,"talk":`+ids(36, 38))+"\n\n"+
		asked(`"channel":"a","kind":"back","needed":`+ids(38, 20)))
	errtest.None(t, err)
	got := make(map[string]string)
	for _, row := range report.Rows {
		if strings.HasPrefix(row.Strategy, "last-") && row.Strategy != "last-60" {
			got[row.Kind+" "+row.Strategy] = fmt.Sprintf("%d %.2f %.2f %.2f %.2f %.0f %.1f", row.Questions, row.AllNeeded, row.Needed, row.TalkRecall, row.TalkPrecision, row.Messages, row.AllNeededWithin[4])
		}
	}
	want := map[string]string{
		"now last-10": "1 1.00 1.00 1.00 0.20 10 1.0", "now last-30": "1 1.00 1.00 1.00 0.07 30 1.0",
		"back last-10": "1 0.00 0.50 0.00 0.00 10 0.0", "back last-30": "1 1.00 1.00 0.00 0.00 30 1.0",
		"together last-10": "2 0.50 0.75 1.00 0.20 10 0.5", "together last-30": "2 1.00 1.00 1.00 0.07 30 1.0",
	}
	if !maps.Equal(got, want) {
		t.Errorf("questions, all needed, needed, recall and precision of the talk, messages, all needed within 6,000 are\n%v, want\n%v", got, want)
	}
}

func TestQuestionsThatCannotBeAskedAreToldInASentence(t *testing.T) {
	in := `"channel":"a","needed":[]`
	for text, want := range map[string]string{
		"":                                   "holds no question",
		"\n" + `{"after":`:                   "line 2 is no question",
		`{"after":5}`:                        "line 1 is no question",
		strings.Repeat("x", 2<<20):           "line 1 cannot be read",
		asked(`"needed":[]`):                 `line 1 asks in ""`,
		asked(`"channel":"b","needed":[]`):   `line 1 asks in "b"`,
		asked(`"channel":"a"`):               "line 1 does not say what it needs",
		asked(in + `,"after":"7"`):           `line 1 is asked after message "7"`,
		asked(in + `,"text":""`):             "line 1 asks nothing",
		asked(in + `,"author":"u9"`):         `line 1 is asked by "u9", who wrote nothing there`,
		asked(in + `,"delay":-1`):            "line 1 is asked -1 seconds after",
		asked(in + `,"reply_to":"8"`):        `line 1 names message "8"`,
		asked(in + `,"talk":["9"]`):          `line 1 names message "9"`,
		asked(`"channel":"a","needed":[""]`): `line 1 names message ""`,
		asked(in) + "\n" + asked(`"channel":"one","needed":[]`): "line 2 is asked after message",
	} {
		_, err := served(t, text)
		if _, correctable := errors.AsType[*terminal.InputError](err); !correctable || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "q.jsonl") || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%.99s: error %v, want one that says %q", text, err, want)
		}
	}
}

// TestQuestionsOfAnyLengthAreAsked asks a word and a page, after the last message of a
// channel and after the only one.
func TestQuestionsOfAnyLengthAreAsked(t *testing.T) {
	only := fmt.Sprintf(`"channel":"one","after":%s,"needed":%s,"author":""`, strings.Trim(ids(0), "[]"), ids(0))
	report, err := served(t, asked(`"channel":"a","needed":[],"text":"why?"`)+"\n"+
		asked(`"channel":"a","needed":`+ids(39)+`,"text":"`+strings.Repeat("why? ", 800)+`"`)+"\n"+asked(only))
	errtest.None(t, err)
	for _, row := range report.Rows {
		if row.Kind != "together" || row.Questions != 3 || row.AllNeeded != 1 {
			t.Errorf("%s has %+v, want 3 questions together, all of them served", row.Strategy, row)
		}
	}
}
