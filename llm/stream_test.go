package llm_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestAnAnswerIsStreamedWithAllThatIsKnownOfIt(t *testing.T) {
	server, client := setup(t, nil)
	reply := openaitest.Answer("Hel", "lo")
	reply.Model, reply.Fingerprint = "test-model-2026", "fp_44709d6fcb"
	reply.Usage = &openaitest.Usage{Prompt: 12, Completion: 2, Cached: 8}
	server.Queue(reply)

	answer := mustStream(t, client, question())
	if answer.Text != "Hello" || answer.FinishReason != llm.FinishStop || !answer.Complete() {
		t.Errorf("the answer is %+v, want Text %q, FinishReason %v and Complete() true", answer, "Hello", llm.FinishStop)
	}
	if answer.Model != "test-model-2026" || answer.Fingerprint != "fp_44709d6fcb" || answer.Usage != (llm.Usage{Prompt: 12, Completion: 2, Cached: 8}) {
		t.Errorf("model %q, fingerprint %q, usage %+v, want %q, %q and %+v", answer.Model, answer.Fingerprint, answer.Usage, "test-model-2026", "fp_44709d6fcb", (llm.Usage{Prompt: 12, Completion: 2, Cached: 8}))
	}
	if answer.Confidence != nil {
		t.Errorf("a confidence without probabilities: %+v, want nil", answer.Confidence)
	}
	sent := lastRequest(t, server).Body
	if answer.RequestHash != path.RequestHash(sent) {
		t.Errorf("the answer says it was made from %s, want what was sent %s", answer.RequestHash, sent)
	}
}

func TestConfidenceRestsOnTheVisibleTextAlone(t *testing.T) {
	server, client := setup(t, nil)
	reply := openaitest.Answer("Hel", "lo")
	reply.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "Hel", Logprob: -0.5}}
	reply.Chunks[1].Logprobs = []openaitest.Logprob{{Token: "lo", Logprob: -1.5}}
	reply.Chunks = append([]openaitest.Chunk{{
		ReasoningContent: "hm", Logprobs: []openaitest.Logprob{{Token: "hm", Logprob: -9}},
	}}, reply.Chunks...)
	server.Queue(reply)

	got := mustStream(t, client, question()).Confidence
	if got == nil || got.Tokens != 2 || !near(got.Value, 0.3679) || !near(got.Min, 0.2231) {
		t.Errorf("the confidence is %+v, want 2 tokens, 0.3679 and 0.2231", got)
	}
}

func TestReasoningIsNeverPartOfTheAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		chunks []openaitest.Chunk
	}{
		{"as reasoning_content", []openaitest.Chunk{{ReasoningContent: "let me think"}, {Text: "yes"}}},
		{"as reasoning", []openaitest.Chunk{{Reasoning: "let me think"}, {Text: "yes"}}},
		{"in tags", []openaitest.Chunk{{Text: "<think>let me think</think>\n\nyes"}}},
		{"in tags, torn", []openaitest.Chunk{{Text: " <th"}, {Text: "ink>let me"}, {Text: " think</thi"}, {Text: "nk>"}, {Text: "\n"}, {Text: "\nyes"}}},
		{"as a list of pieces", []openaitest.Chunk{{
			Raw: openaitest.Event(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"let me think"}]},{"type":"text","text":"yes"}]}}]}`),
		}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, client := setup(t, nil)
			server.Queue(openaitest.Reply{Chunks: test.chunks, FinishReason: "stop"})
			var pieces []string
			answer, err := client.Stream(t.Context(), question(), func(piece string) { pieces = append(pieces, piece) })
			if err != nil || answer.Text != "yes" || strings.Join(pieces, "") != "yes" {
				t.Errorf("text %q, pieces %q, error %v; want %q, the same and no error", answer.Text, pieces, err, "yes")
			}
			if begun := len(test.chunks) > 1; begun != (pieces[0] == "") {
				t.Errorf("the pieces are %q, want the first without text if only reasoning has come: %t", pieces, begun)
			}
		})
	}
}

func TestWhatOnlyResemblesReasoningIsKept(t *testing.T) {
	for _, text := range []string{"<", "<thi", "<thinkers>", "[think](https://a.b)", "analysis of it", "Here is my view.", "a <think>b</think>", "  x"} {
		server, client := setup(t, nil)
		server.Queue(openaitest.Answer(strings.Split(text, "")...))
		if got := mustStream(t, client, question()).Text; got != text {
			t.Errorf("%q became %q, want %q", text, got, text)
		}
	}
}

func TestToolCallsArePutTogether(t *testing.T) {
	call := func(index int, id, name, arguments string) openaitest.ToolCall {
		return openaitest.ToolCall{Index: index, ID: id, Name: name, Arguments: arguments}
	}
	want := []path.ToolCall{{ID: "a", Name: "search", Arguments: `{"q":1}`}, {ID: "b", Name: "draw", Arguments: "{}"}}
	for _, test := range []struct {
		name   string
		pieces [][]openaitest.ToolCall
	}{
		{"by index", [][]openaitest.ToolCall{{call(0, "a", "search", "")}, {call(1, "b", "draw", "")}, {call(0, "", "", `{"q"`)}, {call(0, "", "", `:1}`), call(1, "", "", `{}`)}}},
		{"by id under one index", [][]openaitest.ToolCall{{call(0, "a", "search", `{"q":1}`)}, {call(0, "b", "draw", "{}")}}},
		{"arguments as an object", nil},
		{"no arguments at all", [][]openaitest.ToolCall{{call(0, "a", "search", `{"q":1}`), call(1, "b", "draw", "")}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, client := setup(t, nil)
			reply := openaitest.Reply{FinishReason: "stop"} // as some servers end a call
			for _, piece := range test.pieces {
				reply.Chunks = append(reply.Chunks, openaitest.Chunk{ToolCalls: piece})
			}
			if test.pieces == nil {
				reply.Chunks = []openaitest.Chunk{{Raw: openaitest.Event(`{"choices":[{"delta":{"tool_calls":[` +
					`{"id":"a","function":{"name":"search","arguments":{"q":1}}},{"id":"b","function":{"name":"draw","arguments":null}}]}}]}`)}}
			}
			server.Queue(reply)
			answer := mustStream(t, client, question())
			if !slices.Equal(answer.ToolCalls, want) || answer.FinishReason != llm.FinishToolCalls || answer.Complete() {
				t.Errorf("calls %+v, finished as %q, want %+v and %q", answer.ToolCalls, answer.FinishReason, want, llm.FinishToolCalls)
			}
		})
	}
}

func TestOddStreamsOfWholeAnswersAreRead(t *testing.T) {
	whole := `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],` + "\n" + `"usage":{"prompt_tokens":3}}`
	delta := `data:{"system_fingerprint":{"id":7},"choices":[{"delta":{"content":"yes"},"finish_reason":"EOS","logprobs":{"tokens":["x"]}}],"usage":"free"}`
	raw := func(text string) openaitest.Reply {
		return openaitest.Reply{Chunks: []openaitest.Chunk{{Raw: text}}, End: openaitest.EndQuiet}
	}
	for _, test := range []struct {
		name  string
		reply openaitest.Reply
	}{
		{"comments and blank lines", raw(strings.Repeat(": PROCESSING\n\n", 2000) + delta + "\n\ndata: [DONE]\n\n")},
		{"no blank lines between events", raw("data: {\"choices\":[{\"delta\":{\"content\":\"yes\"}}]}\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}]}\ndata: [DONE]\n")},
		{"carriage returns", raw(": hi\r\n\r\n" + delta + "\r\n\r\ndata: [DONE]\r\n\r\n")},
		{"no line break at the end", raw(delta)},
		{"named events", raw("event: message\nid: 1\nretry: 5\n" + delta + "\n\n")},
		{"no stream but one object", openaitest.Reply{Body: whole}},
		{"an error that is null", raw(`data: {"error":null,"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}` + "\n\n")},
		{"no end mark", func() openaitest.Reply { r := openaitest.Answer("yes"); r.End = openaitest.EndBare; return r }()},
		{"another choice", raw(`data: {"choices":[{"index":1,"delta":{"content":"no"}}]}` + "\n\n" + delta + "\n\n")},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, client := setup(t, nil)
			server.Queue(test.reply)
			if answer := mustStream(t, client, question()); answer.Text != "yes" || !answer.Complete() {
				t.Errorf("the answer is %+v, want Text %q and Complete() true", answer, "yes")
			}
		})
	}
}

// TestWhatFollowsTheFinishReasonCostsNothing breaks a stream in every way once its answer
// is whole.
func TestWhatFollowsTheFinishReasonCostsNothing(t *testing.T) {
	for name, end := range map[string]func(*openaitest.Reply){
		"a connection that breaks": func(r *openaitest.Reply) { r.End = openaitest.EndAbort },
		"half an event": func(r *openaitest.Reply) {
			r.Chunks, r.End = append(r.Chunks, openaitest.Chunk{Raw: `data: {"usage":`}), openaitest.EndAbort
		},
		"nonsense": func(r *openaitest.Reply) { r.Chunks = append(r.Chunks, openaitest.Chunk{Raw: "data: {nonsense\n\n"}) },
		"an error": func(r *openaitest.Reply) {
			r.Chunks = append(r.Chunks, openaitest.Chunk{Raw: openaitest.Event(openaitest.Failure{Status: 500}.JSON())})
		},
		"silence": func(r *openaitest.Reply) {
			r.Chunks = append(r.Chunks, openaitest.Chunk{Wait: make(chan struct{})})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := setupPiped(t, func(c *llm.Config) { c.Timeout, c.Retries = 10*time.Minute, -1 })
				reply := openaitest.Answer("yes")
				reply.FinishReason = ""
				reply.Chunks = append(reply.Chunks, openaitest.Chunk{Raw: openaitest.Event(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`)})
				end(&reply)
				server.Queue(reply)
				began := time.Now()
				if answer := mustStream(t, client, question()); answer.Text != "yes" || !answer.Complete() {
					t.Errorf("the answer is %+v, want Text %q and Complete() true", answer, "yes")
				}
				if took := time.Since(began); took > time.Minute {
					t.Errorf("its end was waited for for %s, want a minute at most", took)
				}
			})
		})
	}
}

func TestFinishReasonsAreToldInOneLanguage(t *testing.T) {
	for reason, want := range map[string]string{
		"stop": llm.FinishStop, "end_turn": llm.FinishStop, "STOP": llm.FinishStop,
		"length": llm.FinishLength, "MAX_TOKENS": llm.FinishLength,
	} {
		server, client := setup(t, nil)
		reply := openaitest.Answer("an ans")
		reply.FinishReason = reason
		server.Queue(reply)
		if answer := mustStream(t, client, question()); answer.FinishReason != want || answer.Complete() != (want == llm.FinishStop) {
			t.Errorf("%s becomes %q, complete: %t; want %q", reason, answer.FinishReason, answer.Complete(), want)
		}
	}
}

func TestARefusalInWordsIsShownAndNotComplete(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(openaitest.Reply{Chunks: []openaitest.Chunk{{Refusal: "I won't."}}, FinishReason: "stop"})
	if answer := mustStream(t, client, question()); answer.Text != "I won't." || answer.FinishReason != llm.FinishRefusal || answer.Complete() {
		t.Errorf("the answer is %+v, want Text %q, FinishReason %v and Complete() false", answer, "I won't.", llm.FinishRefusal)
	}
}

func TestACallerThatLeavesHangsUp(t *testing.T) {
	server, client := setup(t, nil)
	reply := openaitest.Answer("first", "never")
	reply.Chunks[1].Wait = make(chan struct{})
	server.Queue(reply)

	cause := errors.New("the channel is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	answer, err := client.Stream(ctx, question(), func(string) { cancel(cause) })
	if llm.KindOf(err) != llm.Cancelled || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		t.Errorf("the error is %v, want %v by %v", err, llm.Cancelled, cause)
	}
	if answer.Text != "first" {
		t.Errorf("what had come is %q, want %q", answer.Text, "first")
	}
	if err := server.AwaitHangups(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

func TestACallerMayLeaveWhileARetryIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := setupPiped(t, nil)
		limited := complaint(429, "rate_limit_exceeded", "")
		limited.Header = http.Header{"Retry-After": {"20"}}
		server.Queue(limited)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := stream(ctx, t, client, question()); !errors.Is(err, context.DeadlineExceeded) || llm.KindOf(err) != llm.Cancelled {
			t.Errorf("the error is %v, want %v by %v", err, llm.Cancelled, context.DeadlineExceeded)
		}
	})
}

func near(got, want float64) bool { return got > want-0.003 && got < want+0.003 }

// TestAnAnswerEndsAtThreeTimesItsLimit asks a model that ignores max_tokens and goes on for
// ever.
func TestAnAnswerEndsAtThreeTimesItsLimit(t *testing.T) {
	for _, test := range []struct{ limit, most int }{{100, 300}, {0, 16_384}} {
		server, client := setup(t, nil)
		reply := openaitest.Reply{Chunks: slices.Repeat([]openaitest.Chunk{{Text: strings.Repeat("many words ", 50)}}, 1000)}
		reply.Chunks = append(reply.Chunks, openaitest.Chunk{Wait: make(chan struct{})})
		server.Queue(reply)
		request := question()
		request.Path.Options.MaxTokens = test.limit
		answer := mustStream(t, client, request)
		if tokens := llm.NewCounter("test-model").Text(t.Context(), answer.Text); tokens < test.most*9/10 || tokens > test.most+20 || answer.FinishReason != llm.FinishLength {
			t.Errorf("%d tokens, finished as %q, want %d and %q", tokens, answer.FinishReason, test.most, llm.FinishLength)
		}
		if err := server.AwaitHangups(t.Context(), 1); err != nil {
			t.Error(err)
		}
	}
}

// TestAModelWithoutAnOpeningTagIsHeldBack asks a model whose template writes the opening tag
// into the prompt, and then does so no more.
func TestAModelWithoutAnOpeningTagIsHeldBack(t *testing.T) {
	server, client := setup(t, nil)
	reasoned := func() openaitest.Reply { return openaitest.Answer("Hm, ", "let me see.</think>\n", "\nYes", ", so.") }
	server.Queue(reasoned(), reasoned(), openaitest.Answer("No", " tags"), openaitest.Answer("Still", " none"))
	for _, want := range []string{"Hm, |<again>|Yes|, so.", "Yes|, so.", "No tags", "Still| none"} {
		var shown []string
		request := question()
		request.Again = func() { shown = append(shown, "<again>") }
		answer, err := client.Stream(t.Context(), request, func(piece string) {
			if piece != "" {
				shown = append(shown, piece)
			}
		})
		if got := strings.Join(shown, "|"); err != nil || got != want || !strings.HasSuffix(strings.ReplaceAll(want, "|", ""), answer.Text) {
			t.Errorf("shown is %q, the answer %q, %v; want %q and no error", got, answer.Text, err, want)
		}
	}
}

func TestNegativeUsageIsNone(t *testing.T) {
	server, client := setup(t, nil)
	reply := openaitest.Answer("yes")
	reply.Usage = &openaitest.Usage{Prompt: -12, Completion: 2, Cached: -1}
	server.Queue(reply)
	if got, want := mustStream(t, client, question()).Usage, (llm.Usage{Completion: 2}); got != want {
		t.Errorf("the usage is %+v, want %+v", got, want)
	}
}
