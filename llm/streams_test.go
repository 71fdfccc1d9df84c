package llm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// report is a stream as somebody reported it, with what people must read of it. Its file is
// called after the report: repository and number. The lines before the first blank one are
//
//	text:   the whole answer
//	finish: its finish reason
//	calls:  the calls of tools, with their arguments
//	ids:    the ids of the calls, if these must be the model's own
//	error:  the kind of the error
//	again:  how often what was shown is taken back
//	lines:  CR or CRLF, with which the lines of the stream end
//	begin:  BOM, if the stream begins with a byte order mark
type report struct {
	want   map[string]string
	stream string
}

func reports(tb testing.TB) map[string]report {
	tb.Helper()
	all := map[string]report{}
	for _, name := range errtest.Must(filepath.Glob("testdata/streams/*.txt"))(tb) {
		head, stream, _ := strings.Cut(string(errtest.Must(os.ReadFile(name))(tb)), "\n\n")
		r := report{want: map[string]string{}}
		for line := range strings.SplitSeq(head, "\n") {
			key, value, _ := strings.Cut(line, ": ")
			r.want[key] = value
		}
		if end := map[string]string{"CR": "\r", "CRLF": "\r\n"}[r.want["lines"]]; end != "" {
			stream = strings.ReplaceAll(stream, "\n", end)
		}
		if r.want["begin"] == "BOM" {
			stream = "\uFEFF" + stream
		}
		r.stream = stream
		all[strings.TrimSuffix(filepath.Base(name), ".txt")] = r
	}
	return all
}

func TestReportedStreamsAreRead(t *testing.T) {
	for name, r := range reports(t) {
		t.Run(name, func(t *testing.T) {
			server, client := setup(t, func(c *llm.Config) { c.Retries = -1 })
			server.Queue(openaitest.Replay(r.stream))
			again, request := 0, question()
			request.Again = func() { again++ }
			answer, err := client.Stream(t.Context(), request, nil)
			var calls, ids []string
			for _, call := range answer.ToolCalls {
				calls, ids = append(calls, call.Name+" "+call.Arguments), append(ids, call.ID)
			}
			got := map[string]string{"text": answer.Text, "calls": strings.Join(calls, ", ")}
			for key, value := range map[string]string{"finish": answer.FinishReason, "ids": strings.Join(ids, ", ")} {
				if _, asked := r.want[key]; asked {
					got[key] = value
				}
			}
			if err != nil {
				got["error"] = llm.KindOf(err).String()
			}
			if again > 0 {
				got["again"] = fmt.Sprint(again)
			}
			for _, key := range []string{"text", "finish", "calls", "ids", "error", "again"} {
				if got[key] != r.want[key] {
					t.Errorf("%s: got %q, want %q", key, got[key], r.want[key])
				}
			}
			for i, id := range ids {
				if id == "" || strings.Contains(strings.Join(ids[:i], " "), id) {
					t.Errorf("the ids are %q, want each once", ids)
				}
			}
		})
	}
}
