package retention_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/lab/chatlog"
	"heddle/lab/retention"
)

// talkLog returns a log of two interleaved conversations. Each message answers the one
// before it in its conversation, except that the last ones answer the first message.
func talkLog(t *testing.T, messages int) string {
	t.Helper()
	var lines strings.Builder
	for i := range messages {
		links := "[]"
		switch {
		case i == messages-4:
			links = `["0"]`
		case i >= 2:
			links = fmt.Sprintf(`["%d"]`, i-2)
		}
		fmt.Fprintf(&lines, `{"id":"%d","t":%d,"author":"a%d","text":"%s","links":%s,"conv":"%d"}`+"\n",
			i, 60*i, i%4, strings.Repeat("word ", 12), links, i%2)
	}
	dir := t.TempDir()
	errtest.None(t, os.WriteFile(filepath.Join(dir, "log.jsonl"), []byte(lines.String()), 0o600))
	return dir
}

func TestRetentionIsMeasuredOnLogsAndScripts(t *testing.T) {
	logs := errtest.Must(chatlog.Read(t.Context(), []string{talkLog(t, 200)}))(t)
	report := errtest.Must(retention.Measure(t.Context(), logs, retention.Simulation{Repeats: 1, Scripts: 3}, func() {}))(t)
	if report.Talks != 1 || len(report.Confidences) != 5 || len(report.Facts) != 60 {
		t.Fatalf("the report has %d talks, %d and %d rows, want 1, 5 and 60", report.Talks, len(report.Confidences), len(report.Facts))
	}
	absent, certain := report.Confidences[0], report.Confidences[4]
	if absent.Present != absent.Linear || absent.Present == absent.Needed {
		t.Errorf("without confidence %d of %d are present, want fewer than all, and as many as in a window of the same tokens: %d", absent.Present, absent.Needed, absent.Linear)
	}
	if certain.Present <= absent.Present {
		t.Errorf("confidence that knows what is needed finds %d, want more than the %d without confidence", certain.Present, absent.Present)
	}
	for _, f := range report.Facts {
		if f.Confidence == "absent" && f.Present != f.Linear {
			t.Errorf("without confidence the rules %q find %g, want %g as in a window of the same tokens", f.Rules, f.Present, f.Linear)
		}
	}
	for _, f := range report.Facts {
		if f.Turns == 200 && f.Rules == "0.7" && f.Confidence == "correlated 0.9" && (f.Present < 0.9 || f.Linear > 0.1) {
			t.Errorf("of the facts of 200 turns ago %.0f%% are present, in a window %.0f%%, want at least 90%% and at most 10%%", 100*f.Present, 100*f.Linear)
		}
	}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil || !strings.Contains(text.String(), "facts present (linear) after 200 turns") {
		t.Errorf("as text (%v): %s, want no error and %q in it", err, text.String(), "facts present (linear) after 200 turns")
	}
	data := errtest.Must(json.Marshal(report))(t)
	var again retention.Report
	if err := json.Unmarshal(data, &again); err != nil || again.Confidences[0] != report.Confidences[0] {
		t.Errorf("as JSON (%v) the first row is %+v, want it unchanged", err, again.Confidences)
	}
}
