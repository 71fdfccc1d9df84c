package answers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/lab/answers"
	"heddle/lab/chatlog/chatlogtest"
)

// club returns the arguments with which two questions are asked in a log, and a folder.
func club(t *testing.T) (args []string, folder string) {
	t.Helper()
	logs := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(80)})
	questions := filepath.Join(t.TempDir(), "q.jsonl")
	lines := `{"channel":"a","after":"m70","delay":5,"author":"ann","text":"@heddle what was that?","kind":"now","needed":["m69"],"talk":[]}
{"channel":"a","after":"m79","delay":5,"author":"ann","text":"@heddle and long ago?","kind":"back","needed":["m40"],"talk":[]}
`
	errtest.None(t, os.WriteFile(questions, []byte(lines), 0o600))
	folder = filepath.Join(t.TempDir(), "in")
	return []string{"--questions", questions, "--in", folder, logs}, folder
}

// TestAnswersAreJudgedBlind has sheets answered and judged by hand. Neither sheets nor what is
// judged name a strategy, their ids differ, and the report counts by kind.
func TestAnswersAreJudgedBlind(t *testing.T) {
	args, folder := club(t)
	out := errtest.Must(chatlogtest.Run(t, answers.Command, args...))(t)
	if !strings.Contains(out, "8 sheets wait") {
		t.Errorf("the first run says %q, want 8 sheets for 2 questions and 4 strategies", out)
	}
	lines := func(name string) (all []map[string]any) {
		for line := range bytes.Lines(errtest.Must(os.ReadFile(filepath.Join(folder, name)))(t)) {
			var one map[string]any
			errtest.None(t, json.Unmarshal(line, &one))
			all = append(all, one)
		}
		return all
	}
	write := func(name, field string, of []map[string]any, value func(int) string) {
		var text []byte
		for i, one := range of {
			line := errtest.Must(json.Marshal(map[string]any{"id": one["id"], field: value(i)}))(t)
			text = append(append(text, line...), '\n')
		}
		errtest.None(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	sheets := lines("sheets.jsonl")
	write("answers.jsonl", "answer", sheets, func(int) string { return "that" })
	errtest.Must(chatlogtest.Run(t, answers.Command, args...))(t)
	judged, strategies := lines("judging.jsonl"), map[any]string{}
	for _, k := range lines("key.jsonl") {
		strategies[k["judged"]], _ = k["strategy"].(string)
	}
	for i := range judged {
		both := string(errtest.Must(json.Marshal([]any{sheets[i], judged[i]}))(t))
		for _, strategy := range strategies {
			if strings.Contains(strings.ReplaceAll(both, "@heddle", ""), strategy) || sheets[i]["id"] == judged[i]["id"] {
				t.Errorf("sheet and answer %d show %q or one id: %s", i, strategy, both)
			}
		}
	}
	write("grades.jsonl", "grade", judged, func(i int) string {
		if strategies[judged[i]["id"]] == "reply-chain" {
			return "wrong"
		}
		return "right"
	})
	out = errtest.Must(chatlogtest.Run(t, answers.Command, args...))(t)
	for _, want := range []string{"back  heddle 1 1.00 0.00", "now reply-chain 1 0.00 1.00", "together last-60 2 1.00 0.00"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	write("grades.jsonl", "grade", judged, func(int) string { return "good" })
	if _, err := chatlogtest.Run(t, answers.Command, args...); !chatlogtest.IsInputError(err) {
		t.Errorf("the grade \"good\" ends in %v, want a sentence", err)
	}
}

// TestAModelAnswersAndJudges has a model do both. It fails once, and what it had answered is kept.
func TestAModelAnswersAndJudges(t *testing.T) {
	asked, answersGiven := 0, 0
	server := errtest.Must(openaitest.Start(openaitest.Config{Script: func(r openaitest.Request) openaitest.Reply {
		if asked++; asked == 4 {
			return openaitest.Reply{Status: 500}
		}
		if r.Chat.Model == "judge" {
			return openaitest.Answer("Right.")
		}
		answersGiven++
		return openaitest.Answer("that")
	}}))(t)
	t.Cleanup(func() { errtest.None(t, server.Close()) })
	args, _ := club(t)
	args = append(args, "--url", server.URL(), "--model", "answers", "--judge", "judge")
	_, err := chatlogtest.Run(t, answers.Command, args...)
	if !chatlogtest.IsInputError(err) || !strings.Contains(err.Error(), "run this again") {
		t.Fatalf("a model that fails ends in %v, want a sentence", errors.Join(err))
	}
	out := errtest.Must(chatlogtest.Run(t, answers.Command, args...))(t)
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "together heddle 2 1.00 0.00") || answersGiven != 8 {
		t.Errorf("the model answered %d sheets, want 8, each once, and all right:\n%s", answersGiven, out)
	}
}
