package llm_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/internal/errtest"
	"heddle/llm"
)

// FuzzAnyResponseIsReadOrRefused asks a provider that responds with any status and
// bytes, as a stream or not. The result must be an error, or an answer in valid UTF-8
// that is no longer than the response. The pieces passed on must add up to the answer.
func FuzzAnyResponseIsReadOrRefused(f *testing.F) {
	const begin = `data: {"choices":[{"index":0,"delta":`
	for _, stream := range []string{
		begin + `{"role":"assistant","content":"Weft"}}]}` + "\n\n" + begin + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		begin + `{"content":"<think>a</think>Warp","reasoning_content":"b"},"logprobs":{"content":[{"token":"W","logprob":-1}]}}]}` + "\n\n",
		begin + `{"tool_calls":[{"index":0,"id":"1","function":{"name":"read","arguments":"{\"a\":"}},{"index":1000000000,"function":{"arguments":"1}"}}]}}]}` + "\n\ndata: [DONE]\n\n",
		begin + `{"tool_calls":[{"index":-1,"function":{"name":"x"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":-5,"completion_tokens":9e99}}` + "\n\n",
		`{"choices":[{"message":{"role":"assistant","content":"not streamed"},"finish_reason":"stop"}]}`,
		`data: {"error":{"message":"context_length_exceeded","code":400,"type":null}}` + "\n\n",
		": ping\n\nevent: error\ndata: null\n\ndata: []\n\ndata: {\"choices\":null}\n\ndata: {\"choices\":[null]}\n\n",
		`{"error":{"message":"tools are not supported"}}`, "data:", "\xff\xfe", "",
	} {
		f.Add(uint16(0), true, []byte(stream))
		f.Add(uint16(http.StatusBadRequest-http.StatusOK), false, []byte(stream))
	}
	var status int
	var streams bool
	var sent []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if streams {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(status)
		_, _ = w.Write(sent)
	}))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, code uint16, stream bool, body []byte) {
		status, streams, sent = 200+int(code)%400, stream, body
		if status < 400 && status >= 300 {
			status = http.StatusOK // the client follows no redirects to elsewhere
		}
		client := errtest.Must(llm.New(llm.Config{BaseURL: server.URL, APIKey: "key", Model: "test-model", Backoff: time.Nanosecond, KeepTokens: true}))(t)
		defer client.Close()
		began := ""
		answer, err := client.Stream(t.Context(), question(), func(piece string) { began += piece })
		if began != answer.Text || len(answer.Text) > 3*len(body) || len(answer.ToolCalls) > len(body) {
			t.Errorf("%d bytes gave %q, passed on as %q, and %d calls; %v; want the same text, and no more than was sent", len(body), answer.Text, began, len(answer.ToolCalls), err)
		}
		if err == nil && !utf8.ValidString(answer.Text) {
			t.Errorf("the answer is %q, want valid UTF-8", answer.Text)
		}
	})
}
