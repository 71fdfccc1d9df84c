package answer_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/llm"
	"heddle/store"
)

func TestAnAnswerIsSentAndRecorded(t *testing.T) {
	s := newStage(t)
	earlier := s.Say(s.Bob, "the warp is blue")
	whole := openaitest.Answer("Over, ", "under.")
	whole.Usage = &openaitest.Usage{Prompt: 40, Completion: 4, Cached: 8}
	id := s.Ask(s.Ann, "how do I weave?", whole)
	said := s.Last()
	if said.Content != "Over, under." || said.Reference == nil || said.Reference.Message != id {
		t.Fatalf("heddle said %+v, want Content %q and Reference.Message %v", said, "Over, under.", id)
	}
	r := s.Record(id)
	if r.Text != "Over, under." || r.FinishReason != llm.FinishStop || r.Self != s.Self || r.Reply != 0 || r.Channel != s.Channel {
		t.Errorf("the record is %+v, want Text %q, FinishReason %v, Self %v, Reply 0 and Channel %v", r, "Over, under.", llm.FinishStop, s.Self, s.Channel)
	}
	if len(r.Replies) != 1 || r.Replies[0] != (store.Reply{ID: said.ID, Text: "Over, under."}) {
		t.Errorf("recorded as sent are %+v, want one of them and %v first", r.Replies, (store.Reply{ID: said.ID, Text: "Over, under."}))
	}
	if r.Usage != (store.Usage{Prompt: 40, Completion: 4, Cached: 8}) || r.Model != "test-model" || r.Reported != "test-model" || r.Fingerprint != openaitest.Fingerprint {
		t.Errorf("recorded of the model are %+v, %q, %q, %q, want %+v, %q, %q and %q", r.Usage, r.Model, r.Reported, r.Fingerprint, (store.Usage{Prompt: 40, Completion: 4, Cached: 8}), "test-model", "test-model", openaitest.Fingerprint)
	}
	if r.PathHash != (path.Path{Turns: s.turns(&r), Options: r.Options}).Hash() || r.ResponseHash != path.ResponseHash(r.Text, llm.FinishStop) {
		t.Error("the hashes do not fit what they are hashes of")
	}
	if requests := s.Model.Requests(); r.RequestHash != path.RequestHash(requests[0].Body) || !strings.Contains(s.Tail(), r.Tail) || r.Tail == "" {
		t.Errorf("the record of the request does not fit what was sent; its tail is %q", r.Tail)
	}
	want := []store.SourceRef{
		{Message: earlier, Channel: s.Channel, Author: s.Bob, Position: 1},
		{Message: id, Channel: s.Channel, Author: s.Ann, Position: 2},
	}
	if !slices.Equal(r.Sources, want) {
		t.Errorf("the sources are %+v, want %+v", r.Sources, want)
	}
	if held, ok := s.History.Message(s.Channel, said.ID); !ok || held.Answers != id || held.Origin != graph.OriginSelf {
		t.Errorf("the history holds %+v, %t, want Answers %v, Origin %v and true", held, ok, id, graph.OriginSelf)
	}
}

// TestAnAnswerReadsAsItWasGiven has Discord hold less of an answer than was said.
func TestAnAnswerReadsAsItWasGiven(t *testing.T) {
	s := newStage(t)
	cut := openaitest.Answer("As far as")
	cut.FinishReason = "length"
	s.Ask(s.Ann, "and?", cut)
	s.Edit(s.Last().ID, "As far as\n-# something that heddle never said")
	s.Ask(s.Ann, "go on", openaitest.Answer("I know."))
	if asked := s.Asked(); !strings.HasPrefix(asked[2], "As far as") || strings.Contains(asked[2], "never said") {
		t.Errorf("the answer reads %q, want %q at its start and no %q in it", asked[2], "As far as", "never said")
	}
}

func TestWhatIsDeletedMeanwhileIsNotRecorded(t *testing.T) {
	s := newStage(t)
	gate := make(chan struct{})
	s.Model.Queue(halves(gate))
	earlier := s.Say(s.Bob, "the password is swordfish")
	id := s.Say(s.Ann, "what is it?")
	result, _ := s.under(s.Question(id))
	s.begun()
	s.Forget([]graph.MessageID{earlier})
	close(gate)
	if got := <-result; got.outcome != answer.Answered || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Answered)
	}
	if kept := s.Recorded(id); len(kept) != 0 {
		t.Errorf("recorded is %+v, want none", kept)
	}
	known, err := s.Store.Responses.Recollect(s.Context(), s.Scope(), []graph.MessageID{s.Last().ID})
	if stored := known[s.Last().ID]; err != nil || !stored.Gone() {
		t.Errorf("of the answer is known %+v, %v, want that it was erased", known, err)
	}
	if log := s.Logged(); strings.Contains(log, "could not be recorded") {
		t.Errorf("what must not be recorded is logged as a failure:\n%s\nwant no %q in it", log, "could not be recorded")
	}
}

// TestWhoOptsOutMeanwhileIsInNoRecord has Bob opt out while an answer is made from his
// words. The same message then holds an answer without them.
func TestWhoOptsOutMeanwhileIsInNoRecord(t *testing.T) {
	s := newStage(t)
	gate := make(chan struct{})
	s.Model.Queue(halves(gate), openaitest.Answer("I don't know."))
	s.Say(s.Bob, "the password is swordfish")
	id := s.Say(s.Ann, "what is it?")
	result, _ := s.under(s.Question(id))
	s.begun()
	errtest.None(s.T, s.People.OptOut(s.Context(), s.Bob))
	close(gate)
	if got := <-result; got.outcome != answer.Answered || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Answered)
	}
	s.CheckSaid("I don't know.")
	if kept := s.Record(id); kept.Text != "I don't know." || slices.ContainsFunc(kept.Sources, func(made store.SourceRef) bool { return made.Author == s.Bob }) {
		t.Errorf("recorded is %+v, want the second answer, made from nothing of bob's", kept)
	}
	if asked := strings.Join(s.Asked(), "\n"); strings.Contains(asked, "swordfish") {
		t.Errorf("asked again was %q, want nothing of bob's in it", asked)
	}
}

// certain is an answer whose one token had a probability of about 0.9.
func certain(text string) openaitest.Reply {
	r := openaitest.Answer(text)
	r.Chunks[0].Logprobs = []openaitest.Logprob{{Token: text, Logprob: -0.105}}
	return r
}

// TestConfidenceIsRecordedAsItIsCompared records the probability of an answer, which is compared
// only once there are enough others to rank it among.
func TestConfidenceIsRecordedAsItIsCompared(t *testing.T) {
	s := newStage(t)
	r := s.Record(s.Ask(s.Ann, "and?", certain("Yes.")))
	if c := r.Confidence; c == nil || c.Value < 0.89 || c.Value > 0.91 || c.Tokens != 1 || c.Method != "logprobs" || c.Comparable() != nil {
		t.Fatalf("the confidence is %+v, want about 0.9 of 1 token by logprobs, and no rank", c)
	}
}

// TestAModelIsAskedForItsConfidence answers by a provider that sends no log-probabilities: only
// if the operator wants it, the model is asked.
func TestAModelIsAskedForItsConfidence(t *testing.T) {
	for says, want := range map[string]*float64{"": nil, "85 %": new(0.85), "0": new(0.0), "quite": nil, "101": nil} {
		wanted := answer.ConfidenceAsk
		if says == "" {
			wanted = answer.ConfidenceRank
		}
		s := newStage(t, func(c *roomtest.Parts) { c.Answer.Confidence = wanted })
		got := s.Record(s.Ask(s.Ann, "when is lunch?", openaitest.Answer("At one."), openaitest.Answer(" "+says+"\n"))).Confidence
		if (got == nil) != (want == nil) || got != nil && (got.Value < *want-1e-6 || got.Value > *want+1e-6) {
			t.Errorf("%q gives the confidence %+v, want %v", says, got, want)
		}
		if asked := len(s.Model.Requests()); (asked == 1) != (says == "") || asked > 2 {
			t.Errorf("%q: the model was asked %d times, want twice if the operator wants it", says, asked)
		}
	}
}

// TestPagesLearnWhatMessagesShow answers, and answers once more in place of that.
func TestPagesLearnWhatMessagesShow(t *testing.T) {
	recent := answer.NewRecent()
	s := newStage(t, func(c *roomtest.Parts) { c.Recent = recent })
	s.Say(s.Bob, "before")
	id := s.Ask(s.Ann, "and?", openaitest.Answer("One."))
	first, news := s.Record(id), recent.Take()
	if len(news) != 4 || news[0].To != id || news[1].Response != first.ID || len(news[1].Graph.Conversation) != 1 || len(news[1].Built.Path.Turns) != 3 ||
		news[2].Response != first.ID || news[3].Response != first.ID || !slices.Contains(news[3].Messages, s.Last().ID) {
		t.Errorf("pages learn %+v, want that an answer to %s begins, what %s was made from, and twice that it is shown, in the end by %s", news, id, first.ID, s.Last().ID)
	}
	s.Model.Queue(openaitest.Answer("Two."))
	errtest.Must(s.Again(s.Last().ID))(t)
	second, news := s.Recorded(id)[0], recent.Take()
	if shown := news[2]; second.ID == first.ID || shown.Response != second.ID || !slices.Contains(shown.Messages, s.Last().ID) {
		t.Errorf("before the last edit pages learn that %v shows %s, want %s, another than %s", shown.Messages, shown.Response, second.ID, first.ID)
	}
}

// TestNewsThatNobodyTakesAreBounded has more answers begin than are held.
func TestNewsThatNobodyTakesAreBounded(t *testing.T) {
	recent := answer.NewRecent()
	for to := range graph.MessageID(1000) {
		recent.Begins(to, nil, path.Built{})
	}
	if news := recent.Take(); len(news) != 200 || news[0].To != 800 || len(recent.Take()) != 0 {
		t.Errorf("%d news are held, want the 200 newest, once", len(news))
	}
}

// TestAnAnswerStaysBoundToWhatItWasMadeFrom edits a message after it was answered.
func TestAnAnswerStaysBoundToWhatItWasMadeFrom(t *testing.T) {
	recent := answer.NewRecent()
	s := newStage(t, func(c *roomtest.Parts) { c.Recent = recent })
	first := s.Say(s.Bob, "the warp is blue")
	s.Ask(s.Ann, "which colour?", openaitest.Answer("Blue."))
	told := s.Last().ID
	s.Edit(first, "the warp is red")
	s.AskWith(s.Ann, discordtest.Draft{Content: "sure?", ReplyTo: told}, openaitest.Answer("No."))
	edges := recent.Take()[5].Graph.Edges
	if !slices.ContainsFunc(edges, func(e graph.Edge) bool { return e.Kind == graph.EdgeVersion && e.From == first && e.Bound == told }) {
		t.Errorf("the edges are %+v, want one that binds the answer to what it was made from", edges)
	}
}
