package e2e_test

import (
	"regexp"
	"strconv"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatCatchUpsTakeIsTold has Bob catch up and read more about one talk. Both count in
// what his answers took.
func TestWhatCatchUpsTakeIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.environ = append(s.environ, "LLM_PRICES=test-model=1000/500/2000")
	s.twoTalks()
	s.describing(func(title string) string { return "On the " + title })
	s.charging(openaitest.Usage{Prompt: 20, Completion: 4})
	s.start()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	s.runs(s.bob, "heddle usage", nil, "today (UTC): 1 answer, 20 tokens read (0 of them cached), 4 written, cost 0.0280")
	s.press(s.bob, m, "2")
	opened := s.privately(id, "the printer prints again")
	s.scripted(func(openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer("ann needed toner")
		return &reply
	})
	s.charging(openaitest.Usage{Prompt: 30, Completion: 1})
	s.press(s.bob, opened, "Tell me more")
	s.privately(id, "ann needed toner")
	s.runs(s.bob, "heddle usage", nil, "today (UTC): 2 answers, 50 tokens read (0 of them cached), 5 written, cost 0.0600")
}

// charging has the model report the same usage with each of its answers.
func (p *provider) charging(usage openaitest.Usage) {
	answers := *p.script.Load()
	p.scripted(func(r openaitest.Request) *openaitest.Reply {
		reply := answers(r)
		reply.Usage = &usage
		return reply
	})
}

// TestAllThatIsChargedIsTold has the model and its helpers asked for everything that heddle
// asks them for, and compares what is charged to limits with what people are told.
func TestAllThatIsChargedIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.environ = append(s.environ,
		"OPERATORS="+s.ann.String(), "LIMIT_ALL=10000000 tokens/day", "ASK_CONFIDENCE=on", "VISION=auto",
		"EMBEDDING_MODEL=test-embedding", "LLM_PRICES=test-model=1000/500/2000",
	)
	s.twoTalks()
	s.describing(func(title string) string { return "On the " + title })
	s.start()
	s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	describes := *s.script.Load()
	helped := false
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		if reply := describes(r); len(r.Chat.Tools) == 0 {
			return reply
		}
		reply := openaitest.Answer("It is well.")
		if !helped {
			helped = true
			reply = openaitest.Call(openaitest.ToolCall{ID: "1", Name: "ask_subagent", Arguments: `{"task":"think"}`})
		}
		return &reply
	})
	s.asksAs(s.bob, "is the printer well?", "It is well.")
	if err := s.model.Embeddings.Await(s.ctx, "printer"); err != nil {
		t.Fatal(err)
	}
	s.catchesUp(s.ann, "heddle find", map[string]any{"words": "toner for printers"})
	if n := len(s.model.Requests()); n < 5 {
		t.Fatalf("the model was asked %d times, want for a catch-up, an answer with a helper, and its certainty", n)
	}
	var charged, told int
	for s.ctx.Err() == nil { // vectors are made while nobody waits
		charged = s.numbers(`everybody together: (\d+) of`, "heddle limits", nil)
		told = s.numbers(`today[^,]*, (\d+) tokens read.*?(\d+) written`, "heddle usage", map[string]any{"whose": "everybody"})
		if charged == told && charged > 0 {
			return
		}
	}
	t.Errorf("%d tokens are charged, and %d are told, want the same", charged, told)
}

// numbers has Ann run a command, and returns the sum of the numbers that match in what she
// reads.
func (c *commands) numbers(pattern, command string, options map[string]any) (sum int) {
	c.t.Helper()
	said := c.runs(c.ann, command, options, "").Private[0].Content
	found := regexp.MustCompile(pattern).FindStringSubmatch(said)
	if found == nil {
		c.t.Fatalf("the usage reads %q, want %s in it", said, pattern)
	}
	for _, number := range found[1:] {
		n, _ := strconv.Atoi(number)
		sum += n
	}
	return sum
}
