package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"heddle/internal/openaitest"
)

// model answers each question with tokens that name the question, the request and their
// own number. The oracle recognises by them what is missing, mixed or misplaced.
type model struct {
	mu       sync.Mutex
	random   *rand.Rand
	requests int
	faults   int
	failing  float64 // probability that a request fails
	tokens   int     // number of tokens of each answer; 0: random
}

var asks = regexp.MustCompile(`q-(\d+)`)

// reply returns the reply to one request. The last message of a request is the tail,
// and the one before it the question.
func (m *model) reply(r openaitest.Request) openaitest.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	question := 0
	if n := len(r.Chat.Messages); n >= 2 {
		if found := asks.FindAllStringSubmatch(r.Chat.Messages[n-2].Text(), -1); found != nil {
			question, _ = strconv.Atoi(found[len(found)-1][1])
		}
	}
	tokens := 4 + m.random.IntN(20)
	if m.random.IntN(8) == 0 {
		tokens = 120 + m.random.IntN(160) // long enough for several messages
	}
	if m.tokens > 0 {
		tokens = m.tokens
	}
	pieces := 1 + m.random.IntN(8)
	reply := openaitest.Reply{FinishReason: "stop", Usage: &openaitest.Usage{Prompt: 10, Completion: tokens}}
	var after time.Duration
	for at := 0; at < tokens; {
		end := min(tokens, at+1+tokens/pieces)
		var text strings.Builder
		for ; at < end; at++ {
			fmt.Fprintf(&text, "<%d.%d.%d> and so it goes\n", question, m.requests, at)
		}
		if at == tokens {
			fmt.Fprintf(&text, "<%d.%d.end>", question, m.requests)
		}
		after += time.Duration(m.random.IntN(400)) * time.Millisecond
		wait := make(chan struct{})
		time.AfterFunc(after, func() { close(wait) })
		reply.Chunks = append(reply.Chunks, openaitest.Chunk{Text: text.String(), Wait: wait})
	}
	if m.random.Float64() < m.failing {
		m.faults++
		switch m.random.IntN(3) {
		case 0:
			return openaitest.Reply{Status: 500}
		case 1:
			reply.Chunks = reply.Chunks[:len(reply.Chunks)/2]
			reply.FinishReason, reply.End = "", openaitest.EndAbort
		default:
			reply.Chunks = reply.Chunks[:len(reply.Chunks)/2]
			reply.FinishReason, reply.End = "", openaitest.EndQuiet
		}
	}
	return reply
}
