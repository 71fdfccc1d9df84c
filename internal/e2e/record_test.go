package e2e_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

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
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	calling := call("ask_subagent", `{"task":"Count."}`)
	calling.Chunks = append([]openaitest.Chunk{{Text: "Let me count."}}, calling.Chunks...)
	last := openaitest.Answer("Nine:\n```go\nx := 9\n```")
	last.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "Nine", Logprob: math.Log(0.9)}, {Token: "…", Logprob: math.Log(0.4)}}
	s.model.Queue(calling, openaitest.Answer("9"), call("create_artifact", `{"title":"Count","file_name":"n.txt","content":"9"}`), last)
	r := s.start()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("how many threads?")})
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
	want := []store.Artifact{{Attachment: answer.Attachments[0].ID, Message: answer.ID, Name: "n.txt", Title: "Count", Type: "text/plain; charset=utf-8", Size: 1}}
	if !slices.Equal(got.Artifacts, want) {
		t.Errorf("the artifacts are %+v, want %+v", got.Artifacts, want)
	}
	if len(got.Code) != 1 || got.Code[0].Language != "go" || got.Text[got.Code[0].From:][:got.Code[0].Size] != "x := 9\n" {
		t.Errorf("the code is %+v, want one block of Go", got.Code)
	}
	if c := got.Confidence; c == nil || math.Abs(c.Value-0.6) > 1e-9 || c.Tokens != 2 || c.Rank != nil || c.Comparable() != nil {
		t.Errorf("the confidence is %+v, want 0.6 over two tokens, without a rank", c)
	}
	if got.Usage.Prompt != 40 || !got.TimeBound {
		t.Errorf("%d tokens of requests, time-bound %t, want 40 and true", got.Usage.Prompt, got.TimeBound)
	}
	text, _ := s.must(nil, "tree")
	for _, want := range []string{`called ask_subagent {"task":"Count."}: 9`, "assistant: 9", "called create_artifact", "n.txt is made"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the tree:\n%s", want, text)
		}
	}
	if dot, _ := s.must(nil, "tree", "-format", "dot"); !strings.Contains(dot, "subgraph \"cluster_") {
		t.Errorf("the tree as DOT is\n%s\nwant %q in it", dot, "subgraph \"cluster_")
	}
	if stdout, _ := s.must(nil, "verify"); !strings.Contains(stdout, " 0 faults") || !strings.Contains(stdout, "1 requests can be made again byte for byte, 0 cannot") {
		t.Errorf("verify says %q, want %q in it and %q in it", stdout, " 0 faults", "1 requests can be made again byte for byte, 0 cannot")
	}
}

// TestAFileThatIsRepliedToIsKnown proves that "make it blue" works: with the file come
// the request and the call that made it.
func TestAFileThatIsRepliedToIsKnown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
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

func TestWhatASearchReadIsForgottenWithItsMessages(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	ids := s.said(24*time.Hour, "bob: the password is hunter2", "ann: chatter")
	s.model.Queue(call("search_channel", `{"words":"password"}`), openaitest.Answer("Found."))
	r := s.start("MIN_LINEAR=0", "MAX_TOTAL=1", "AFFINITY=off")
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what was said?")})
	s.answer(s.channel, trigger, "Found.")
	r.end()
	got := s.recorded(trigger)
	if !slices.ContainsFunc(got.Sources, func(ref store.SourceRef) bool { return ref.Message == ids[0] && ref.Author == s.bob }) {
		t.Fatalf("the sources are %+v, want message %v by %v", got.Sources, ids[0], s.bob)
	}
	stored := s.stored()
	defer stored.Close()
	if _, err := stored.Deletions.Forget(s.ctx, s.scope(), s.channel, ids[:1]); err != nil {
		t.Fatal(err)
	}
	if found, err := stored.Responses.ByTrigger(s.ctx, s.scope(), trigger); err != nil || len(found) != 0 {
		t.Errorf("%d responses are left, %v, want 0 and no error", len(found), err)
	}
}

func TestConfidenceIsRankedAndCalibrated(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.patiently()
	curves := filepath.Join(t.TempDir(), "curves.json")
	if err := os.WriteFile(curves, []byte(`{"test-model":[{"value":0.5,"good":0.2},{"value":0.9,"good":0.4}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.start("CALIBRATION=" + curves)
	var trigger graph.MessageID
	for n := range 21 {
		reply := openaitest.Answer("Yes.")
		reply.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "Yes.", Logprob: math.Log(0.5 + 0.02*float64(n))}}
		s.model.Queue(reply)
		// In one channel an answer is ranked before the next is asked for.
		trigger = s.post(s.ann, discordtest.Draft{Content: s.mention("number " + strconv.Itoa(n) + "?")})
		s.answer(s.channel, trigger, "Yes.")
	}
	r.end()
	c := s.recorded(trigger).Confidence
	if c == nil || c.Rank == nil || *c.Rank != 1 || c.Calibrated == nil || math.Abs(*c.Calibrated-0.4) > 1e-6 || c.Comparable() != c.Calibrated {
		t.Errorf("the confidence is %+v, want rank 1, calibrated to 0.4", c)
	}
}

// TestWhatConfidenceIsComparedIsChosen answers once under each choice with a curve that
// says 0.4 of an answer that is 0.9 certain, when nothing can be ranked yet.
func TestWhatConfidenceIsComparedIsChosen(t *testing.T) {
	t.Parallel()
	curves := filepath.Join(t.TempDir(), "curves.json")
	if err := os.WriteFile(curves, []byte(`{"test-model":[{"value":0.5,"good":0.2},{"value":0.9,"good":0.4}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for choice, want := range map[string]*float64{"raw": new(0.9), "rank": nil, "calibrated": new(0.4)} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			reply := openaitest.Answer("Yes.")
			reply.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "Yes.", Logprob: math.Log(0.9)}}
			s.model.Queue(reply)
			r := s.start("CALIBRATION="+curves, "CONFIDENCE="+choice)
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("is it?")})
			s.answer(s.channel, trigger, "Yes.")
			r.end()
			got := s.recorded(trigger).Confidence.Comparable()
			if (got == nil) != (want == nil) || got != nil && math.Abs(*got-*want) > 1e-6 {
				t.Errorf("the confidence that is compared is %v, want %v", got, want)
			}
		})
	}
}

// TestAModelIsAskedForItsConfidence answers by a provider that sends no
// log-probabilities: only if the operator wants it, the model is asked.
func TestAModelIsAskedForItsConfidence(t *testing.T) {
	t.Parallel()
	for setting, test := range map[string]struct {
		says string
		want *float64
		asks int
	}{
		"ASK_CONFIDENCE=off":                {"85", nil, 1},
		"ASK_CONFIDENCE=on":                 {" 85 %\n", new(0.85), 2},
		"ASK_CONFIDENCE=on SUMMARIES=off":   {"0", new(0.0), 2},
		"ASK_CONFIDENCE=on RETAIN_RECENT=1": {"quite", nil, 2},
		"ASK_CONFIDENCE=on RETAIN_RECENT=2": {"101", nil, 2},
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("At one."), openaitest.Answer(test.says))
			r := s.start(append(strings.Fields(setting), "CONFIDENCE=raw")...)
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("when is lunch?")})
			s.answer(s.channel, trigger, "At one.")
			r.end()
			got := s.recorded(trigger).Confidence.Comparable()
			if (got == nil) != (test.want == nil) || got != nil && math.Abs(*got-*test.want) > 1e-6 {
				t.Errorf("the confidence is %v, want %v", got, test.want)
			}
			if asks := len(s.model.Requests()); asks != test.asks {
				t.Errorf("the model was asked %d times, want %d", asks, test.asks)
			}
		})
	}
}
