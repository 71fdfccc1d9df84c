package llm_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/openaitest"
	"heddle/llm"
)

// lingering returns an answer whose response ends a time after its last event.
func lingering(long time.Duration) openaitest.Reply {
	ended := make(chan struct{})
	time.AfterFunc(long, func() { close(ended) })
	reply := openaitest.Answer("yes")
	reply.End, reply.FinishReason = openaitest.EndQuiet, ""
	reply.Chunks = append(reply.Chunks,
		openaitest.Chunk{Raw: openaitest.Event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)},
		openaitest.Chunk{Raw: openaitest.Event("[DONE]")},
		openaitest.Chunk{Wait: ended, Raw: "\n"},
	)
	return reply
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	for _, test := range []struct {
		lingers, waited time.Duration
		dials           int32
	}{
		{0, 0, 1},
		{20 * time.Millisecond, 20 * time.Millisecond, 1},
		{time.Hour, 100 * time.Millisecond, 2}, // the client does not wait that long
	} {
		synctest.Test(t, func(t *testing.T) {
			network := newPipes()
			server, client := network.setup(t, nil)
			server.Queue(lingering(test.lingers), openaitest.Answer("again"))
			began := time.Now()
			mustStream(t, client, question())
			if waited := time.Since(began); waited != test.waited {
				t.Errorf("a response that ends %s late: the answer came after %s, want %s", test.lingers, waited, test.waited)
			}
			mustStream(t, client, question())
			if dials := network.dials.Load(); dials != test.dials {
				t.Errorf("a response that ends %s late: %d connections, want %d", test.lingers, dials, test.dials)
			}
		})
	}
}

// TestARedirectIsFollowedWithinItsHostAlone redirects a request with its body to the
// same host and to another.
func TestARedirectIsFollowedWithinItsHostAlone(t *testing.T) {
	other, _ := setup(t, nil)
	server, client := setup(t, nil)
	to := func(address string) openaitest.Reply {
		return openaitest.Reply{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {address + "/chat/completions"}}}
	}
	server.Queue(to(other.URL()))
	if _, err := failure(t, client, llm.NotFound); err.Status != http.StatusTemporaryRedirect || err.Retryable {
		t.Errorf("the error is %+v, want Status %v and Retryable false", err, http.StatusTemporaryRedirect)
	}
	if asked := len(other.Requests()); asked != 0 {
		t.Errorf("the other host was asked %d times, want 0", asked)
	}
	moved := httptest.NewServer(http.RedirectHandler(other.URL()+"/models", http.StatusTemporaryRedirect))
	t.Cleanup(moved.Close)
	if names, err := llm.Models(t.Context(), moved.URL, "key"); err != nil || len(names) > 0 {
		t.Errorf("the models are %q, %v, want none of the other host's and no error", names, err)
	}
	server.Queue(to(server.URL()), openaitest.Answer("yes"))
	if answer := mustStream(t, client, question()); answer.Text != "yes" {
		t.Errorf("the answer is %q, want %q", answer.Text, "yes")
	}
}
