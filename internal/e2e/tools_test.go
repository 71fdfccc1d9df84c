package e2e_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// tools returns the names of the tools in the nth request.
func (p *provider) tools(n int) []string {
	p.t.Helper()
	var names []string
	for _, tool := range p.request(n).Chat.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

func TestWhatIsMadeLeavesTheConversationAndIsTold(t *testing.T) {
	inScenes(t, map[string][]string{"heard of": nil, "whose event is late": {"MESSAGE_UPDATE"}}, func(s *scene, unheard []string) {
		s.discord.Events.Intercept(discordtest.Dropped(unheard...))
		s.start()
		s.charted("You are welcome.")
		s.answered(s.channel, "thanks!", "You are welcome.")
		s.askedWith(3, "user: [speaker: ann]\n@heddle thanks!")
		s.contains(s.tail(3), `not to be made again unless asked for: "chart.svg"`)
	})
}

// TestAFileThatIsDeletedBringsItsRequestBack deletes the file that fulfilled a request.
func TestAFileThatIsDeletedBringsItsRequestBack(t *testing.T) {
	s := newScene(t)
	r := s.start("AFFINITY=off")
	chart := s.charted("You are welcome.", "It is gone.")
	r.answers(s, s.ann, "thanks!", "You are welcome.")
	s.discord.Chat.Delete(s.channel, chart.ID)
	s.answered(s.channel, "where is it?", "It is gone.")
	s.contains(s.conversation(4), "user: [speaker: ann]\n@heddle draw a chart")
	s.lacks(s.tail(4), "chart.svg")
}

func TestTheChannelIsSearched(t *testing.T) {
	s := newScene(t)
	s.said(time.Hour, append([]string{"bob: the blue loom is in room 7"}, slices.Repeat([]string{"ann: chatter"}, 250)...)...)
	s.model.Queue(call("search_channel", `{"words":"blue loom","person":"bob"}`), openaitest.Answer("In room 7."), openaitest.Answer("Still in 7."))
	s.start("MIN_LINEAR=1", "MAX_TOTAL=2")
	for n, want := range []string{"In room 7.", "Still in 7."} {
		in := s.channel
		if n > 0 {
			in = s.thread("later")
		}
		s.answered(in, "where is the blue loom?", want)
	}
	told := s.told(2)
	s.same("results of the tool", len(told), 1)
	s.contains(told[0], `"text":"the blue loom is in room 7"`)
	s.readPages(0, 4)
}

// hiddenFromBob returns a channel in which Ann told a secret two days ago and whose
// history Bob may not read.
func (p *people) hiddenFromBob() graph.ChannelID {
	p.t.Helper()
	hidden := p.discord.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden"})
	p.discord.World.SetOverwrites(hidden, discordtest.Overwrite{Member: p.bob, Deny: discordtest.ReadMessageHistory})
	p.postIn(hidden, p.ann, discordtest.Draft{Content: "the secret room is 9", At: time.Now().Add(-48 * time.Hour)})
	return hidden
}

func TestToolsCanBeSwitchedOff(t *testing.T) {
	type variant struct {
		tools string
		want  []string
	}
	inScenes(t, map[string]variant{
		"all": {"off", nil}, "one": {"ask_subagent, create_artifact", []string{"ask_subagent", "create_artifact"}},
	}, func(s *scene, test variant) {
		s.model.Queue(openaitest.Answer("Yes."))
		s.start("TOOLS=" + test.tools)
		s.answered(s.channel, "there?", "Yes.")
		s.same("the tools with TOOLS="+test.tools, s.tools(1), test.want)
	})
}

// keeps returns the responses to a trigger that are stored. heddle must have ended.
func (s *scene) keeps(trigger graph.MessageID) []store.Response {
	s.t.Helper()
	stored := s.stored()
	defer stored.Close()
	return errtest.Must(stored.Responses.ByTrigger(s.ctx, s.scope(), trigger))(s.t)
}

// recorded returns the newest response to a trigger. heddle must have ended.
func (s *scene) recorded(trigger graph.MessageID) store.Response {
	s.t.Helper()
	kept := s.keeps(trigger)
	if len(kept) == 0 {
		s.t.Fatalf("no response to %s is stored, want one", trigger)
	}
	return kept[0]
}

// TestAnAnswerMadeWithToolsIsRecordedWhole proves that each of its requests can be
// reproduced, and that the results of all tools are kept.
func TestAnAnswerMadeWithToolsIsRecordedWhole(t *testing.T) {
	s := newScene(t)
	calling := call("ask_subagent", `{"task":"Count."}`)
	calling.Chunks = append([]openaitest.Chunk{{Text: "Let me count."}}, calling.Chunks...)
	last := openaitest.Answer("Nine:\n```go\nx := 9\n```")
	last.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "Nine", Logprob: math.Log(0.9)}, {Token: "…", Logprob: math.Log(0.4)}}
	s.model.Queue(calling, openaitest.Answer("9"), call("create_artifact", `{"title":"Count","file_name":"n.txt","content":"9"}`), last)
	r := s.start()
	trigger := s.ask(s.ann, "how many threads?")
	answer := s.fileFor(trigger)
	r.end()

	got := s.recorded(trigger)
	const before, nine = "Let me count.\n\n", "Nine:\n```go\nx := 9\n```"
	s.same("the text, what is said and what is shown", []string{got.Text, got.Said(), answer.Content}, []string{before + nine, nine, before + nine})
	if len(got.Transcript) != 5 || len(got.Requests) != 3 || got.Requests[2].Hash != got.RequestHash || len(got.Since()) != 4 {
		t.Errorf("the transcript has %d turns, made by %+v, want 5 made by 3 requests, the last of which is the answer's", len(got.Transcript), got.Requests)
	}
	if b := got.Branches; len(b) != 1 || b[0].Call != "call-ask_subagent" || b[0].Text != "9" || len(b[0].Turns) != 2 {
		t.Errorf("the branches are %+v, want one of them, Call %q of the first, Text %q of the first and 2 in Turns of the first", b, "call-ask_subagent", "9")
	}
	want := []store.Artifact{{Artifact: path.Artifact{Attachment: answer.Attachments[0].ID, Message: answer.ID, Name: "n.txt"}, Title: "Count", Type: "text/plain; charset=utf-8", Size: 1}}
	s.same("the artifacts", got.Artifacts, want)
	if c := got.Confidence; c == nil || math.Abs(c.Value-0.6) > 1e-9 || c.Tokens != 2 || c.Rank != nil || c.Comparable() != nil {
		t.Errorf("the confidence is %+v, want 0.6 over two tokens, without a rank", c)
	}
	s.same("the tokens of requests", got.Usage.Prompt, 40)
	s.same("that it is bound to its time", got.TimeBound, true)
	s.contains(s.prints(nil, "tree"), `called ask_subagent {"task":"Count."}: 9`, "assistant: 9", "called create_artifact", "n.txt is made")
	s.contains(s.prints(nil, "verify"), " 0 faults", "1 request can be made again byte for byte, 0 cannot")
	rows := s.prints(consent(s.ann), "export", "--format", "raw")
	s.sameRequests(s.exported(rows), s.model.Requests()...)
	s.contains(rows, `"step":"round 2"`, `"step":"helper call-ask_subagent"`)
	s.contains(rows, `"arguments":"{\"task\":\"Count.\"}"`)
	_, matched, _ := s.matching(string(s.model.Requests()[3].Body))
	s.contains(matched, "this is, byte for byte, the request of answer ")
}

// TestAnAnswerMadeWithSignedCallsIsRecordedWithoutThem asks a model that signs its calls, and
// later one that takes only short ids.
func TestAnAnswerMadeWithSignedCallsIsRecordedWithoutThem(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Replay(openaitest.Event(`{"choices":[{"delta":{"reasoning_content":"I count.","tool_calls":[{"index":0,"id":"call_0fypS1hVX",`+
		`"function":{"name":"ask_subagent","arguments":"{\"task\":\"Count.\"}"},"extra_content":{"google":{"thought_signature":"AbC=="}}}]},"finish_reason":"tool_calls"}]}`)),
		openaitest.Answer("9"), openaitest.Answer("Nine."), openaitest.Answer("Still nine."))
	r := s.start()
	answer := s.answer(s.channel, s.ask(s.ann, "how many threads?"), "Nine.")
	r.end()
	s.contains(string(s.request(3).Body), `"thought_signature":"AbC=="`, `"reasoning_content":"I count."`, `"id":"call_0fypS1hVX"`)
	s.contains(s.prints(nil, "verify"), " 0 faults", "1 request can be made again byte for byte, 0 cannot")
	r = s.start("LLM_MODEL=mistral-large")
	s.answer(s.channel, s.askBelow(answer.ID, s.ann, "and now?"), "Still nine.")
	sent := string(s.request(4).Body)
	if strings.Contains(sent, "signature") || strings.Contains(sent, "I count.") || strings.Contains(sent, "call_0fypS1hVX") || !strings.Contains(sent, "ask_subagent") {
		t.Errorf("another model was sent %s, want the call without its id and signature", sent)
	}
	r.end()
	s.contains(s.prints(nil, "verify"), " 0 faults", "2 requests can be made again byte for byte, 0 cannot")
}

// TestAFileThatIsRepliedToIsKnown proves that "make it blue" works: with the file come
// the request and the call that made it.
func TestAFileThatIsRepliedToIsKnown(t *testing.T) {
	s := newScene(t)
	s.start()
	chart := s.charted("It is blue now.")
	s.answer(s.channel, s.askBelow(chart.ID, s.ann, "make it blue"), "It is blue now.")
	var calls []string
	for _, m := range s.request(3).Chat.Messages {
		for _, c := range m.ToolCalls {
			calls = append(calls, c.Arguments)
		}
	}
	s.same("the calls that the model is shown", len(calls), 1)
	s.contains(calls[0], "fill='red'")
	s.same("the request", s.asked(3)[0], "user: [speaker: ann]\n@heddle draw a chart")
}

// TestAnotherModelStandsInAmongToolCalls has the model fail twice on the way to an answer.
// Another model calls the tool and is the helper; the answer is the model's own again. What
// is verified and exported is what was sent to each of them.
func TestAnotherModelStandsInAmongToolCalls(t *testing.T) {
	s := newScene(t)
	spare := s.another()
	s.environ = append(s.environ, "LLM_FALLBACKS=spare-model "+spare.URL()+" sk-spare")
	away := openaitest.Fail(openaitest.Failure{Status: 401, Code: "invalid_api_key", Message: "no"})
	s.model.Queue(away, away, openaitest.Answer("There are nine."))
	spare.Queue(call("ask_subagent", `{"task":"Count."}`), openaitest.Answer("9"))
	r := s.start()
	r.wholeAnswer(s, s.ask(s.ann, "how many threads?"), "There are nine.")
	r.end()

	s.contains(s.prints(nil, "verify"), " 0 faults", "1 request can be made again byte for byte, 0 cannot")
	rows := s.prints(consent(s.ann), "export", "--format", "raw")
	s.sameRequests(s.exported(rows), append(spare.Requests(), s.model.Requests()[2])...)
}
