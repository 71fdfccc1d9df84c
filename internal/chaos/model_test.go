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
	failed   map[version]bool
	failing  float64 // probability that a request fails
	tokens   int     // number of tokens of each answer; 0: random
	files    bool    // each answer makes a file first
}

// version is a question as it reads after a number of edits.
type version struct{ question, edits int }

var asks = regexp.MustCompile(`q-(\d+)\.(\d+)`)

// reply returns the reply to one request, whose last message is the question.
func (m *model) reply(r openaitest.Request) openaitest.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	var asked version
	n := len(r.Chat.Messages)
	if m.files {
		if r.Chat.Messages[n-1].Role != "tool" {
			return openaitest.Call(openaitest.ToolCall{ID: "1", Name: "create_artifact", Arguments: `{"title":"A","file_name":"a.md","content":"x"}`})
		}
		n -= 2 // behind the question are the call and its result
	}
	if n >= 1 {
		if found := asks.FindAllStringSubmatch(r.Chat.Messages[n-1].Text(), -1); found != nil {
			asked.question, _ = strconv.Atoi(found[len(found)-1][1])
			for _, part := range found { // a question in two parts has the version of the newer
				if edits, _ := strconv.Atoi(part[2]); part[1] == found[len(found)-1][1] {
					asked.edits = max(asked.edits, edits)
				}
			}
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
			fmt.Fprintf(&text, "<%d.%d.%d.%d> and so it goes\n", asked.question, asked.edits, m.requests, at)
		}
		if at == tokens {
			fmt.Fprintf(&text, "<%d.%d.%d.end>", asked.question, asked.edits, m.requests)
		}
		after += time.Duration(m.random.IntN(400)) * time.Millisecond
		wait := make(chan struct{})
		time.AfterFunc(after, func() { close(wait) })
		reply.Chunks = append(reply.Chunks, openaitest.Chunk{Text: text.String(), Wait: wait})
	}
	if m.random.Float64() < m.failing {
		return m.fails(asked, reply)
	}
	return reply
}

// fails returns how a request about a version of a question fails, instead of a reply.
func (m *model) fails(asked version, reply openaitest.Reply) openaitest.Reply {
	m.faults++
	if m.failed == nil {
		m.failed = make(map[version]bool)
	}
	m.failed[asked] = true
	how := m.random.IntN(3)
	if how == 0 {
		return openaitest.Reply{Status: 500}
	}
	reply.Chunks = reply.Chunks[:len(reply.Chunks)/2]
	reply.FinishReason, reply.End = "", openaitest.EndQuiet
	if how == 1 {
		reply.End = openaitest.EndAbort
	}
	return reply
}

// hasFailed reports whether a request about a version of a question has failed.
func (m *model) hasFailed(v version) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed[v]
}
