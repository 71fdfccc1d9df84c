package e2e_test

import (
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// scripted lets the model reply what script returns or, if that is nil, what always has
// set.
func (p *provider) scripted(script func(openaitest.Request) *openaitest.Reply) {
	p.script.Store(&script)
}

// answers returns the model's reply to a request for which none is queued.
func (p *provider) answers(request openaitest.Request) openaitest.Reply {
	if script := p.script.Load(); script != nil {
		if reply := (*script)(request); reply != nil {
			return *reply
		}
	}
	return *p.reply.Load()
}

// always sets the model's reply to every request for which none is queued.
func (p *provider) always(reply openaitest.Reply) { p.reply.Store(&reply) }

// pauses queues an answer of the model's that goes on after its first piece once a channel
// is closed.
func (p *provider) pauses(pieces ...string) (goesOn chan struct{}) {
	goesOn = make(chan struct{})
	reply := openaitest.Answer(pieces...)
	reply.Chunks[1].Wait = goesOn
	p.model.Queue(reply)
	return goesOn
}

// waits queues an answer of the model's that begins once a channel is closed.
func (p *provider) waits(text string) (begins chan struct{}) {
	begins = make(chan struct{})
	reply := openaitest.Answer(text)
	reply.Wait = begins
	p.model.Queue(reply)
	return begins
}

// asked waits for the nth request to the model and returns its messages without the
// system prompt and the tail.
func (p *provider) asked(n int) []string {
	p.t.Helper()
	return textsOf(p.request(n))[1:]
}

// request waits for the nth request to the model.
func (p *provider) request(n int) openaitest.Request {
	p.t.Helper()
	requests, err := p.model.Await(p.ctx, n)
	if err != nil {
		p.t.Fatalf("the model was not asked %d times: %v", n, err)
	}
	return requests[n-1]
}

// conversation returns what asked does, as one text.
func (p *provider) conversation(n int) string {
	p.t.Helper()
	return strings.Join(p.asked(n), "\n")
}

// askedWith waits for the nth request to the model, and fails the test unless these are its
// messages without the system prompt and the tail.
func (p *provider) askedWith(n int, want ...string) {
	p.t.Helper()
	if got := p.asked(n); !slices.Equal(got, want) {
		p.t.Errorf("request %d asks the model\n%q, want\n%q", n, got, want)
	}
}

// tail waits for the nth request to the model and returns its tail.
func (p *provider) tail(n int) string {
	p.t.Helper()
	r := p.request(n)
	return r.Chat.Messages[tailOf(r)].Text()
}

// tailOf returns the place of the tail, or of heddle's own task, in a request.
func tailOf(r openaitest.Request) int {
	return slices.IndexFunc(r.Chat.Messages, func(m openaitest.Message) bool {
		return strings.HasPrefix(m.Text(), "[heddle: added, not said by anyone]\n")
	})
}

// told waits for the nth request to the model and returns the results of tools in it.
func (p *provider) told(n int) []string {
	p.t.Helper()
	var results []string
	for _, m := range p.request(n).Chat.Messages {
		if m.Role == "tool" {
			results = append(results, m.Text())
		}
	}
	return results
}

// parts waits for the nth request to the model and returns the parts of its last message.
func (p *provider) parts(n int) []openaitest.Part {
	p.t.Helper()
	messages := p.request(n).Chat.Messages
	return messages[len(messages)-1].Parts
}

// requests returns the requests for summaries and those for answers so far.
func (p *provider) requests() (summaries, answers []openaitest.Request) {
	for _, r := range p.model.Requests() {
		if summarises(r) {
			summaries = append(summaries, r)
		} else {
			answers = append(answers, r)
		}
	}
	return summaries, answers
}

// summarises reports whether a request asks for a summary.
func summarises(r openaitest.Request) bool {
	return strings.Contains(r.Chat.Messages[len(r.Chat.Messages)-1].Text(), "Write down what of the conversation above")
}

// textsOf returns the messages of a request without the tail.
func textsOf(r openaitest.Request) (turns []string) {
	for i, m := range r.Chat.Messages {
		if i != tailOf(r) {
			turns = append(turns, m.Role+": "+m.Text())
		}
	}
	return turns
}

// call returns a reply of the model that calls a tool.
func call(name, arguments string) openaitest.Reply {
	return openaitest.Call(openaitest.ToolCall{ID: "call-" + name, Name: name, Arguments: arguments})
}

// fileFor waits for an answer with a file to a trigger.
func (s *screen) fileFor(trigger graph.MessageID) discordtest.Message {
	s.t.Helper()
	return s.answerThat(s.channel, trigger, "", func(m discordtest.Message) bool { return len(m.Attachments) > 0 })
}

// charted has Ann ask for a chart and returns the answer with it. The texts are queued
// as the model's further answers.
func (s *scene) charted(answers ...string) discordtest.Message {
	s.t.Helper()
	s.model.Queue(
		call("create_artifact", `{"title":"Chart","file_name":"chart.svg","content":"<svg fill='red'/>"}`),
		openaitest.Answer("There is your chart."),
	)
	for _, text := range answers {
		s.model.Queue(openaitest.Answer(text))
	}
	return s.fileFor(s.ask(s.ann, "draw a chart"))
}
