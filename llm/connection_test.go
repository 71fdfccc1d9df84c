package llm_test

import (
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/openaitest"
)

// lingering is an answer whose response ends so long after its last event.
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
		{time.Hour, 100 * time.Millisecond, 2}, // nobody waits for it
	} {
		synctest.Test(t, func(t *testing.T) {
			network := newPipes()
			server, client := network.setup(t, nil)
			server.Queue(lingering(test.lingers), openaitest.Answer("again"))
			began := time.Now()
			mustStream(t, client, question())
			if waited := time.Since(began); waited != test.waited {
				t.Errorf("a response that ends %s late: the answer came after %s", test.lingers, waited)
			}
			mustStream(t, client, question())
			if dials := network.dials.Load(); dials != test.dials {
				t.Errorf("a response that ends %s late: %d connections", test.lingers, dials)
			}
		})
	}
}
