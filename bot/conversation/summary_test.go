package conversation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// tightBudget is how many words a request may take.
const tightBudget = 800

// tight is the roomtest.Choice of a budget that is soon used up.
func tight(summaries bool) roomtest.Choice {
	return func(c *roomtest.Parts) {
		c.Conversation.Budget, c.Conversation.Count, c.Conversation.Summaries = tightBudget, words, summaries
	}
}

// words counts a turn's words, as tokens that tests can count too.
func words(_ context.Context, turn path.Turn) int { return len(strings.Fields(turn.PlainText())) }

// talk fills a conversation beyond its budget: Ann asks on, and heddle answers at
// length. It returns the questions.
func (s *stage) talk(from, to int) []graph.MessageID {
	s.T.Helper()
	var questions []graph.MessageID
	for n := from; n <= to; n++ {
		draft := discordtest.Draft{Content: fmt.Sprintf("fact %d: %s", n, strings.Repeat("weave ", 20))}
		if n > 1 {
			draft.ReplyTo = s.Last().ID
		}
		questions = append(questions, s.AskWith(s.Ann, draft))
	}
	return questions
}

// condensing lets the model summarise with summary, and answer everything else.
func (s *stage) condensing(summary openaitest.Reply) {
	s.Script(func(r openaitest.Request) openaitest.Reply {
		if isSummary(r) {
			return summary
		}
		return openaitest.Answer("Noted. " + strings.Repeat("Weaving goes on. ", 10))
	})
}

// isSummary reports whether the model was asked for a summary.
func isSummary(r openaitest.Request) bool {
	return strings.Contains(r.Chat.Messages[0].Text(), phrases.ModelSummary)
}

// requests returns what the model was asked for summaries and for answers.
func (s *stage) requests() (summaries, answers [][]string) {
	for _, r := range s.Model.Requests() {
		if isSummary(r) {
			summaries = append(summaries, roomtest.Texts(r))
		} else {
			answers = append(answers, roomtest.Texts(r))
		}
	}
	return summaries, answers
}

const summaryLabel = "[heddle: summary of older messages, which are left out here]\n"

// TestNoRequestExceedsTheBudget counts what was sent in words.
func TestNoRequestExceedsTheBudget(t *testing.T) {
	s := newStage(t, tight(true))
	s.condensing(openaitest.Answer(strings.Repeat("fact ", 3*tightBudget)))
	s.talk(1, 16)
	summaries, answers := s.requests()
	if len(summaries) < 2 {
		t.Fatalf("there were %d summaries, want at least 2", len(summaries))
	}
	for kind, requests := range map[string][][]string{"summary": summaries, "answer": answers} {
		for i, asked := range requests {
			// Labels and ages are written around what is counted.
			if n := len(strings.Fields(strings.Join(asked, " "))); n > tightBudget+8*len(asked) {
				t.Errorf("the request for %s %d takes %d words of %d, want at most %d", kind, i+1, n, tightBudget, tightBudget+8*len(asked))
			}
		}
	}
	if asked := answers[len(answers)-1][1]; !strings.HasPrefix(asked, summaryLabel) || len(strings.Fields(asked)) > tightBudget/8+12 {
		t.Errorf("a summary takes %d words of a path, want at most %d and its label", len(strings.Fields(asked)), tightBudget/8+12)
	}
}

func TestASummaryThatFailsCostsOnlyItself(t *testing.T) {
	cut := openaitest.Answer("Ann told")
	cut.FinishReason = "length"
	for name, summary := range map[string]openaitest.Reply{"refused": {Status: 401}, "cut off": cut, "empty": {FinishReason: "stop"}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, tight(true))
			s.condensing(summary)
			questions := s.talk(1, 12)
			summaries, answers := s.requests()
			if len(summaries) == 0 || len(answers) != 12 {
				t.Errorf("there were %d summaries and %d answers, want more than 0 and 12", len(summaries), len(answers))
			}
			if r := s.Record(questions[11]); r.Summary != 0 || r.Dropped == 0 {
				t.Errorf("recorded is the summary %s of %d messages, want 0 and more than 0", r.Summary, r.Dropped)
			}
			if said := strings.Join(s.SaidIn(s.Channel), "\n"); !strings.Contains(said, phrases.English("notice_left_out")) || strings.Contains(said, phrases.English("notice_summary")) {
				t.Errorf("people are told %q, want %q in it and no %q in it", said, phrases.English("notice_left_out"), phrases.English("notice_summary"))
			}
		})
	}
}

// TestASummaryServesItsOwnMessagesAlone holds the same conversation in two channels.
func TestASummaryServesItsOwnMessagesAlone(t *testing.T) {
	s := newStage(t, tight(true))
	s.condensing(openaitest.Answer("Ann told facts."))
	s.talk(1, 16)
	made, _ := s.requests()
	s.Channel = s.Discord.World.AddChannel(s.Guild, discordtest.ChannelDraft{Name: "elsewhere"})
	s.Event("CHANNEL_CREATE", fmt.Sprintf(`{"id":"%d","guild_id":"%d","type":0}`, s.Channel, s.Guild))
	questions := s.talk(1, 16)
	if all, _ := s.requests(); len(made) < 2 || len(all) != 2*len(made) {
		t.Fatalf("of %d summaries for each channel %d were asked for, want %d", len(made), len(all), 2*len(made))
	}
	id := s.Record(questions[15]).Summary
	s.Forget(questions[:1])
	if _, found, err := s.Store.Responses.Summary(s.Context(), s.Scope(), id); found || err != nil {
		t.Errorf("a summary outlives a message of the conversation that it stands in: %t, %v, want false and no error", found, err)
	}
}

// TestAnotherAnswerNeedsNoOtherSummary asks again where a checkpoint was.
func TestAnotherAnswerNeedsNoOtherSummary(t *testing.T) {
	s := newStage(t, tight(true))
	s.condensing(openaitest.Answer("Ann told facts."))
	for n := 1; ; n++ {
		s.talk(n, n)
		summaries, _ := s.requests()
		if len(summaries) == 0 {
			continue
		}
		errtest.Must(s.With(tight(true)).Again(s.Last().ID))(t)
		if s.Asked()[1] != summaryLabel+"Ann told facts." {
			t.Errorf("another answer is asked with %q, want %q", s.Asked()[1], summaryLabel+"Ann told facts.")
		}
		if again, _ := s.requests(); len(again) != 1 {
			t.Errorf("%d summaries were asked for, want 1", len(again))
		}
		return
	}
}

// TestAskingAgainSummarisesNothing asks for another answer each time before the
// conversation goes on: "again" itself is about another path.
func TestAskingAgainSummarisesNothing(t *testing.T) {
	s := newStage(t, tight(true))
	s.condensing(openaitest.Answer("Ann told facts."))
	s.talk(1, 1)
	for n := 2; n <= 12; n++ {
		again := s.Post(s.Ann, discordtest.Draft{Content: "again" + strings.Repeat(" @all", 30), ReplyTo: s.Last().ID})
		before, _ := s.requests()
		s.Prepare(s.Question(again))
		if after, _ := s.requests(); len(after) != len(before) {
			t.Fatalf("before question %d a summary was asked for, want none", n)
		}
		s.Delete(again)
		s.talk(n, n)
	}
	if summaries, _ := s.requests(); len(summaries) == 0 {
		t.Error("no summary was asked for at all")
	}
}

// TestASummaryThatIsSwitchedOffIsOnNoPath goes on without summaries where there was one.
func TestASummaryThatIsSwitchedOffIsOnNoPath(t *testing.T) {
	s := newStage(t, tight(false))
	s.condensing(openaitest.Answer("Ann told facts."))
	without := s.Answers
	s.Answers = s.With(tight(true)).Answers
	s.talk(1, 16)
	made, _ := s.requests()
	s.Answers = without
	next := s.Post(s.Ann, discordtest.Draft{Content: "and?", ReplyTo: s.Last().ID})
	if p := errtest.Must(s.Conversations.Preview(s.Context(), s.Question(next).Question, conversation.Offered{}))(t); p.IsSummarised() {
		t.Error("an answer would be made from a summary, want none")
	}
	s.talk(17, 24)
	if asked := s.Asked(); strings.HasPrefix(asked[1], summaryLabel) {
		t.Errorf("the model is asked %q, want no summary", asked)
	}
	if all, _ := s.requests(); len(made) == 0 || len(all) != len(made) {
		t.Errorf("%d summaries were asked for with them and %d without, want some and none", len(made), len(all)-len(made))
	}
}

// TestASummaryIsNotGivenOnOnceSomebodyInItOptedOut goes on after Bob, whose words are in a
// summary, has opted out.
func TestASummaryIsNotGivenOnOnceSomebodyInItOptedOut(t *testing.T) {
	s := newStage(t, tight(true))
	s.condensing(openaitest.Answer("Bob told facts."))
	s.Say(s.Bob, "the warp is blue")
	s.talk(1, 16)
	if asked := s.Asked(); asked[1] != summaryLabel+"Bob told facts." {
		t.Fatalf("the model is asked %q, want a summary second", asked)
	}
	errtest.None(t, s.People.OptOut(s.Context(), s.Bob))
	s.follow("and?", "No.")
	if asked := strings.Join(s.Asked(), "\n"); strings.Contains(asked, "Bob told facts.") {
		t.Errorf("after bob opted out the model is asked %q, want no summary of his words", asked)
	}
}

// TestASummaryNamesWhoeverIsInTheOneBeforeIt has Bob's words in a summary. The next is made
// from that one, and from what Ann said before heddle answered anybody.
func TestASummaryNamesWhoeverIsInTheOneBeforeIt(t *testing.T) {
	s := newStage(t, tight(true))
	s.condensing(openaitest.Answer("Bob told facts."))
	s.Say(s.Bob, "the warp is blue")
	for range 14 {
		s.Say(s.Ann, strings.Repeat("weave ", 40))
	}
	ids := s.talk(1, 4)
	first, last := s.Record(ids[0]).Summary, s.Record(ids[3]).Summary
	second, found, err := s.Store.Responses.Summary(s.Context(), s.Scope(), last)
	if err != nil || !found || first == 0 || second.Summary != first {
		t.Fatalf("the last summary is made from %s, %t, %v, want it made from the first, %s", second.Summary, found, err, first)
	}
	if !slices.ContainsFunc(second.Sources, func(made store.SourceRef) bool { return made.Author == s.Bob }) {
		t.Errorf("a summary that is made from one of bob's words has the sources %+v, want bob among them", second.Sources)
	}
}
