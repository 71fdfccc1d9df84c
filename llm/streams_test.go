package llm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sashabaranov/go-openai"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// report is a stream as somebody reported it, with what people must read of it. Its file is
// called after the report, by repository and number, or after what is odd in it. The lines before the first blank one are
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
			server.Queue(slices.Repeat([]openaitest.Reply{openaitest.Replay(r.stream)}, 3)...) // plainer requests may follow
			again, request := 0, question()
			request.Again = func() { again++ }
			answer, err := client.Stream(t.Context(), request, nil)
			calls, ids := make([]string, len(answer.ToolCalls)), make([]string, len(answer.ToolCalls))
			for i, call := range answer.ToolCalls {
				calls[i], ids[i] = call.Name+" "+call.Arguments, call.ID
			}
			got := map[string]string{
				"text": answer.Text, "finish": answer.FinishReason, "calls": strings.Join(calls, ", "), "ids": strings.Join(ids, ", "),
				"error": "", "again": strconv.Itoa(again),
			}
			if err != nil {
				got["error"] = llm.KindOf(err).String()
			}
			for key, value := range got {
				want, told := r.want[key]
				if always := key == "text" || key == "calls" || key == "error"; (told || always) && value != want {
					t.Errorf("%s: got %q, want %q", key, value, want)
				}
			}
			if slices.Sort(ids); slices.Contains(ids, "") || len(slices.Compact(ids)) != len(calls) {
				t.Errorf("the ids are %q, want each once", ids)
			}
		})
	}
}

// FuzzStream reads any stream, whole and in pieces. Its answer must be the same, and the one
// of a strict reader if that understands every event. What stands between the tags of
// reasoning is never part of an answer.
func FuzzStream(f *testing.F) {
	for _, r := range reports(f) {
		f.Add([]byte(r.stream), uint16(len(r.stream)/2))
	}
	for _, output := range []string{
		"a\n<think>b\n<think>c</think>\n```\n</think>\n```\n</thinking>d `</think>` e</think>f", "<think/>a<|end|>b<|channel|>c<|message|>d<|start|>",
		"analysisA<think>b</think>assistant final", "Here is my thought process: [THINK]a[/THINK](b) here is my response: ◁/think▷c", "<|channel|>final<|message|>a<|return|>b<final>c",
	} {
		f.Add([]byte(output), uint16(len(output)/2))
	}
	f.Fuzz(func(t *testing.T, stream []byte, at uint16) {
		shown := ""
		answer, failure := llm.Assemble(bytes.NewReader(stream), func(piece string) { shown += piece }, func() { shown = "" })
		if shown != answer.Text {
			t.Errorf("shown as %q, want the answer's text %q", shown, answer.Text)
		}
		half := min(int(at), len(stream))
		for _, body := range []io.Reader{
			io.MultiReader(bytes.NewReader(stream[:half]), bytes.NewReader(stream[half:])),
			iotest.OneByteReader(bytes.NewReader(stream)),
		} {
			if got, err := llm.Assemble(body, nil, nil); !reflect.DeepEqual(got, answer) || llm.KindOf(err) != llm.KindOf(failure) {
				t.Errorf("in pieces it is read as %+v, %v; want %+v, %v", got, err, answer, failure)
			}
		}
		if said, ok := strictly(stream); ok && failure == nil && len(said) < 10_000 && answer.Text != llm.Visible(said) {
			t.Errorf("the text is %q, want %q", answer.Text, llm.Visible(said))
		}
		checkReasoning(t, strings.ToValidUTF8(string(stream), "?"))
	})
}

// strictly returns the text of a stream as its specifications define it, and reports whether
// every event has the form that OpenAI describes, and nothing else is in the stream.
func strictly(stream []byte) (text string, ok bool) {
	stream = bytes.TrimPrefix(stream, []byte("\uFEFF"))
	var said strings.Builder
	data, events := "", 0
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(stream))+"\n\n", "\n") {
		field, value, _ := strings.Cut(line, ":")
		switch {
		case line == "" && data == "":
		case line == "":
			if data == "[DONE]\n" {
				return said.String(), events > 0
			}
			var chunk openai.ChatCompletionStreamResponse
			decoder := json.NewDecoder(strings.NewReader(data))
			decoder.DisallowUnknownFields()
			if decoder.Decode(&chunk) != nil || decoder.More() {
				return "", false
			}
			for _, choice := range chunk.Choices {
				if choice.Index == 0 {
					said.WriteString(choice.Delta.Content + choice.Delta.Refusal)
				}
			}
			data, events = "", events+1
		case field == "data":
			data += strings.TrimPrefix(value, " ") + "\n"
		case field != "":
			return "", false
		}
	}
	return said.String(), events > 0
}

// checkReasoning puts a text between the tags of every family.
func checkReasoning(t *testing.T, text string) {
	t.Helper()
	if got, want := llm.Visible(strings.Split(text, "")...), llm.Visible(text); got != want && len(text) < 10_000 {
		t.Errorf("%q in pieces shows %q, want %q", text, got, want)
	}
	inner := strings.NewReplacer("<", "", "[", "", "◁", "", "`", "", "~", "").Replace(text)
	if len(inner) > 10_000 || strings.TrimSpace(inner) == "" {
		return
	}
	for _, tags := range [][2]string{
		{"<think>", "</think>"},
		{"<Thinking a='b'>", "</THINKING >"},
		{"<thought>", "</thought>"},
		{"<seed:think>", "</seed:think>"},
		{"[THINK]", "[/THINK]"},
		{"◁think▷", "◁/think▷"},
		{"<|begin_of_thought|>", "<|end_of_thought|>"},
		{"<|channel>", "<channel|>"},
		{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
	} {
		for _, output := range []string{tags[0] + inner + tags[1] + "Yes.", inner + tags[1] + "Yes."} {
			if got := llm.Visible(strings.Split(output, "")...); got != "Yes." {
				t.Errorf("%q shows %q, want %q", output, got, "Yes.")
			}
		}
	}
}
