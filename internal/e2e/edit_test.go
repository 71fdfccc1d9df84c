package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

func TestAnEditedQuestionIsAnsweredInPlace(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."), openaitest.Answer("Since the 1600s."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("is bule a colour?")})
	before := s.answer(s.channel, question, "Bule is no colour.")
	s.edit(question, s.mention("is indigo a colour?"))
	after := s.answer(s.channel, question, "Indigo is.")
	if after.ID != before.ID || s.own() != 1 {
		t.Errorf("the new answer is message %s of %d, want %s alone", after.ID, s.own(), before.ID)
	}
	next := s.post(s.bob, discordtest.Draft{Content: s.mention("since when?"), ReplyTo: after.ID})
	s.answer(s.channel, next, "1600s")
	if got := strings.Join(s.asked(3), "\n"); !strings.Contains(got, "Indigo is.") || strings.Contains(got, "ule") {
		t.Errorf("the follow-up was asked with %q, want %q in it and no %q in it", got, "Indigo is.", "ule")
	}
	r.end()
	kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(kept) != 2 || kept[0].PathHash == kept[1].PathHash || kept[0].Generation != 1 || kept[1].Text != "Bule is no colour." {
		t.Errorf("stored are %+v, %v, want the new answer and the old one as history", kept, err)
	}
}

func TestAQuestionThatIsEditedBackGetsItsOldAnswerBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Warp, of course."), openaitest.Answer("Weft, of course."), openaitest.Answer("Because."))
	s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	s.answer(s.channel, question, "Warp, of course.")
	s.edit(question, s.mention("weft?"))
	s.answer(s.channel, question, "Weft, of course.")
	s.edit(question, s.mention("warp?"))
	back := s.answer(s.channel, question, "Warp, of course.")
	if back.Content != "Warp, of course." {
		t.Errorf("the answer reads %q, want %q", back.Content, "Warp, of course.")
	}
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("why?"), ReplyTo: back.ID}), "Because.")
	if got := strings.Join(s.asked(3), "\n"); !strings.Contains(got, "assistant: Warp, of course.") {
		t.Errorf("the follow-up was asked with %q, want %q in it", got, "assistant: Warp, of course.")
	}
}

func TestAQuestionThatIsEditedWhileItIsAnswered(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	slow := openaitest.Answer("The answer to what was asked first, ", "to its end.")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow, openaitest.Answer("The answer to the edit."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("first?")})
	s.begun(s.channel, question, "asked first")
	s.edit(question, s.mention("second?"))
	close(gate)
	s.answer(s.channel, question, "The answer to the edit.")
	r.end()
	kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(kept) != 2 || kept[1].Text != "The answer to what was asked first, to its end." || s.own() != 1 {
		t.Errorf("recorded are %+v, %v, want two answers, the first one whole", kept, err)
	}
	if !kept[1].Sources[len(kept[1].Sources)-1].Edited.IsZero() || kept[0].Sources[len(kept[0].Sources)-1].Edited.IsZero() {
		t.Error("an answer is not bound to the version that it was made from")
	}
}

// TestAQuestionThatIsEditedDuringAFailOver edits a question whose owner was killed in the
// midst of its answer. The process that takes over answers the newest version.
func TestAQuestionThatIsEditedDuringAFailOver(t *testing.T) {
	t.Parallel()
	for name, heard := range map[string]bool{"while nobody hears": false, "when the next process hears": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=3s"}
			half := openaitest.Answer("The warp is what was asked first, ", "and more.")
			half.Chunks[1].Wait = make(chan struct{})
			s.model.Queue(half)
			owner := s.spawn(environ...)
			question := s.ask(s.ann, "what is a warp?")
			s.begun(s.channel, question, "The warp")
			s.always(openaitest.Answer("The weft is what was asked then."))
			owner.kill()
			if !heard {
				s.edit(question, s.mention("what is a weft?"))
			}
			next := s.spawn(environ...)
			if heard {
				s.edit(question, s.mention("what is a weft?"))
			}
			s.wholeAnswer(question, "The weft is what was asked then.")
			if err := next.logs.await(s.ctx, `msg="a task is done" trigger=`+question.String()); err != nil {
				t.Fatal(err)
			}
			s.wholeAnswer(question, "The weft is what was asked then.")
			asked := strings.Join(s.asked(len(s.model.Requests())), "\n")
			if !strings.Contains(asked, "weft?") || strings.Contains(asked, "warp?") {
				t.Errorf("the model was last asked with %q, want %q in it and no %q", asked, "weft?", "warp?")
			}
		})
	}
}

// TestAnAnswerThatWasNotRecordedIsComparedWithItsQuestion kills the owner of a question when
// its answer is whole and not recorded. The question was edited before, or is edited after.
func TestAnAnswerThatWasNotRecordedIsComparedWithItsQuestion(t *testing.T) {
	t.Parallel()
	type moment uint8
	const (
		never moment = iota
		whileItGrows
		onceItIsWhole
	)
	for name, test := range map[string]struct {
		edited moment
		policy string
		want   string
	}{
		"not edited":            {never, "on", "The warp is lengthwise."},
		"edited while it grows": {whileItGrows, "on", "The weft is crosswise."},
		"edited once it stands": {onceItIsWhole, "on", "The weft is crosswise."},
		"edits are ignored":     {onceItIsWhole, "off", "The warp is lengthwise."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			environ := []string{"REDIS_URL=" + s.redis().URL(), "CLAIM_LEASE=2s", "EDIT_ANSWER=" + test.policy}
			rest := make(chan struct{})
			reply := openaitest.Answer("The warp is ", "lengthwise.")
			reply.Chunks[1].Wait = rest
			s.model.Queue(reply)
			owner := s.spawn(environ...)
			question := s.ask(s.ann, "what is a warp?")
			s.begun(s.channel, question, "The warp")
			last := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), GateAfter: make(chan struct{})})
			if test.edited == whileItGrows {
				s.edit(question, s.mention("what is a weft?"))
			}
			close(rest)
			s.wholeAnswer(question, "The warp is lengthwise.")
			s.always(openaitest.Answer("The weft is crosswise."))
			owner.kill()
			last.Remove()
			if test.edited == onceItIsWhole {
				s.edit(question, s.mention("what is a weft?"))
			}
			next := s.spawn(environ...)
			if err := next.logs.await(s.ctx, `msg="an answer was looked at once more" trigger=`+question.String()); err != nil {
				t.Fatal(err)
			}
			if parts := s.partsOf(s.channel, question); !slices.Equal(parts, []string{test.want}) {
				t.Errorf("the answer reads %q, want %q alone", parts, test.want)
			}
		})
	}
}

func TestWhatIsNoEditChangesNoAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environ string
		change  func(s *scene, question graph.MessageID)
	}{
		"a link preview": {"EDIT_ANSWER=on", func(s *scene, question graph.MessageID) {
			if err := s.discord.Chat.SetEmbeds(s.channel, question, json.RawMessage(`[{"type":"link","title":"A page"}]`)); err != nil {
				s.t.Fatal(err)
			}
		}},
		"the same words": {"EDIT_ANSWER=on", func(s *scene, question graph.MessageID) { s.edit(question, s.mention("warp?")) }},
		"a link preview, where answers are offered": {"EDIT_ANSWER=offer", func(s *scene, question graph.MessageID) {
			if err := s.discord.Chat.SetEmbeds(s.channel, question, json.RawMessage(`[{"type":"link","title":"A page"}]`)); err != nil {
				s.t.Fatal(err)
			}
		}},
		"the same words, where answers are offered": {"EDIT_ANSWER=offer", func(s *scene, question graph.MessageID) { s.edit(question, s.mention("warp?")) }},
		"an edit, switched off": {"EDIT_ANSWER=off", func(s *scene, question graph.MessageID) {
			s.edit(question, s.mention("weft?"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("Warp."), openaitest.Answer("Another one."))
			s.start(test.environ)
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
			answer := s.answer(s.channel, question, "Warp.")
			test.change(s, question)
			s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")}), "Another one.")
			if m, _ := s.discord.Chat.Message(s.channel, answer.ID); m.Content != "Warp." || labels(m) != row || len(s.model.Requests()) != 2 {
				t.Errorf("the answer reads %q with %q after %d requests, want %q, %q and 2", m.Content, labels(m), len(s.model.Requests()), "Warp.", row)
			}
		})
	}
}

func TestAModelThatFailsOnAnEditLeavesTheAnswerThatStands(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Warp."), openaitest.Fail(openaitest.Failure{Status: 401}), openaitest.Answer("Another one."))
	s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	answer := s.answer(s.channel, question, "Warp.")
	s.edit(question, s.mention("weft?"))
	s.asked(2)
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")}), "Another one.")
	if m, _ := s.discord.Chat.Message(s.channel, answer.ID); m.Content != "Warp." {
		t.Errorf("the answer reads %q, want %q", m.Content, "Warp.")
	}
}

func TestADeletedQuestionTakesItsAnswerBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	slow := openaitest.Answer("The beginning of an answer that nobody waits for any more.", " More.")
	slow.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(slow, openaitest.Answer("Here."))
	s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me")})
	s.begun(s.channel, question, "The beginning")
	s.discord.Chat.Delete(s.channel, question)
	if err := s.model.AwaitHangups(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Here.")
	if s.own() != 1 {
		t.Errorf("heddle has %d messages in the channel, want 1", s.own())
	}
}

func TestADeletedQuestionTakesBackWhatIsBeingSent(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]func(s *scene) (end func()){
		"Discord has made the message and not said so yet": func(s *scene) func() {
			gate := make(chan struct{})
			s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: gate})
			return func() { close(gate) }
		},
		"Discord's word that it has is lost": func(s *scene) func() {
			return s.discord.Faults.Inject(discordtest.Fault{
				Match: discordtest.On(discordtest.RouteCreateMessage), After: true, Cut: true, Times: -1,
			}).Remove
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			slow := openaitest.Answer("The beginning of an answer that nobody waits for any more.", " More.")
			slow.Chunks[1].Wait = make(chan struct{})
			s.model.Queue(slow, openaitest.Answer("Here."))
			s.start()
			end := strike(s)
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me")})
			s.begun(s.channel, question, "The beginning")
			s.discord.Chat.Delete(s.channel, question)
			if err := s.model.AwaitHangups(s.ctx, 1); err != nil {
				t.Fatal(err)
			}
			end()
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Here.")
			if s.own() != 1 {
				t.Errorf("heddle has %d messages in the channel, want 1", s.own())
			}
		})
	}
}

// graphs is an observer that receives the graph of every answer.
type graphs chan *graph.Graph

func (c graphs) Begins(_ graph.MessageID, g *graph.Graph, _ path.Built) { c <- g }
func (graphs) Made(*store.Response, *graph.Graph, path.Built)           {}
func (graphs) Shows([]graph.MessageID, store.ResponseID)                {}
func (graphs) Recorded(store.ResponseID)                                {}

func TestAnAnswerStaysBoundToTheVersionItWasMadeFrom(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("It is blue."), openaitest.Answer("It was."))
	began := make(graphs, 2)
	s.observer = began
	r := s.start()
	told := s.post(s.ann, discordtest.Draft{Content: "the warp is blue"})
	reply := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("what colour?")}), "It is blue.")
	s.edit(told, "the warp is red")
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("really?")}), "It was.")
	<-began
	g := <-began
	bound := slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return e.Kind != graph.EdgeVersion })
	if len(bound) != 1 || bound[0].From != told || bound[0].Bound != reply.ID {
		t.Errorf("the version edges are %+v, want one of them, From %v of the first and Bound %v of the first", bound, told, reply.ID)
	}
	if got := strings.Join(s.asked(2), "\n"); !strings.Contains(got, "the warp is red") || !strings.Contains(got, "It is blue.") {
		t.Errorf("the follow-up was asked with %q, want %q in it and %q in it", got, "the warp is red", "It is blue.")
	}
	if r.end(); r.status != cli.StatusDone {
		t.Errorf("heddle ended with status %d, want %d", r.status, cli.StatusDone)
	}
}
