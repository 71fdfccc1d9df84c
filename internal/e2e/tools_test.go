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
	"heddle/internal/openaitest"
	"heddle/store"
)

// tools returns the names of the tools in the nth request.
func (p *provider) tools(n int) []string {
	p.t.Helper()
	p.asked(n)
	var names []string
	for _, tool := range p.model.Requests()[n-1].Chat.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

func TestWhatIsMadeLeavesTheConversationAndIsTold(t *testing.T) {
	inScenes(t, map[string][]string{"heard of": nil, "whose event is late": {"MESSAGE_UPDATE"}}, func(s *scene, unheard []string) {
		s.discord.Events.Intercept(discordtest.Dropped(unheard...))
		s.start()
		s.charted("You are welcome.")
		s.answer(s.channel, s.ask(s.ann, "thanks!"), "You are welcome.")
		if got, want := s.asked(3), []string{"user: [speaker: ann]\n@heddle thanks!"}; !slices.Equal(got, want) {
			s.t.Errorf("the thanks were answered from %q, want %q", got, want)
		}
		messages := s.model.Requests()[2].Chat.Messages
		s.contains(messages[len(messages)-1].Text(), `not to be made again unless asked for: "chart.svg"`)
	})
}

// TestAFileThatIsDeletedBringsItsRequestBack deletes the file that fulfilled a request.
func TestAFileThatIsDeletedBringsItsRequestBack(t *testing.T) {
	s := newScene(t)
	r := s.start("AFFINITY=off")
	chart := s.charted("You are welcome.", "It is gone.")
	r.answers(s, s.ann, "thanks!", "You are welcome.")
	s.discord.Chat.Delete(s.channel, chart.ID)
	s.answer(s.channel, s.ask(s.ann, "where is it?"), "It is gone.")
	if got := s.asked(4); !slices.Contains(got, "user: [speaker: ann]\n@heddle draw a chart") {
		t.Errorf("the last question was answered from %q, want %q among them", got, "user: [speaker: ann]\n@heddle draw a chart")
	}
	messages := s.model.Requests()[3].Chat.Messages
	s.lacks(messages[len(messages)-1].Text(), "chart.svg")
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
		s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("where is the blue loom?")}), want)
	}
	if told := s.told(2); len(told) != 1 || !strings.Contains(told[0], `"text":"the blue loom is in room 7"`) {
		t.Errorf("the model was told %q, want one of them and %q in it first", told, `"text":"the blue loom is in room 7"`)
	}
	s.readPages(4)
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
		s.answer(s.channel, s.ask(s.ann, "there?"), "Yes.")
		if got := s.tools(1); !slices.Equal(got, test.want) {
			s.t.Errorf("with TOOLS=%s the model could call %q, want %q", test.tools, got, test.want)
		}
	})
}

// recorded returns the newest response to a trigger. heddle must have ended.
func (s *scene) recorded(trigger graph.MessageID) store.Response {
	s.t.Helper()
	stored := s.stored()
	defer stored.Close()
	found, err := stored.Responses.ByTrigger(s.ctx, s.scope(), trigger)
	if err != nil || len(found) == 0 {
		s.t.Fatalf("%d responses to %s are stored, %v, want more than 0 and no error", len(found), trigger, err)
	}
	return found[0]
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
	if want := "Let me count.\n\nNine:\n```go\nx := 9\n```"; got.Text != want || answer.Content != want || got.Said() != want[len("Let me count.\n\n"):] {
		t.Errorf("the text is %q, the answer reads %q, want %q for both", got.Text, answer.Content, want)
	}
	if len(got.Transcript) != 5 || len(got.Requests) != 3 || got.Requests[2].Hash != got.RequestHash || len(got.Since()) != 4 {
		t.Errorf("the transcript has %d turns, made by %+v, want 5 made by 3 requests, the last of which is the answer's", len(got.Transcript), got.Requests)
	}
	if b := got.Branches; len(b) != 1 || b[0].Call != "call-ask_subagent" || b[0].Text != "9" || len(b[0].Turns) != 2 {
		t.Errorf("the branches are %+v, want one of them, Call %q of the first, Text %q of the first and 2 in Turns of the first", b, "call-ask_subagent", "9")
	}
	want := []store.Artifact{{Artifact: path.Artifact{Attachment: answer.Attachments[0].ID, Message: answer.ID, Name: "n.txt"}, Title: "Count", Type: "text/plain; charset=utf-8", Size: 1}}
	if !slices.Equal(got.Artifacts, want) {
		t.Errorf("the artifacts are %+v, want %+v", got.Artifacts, want)
	}
	if c := got.Confidence; c == nil || math.Abs(c.Value-0.6) > 1e-9 || c.Tokens != 2 || c.Rank != nil || c.Comparable() != nil {
		t.Errorf("the confidence is %+v, want 0.6 over two tokens, without a rank", c)
	}
	if got.Usage.Prompt != 40 || !got.TimeBound {
		t.Errorf("%d tokens of requests, time-bound %t, want 40 and true", got.Usage.Prompt, got.TimeBound)
	}
	s.contains(s.prints(nil, "tree"), `called ask_subagent {"task":"Count."}: 9`, "assistant: 9", "called create_artifact", "n.txt is made")
	s.contains(s.prints(nil, "verify"), " 0 faults", "1 request can be made again byte for byte, 0 cannot")
	rows := s.prints(consent(s.ann), "export", "--format", "raw")
	s.sameRequests(s.exported(rows), s.model.Requests()...)
	s.contains(rows, `"step":"round 2"`, `"step":"helper call-ask_subagent"`)
	s.contains(s.prints(consent(s.ann), "export", "--format", "openai", "--discord-permits"), `"arguments":"{\"task\":\"Count.\"}"`)
	_, matched, _ := s.matching(string(s.model.Requests()[3].Body))
	s.contains(matched, "this is, byte for byte, the request of answer ")
}

// TestAFileThatIsRepliedToIsKnown proves that "make it blue" works: with the file come
// the request and the call that made it.
func TestAFileThatIsRepliedToIsKnown(t *testing.T) {
	s := newScene(t)
	s.start()
	chart := s.charted("It is blue now.")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("make it blue"), ReplyTo: chart.ID}), "It is blue now.")
	s.asked(3)
	var calls []string
	for _, m := range s.model.Requests()[2].Chat.Messages {
		for _, c := range m.ToolCalls {
			calls = append(calls, c.Arguments)
		}
	}
	if len(calls) != 1 || !strings.Contains(calls[0], "fill='red'") {
		t.Errorf("the model was shown the calls %q, want one of them and %q in it first", calls, "fill='red'")
	}
	if got := s.asked(3); got[0] != "user: [speaker: ann]\n@heddle draw a chart" {
		t.Errorf("the request was asked as %q, want %q first", got, "user: [speaker: ann]\n@heddle draw a chart")
	}
}

// TestAModelIsAskedForItsConfidence answers by a provider that sends no
// log-probabilities: only if the operator wants it, the model is asked.
func TestAModelIsAskedForItsConfidence(t *testing.T) {
	type variant struct {
		choice, says string
		want         *float64
		asks         int
	}
	inScenes(t, map[string]variant{
		"not wanted":    {"raw", "85", nil, 1},
		"a share":       {"ask", " 85 %\n", new(0.85), 2},
		"none at all":   {"ask", "0", new(0.0), 2},
		"no number":     {"ask", "quite", nil, 2},
		"above certain": {"ask", "101", nil, 2},
	}, func(s *scene, test variant) {
		s.model.Queue(openaitest.Answer("At one."), openaitest.Answer(test.says))
		r := s.start("CONFIDENCE=" + test.choice)
		trigger := s.ask(s.ann, "when is lunch?")
		s.answer(s.channel, trigger, "At one.")
		r.end()
		got := s.recorded(trigger).Confidence
		if (got == nil) != (test.want == nil) || got != nil && math.Abs(got.Value-*test.want) > 1e-6 {
			s.t.Errorf("the confidence is %+v, want %v", got, test.want)
		}
		if asks := len(s.model.Requests()); asks != test.asks {
			s.t.Errorf("the model was asked %d times, want %d", asks, test.asks)
		}
	})
}

// TestAnotherModelStandsInAmongToolCalls has the model fail twice on the way to an answer.
// Another model calls the tool and is the helper; the answer is the model's own again. What
// is verified and exported is what was sent to each of them.
func TestAnotherModelStandsInAmongToolCalls(t *testing.T) {
	s := newScene(t)
	spare := s.spare()
	away := openaitest.Fail(openaitest.Failure{Status: 401, Code: "invalid_api_key", Message: "no"})
	s.model.Queue(away, away, openaitest.Answer("There are nine."))
	spare.Queue(call("ask_subagent", `{"task":"Count."}`), openaitest.Answer("9"))
	r := s.start()
	question := s.ask(s.ann, "how many threads?")
	r.wholeAnswer(s, question, "There are nine.")
	r.end()

	s.contains(s.prints(nil, "verify"), " 0 faults", "1 request can be made again byte for byte, 0 cannot")
	rows := s.prints(consent(s.ann), "export", "--format", "raw")
	s.sameRequests(s.exported(rows), append(spare.Requests(), s.model.Requests()[2])...)
}
