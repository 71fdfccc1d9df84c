package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/lab/chatlog/chatlogtest"
	"heddle/lab/eval"
)

func TestReuseCountsWhatWasAnsweredBefore(t *testing.T) {
	const log = `{"id":"1","t":0,"author":"ann","text":"how do I warp a loom?","links":[],"gold":true}
{"id":"2","t":10,"author":"bob","text":"with patience","links":["1"],"gold":true}
{"id":"3","t":86400,"author":"ann","text":"how do I warp a loom?","links":[],"gold":true}
{"id":"4","t":86410,"author":"bob","text":"how do I warp a loom?","links":[],"gold":true}
{"id":"5","t":86420,"author":"","text":"cyd joined","kind":"system"}
{"id":"6","t":86430,"author":"bob","text":"how do I warp a loom?"}
`
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": log, "b.jsonl": strings.ReplaceAll(log, "ann", "zoe")})
	out := errtest.Must(chatlogtest.Run(t, eval.Command, "--json", folder, "--reuse", "--min-linear", "0"))(t)
	var report eval.ReuseReport
	errtest.None(t, json.Unmarshal([]byte(out), &report))
	if len(report.Communities) != 1 || report.Communities[0].Logs != 2 {
		t.Fatalf("communities %+v, want one of them and Logs 2 of the first", report.Communities)
	}
	row := report.Communities[0]
	for name, got := range map[string][2]int{
		"triggers": {row.Triggers.Asked, row.Triggers.Answered}, "repeats": {row.Repeats.Asked, row.Repeats.Answered},
		"fresh": {row.Fresh.Asked, row.Fresh.Answered}, "any day": {row.AnyDay.Asked, row.AnyDay.Answered},
	} {
		want := map[string][2]int{"triggers": {8, 0}, "repeats": {4, 0}, "fresh": {10, 4}, "any day": {10, 6}}[name]
		if name == "triggers" || name == "repeats" {
			got[1] = 0 // the result depends on the link model, which is not tested here
		}
		if got != want {
			t.Errorf("%s: %v asked and answered, want %v", name, got, want)
		}
	}
	table, err := chatlogtest.Run(t, eval.Command, folder, "--reuse")
	if err != nil || !strings.Contains(table, "4 of 10, 40.00%") {
		t.Errorf("the table is %q, %v, want %q in it and no error", table, err, "4 of 10, 40.00%")
	}
}
