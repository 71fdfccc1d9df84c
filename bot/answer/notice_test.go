package answer_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/internal/discord"
	"heddle/internal/openaitest"
)

func TestATruncatedAnswerSaysSo(t *testing.T) {
	s := newStage(t)
	cut := openaitest.Answer("As far as")
	cut.FinishReason = "length"
	id := s.Ask(s.Ann, "and?", cut)
	s.CheckSaid("As far as\n" + phrases.English("notice_truncated"))
	if kept := s.Record(id); kept.Notice != phrases.English("notice_truncated") || kept.Text != "As far as" {
		t.Errorf("recorded is %q with the notice %q, want %q and %q", kept.Text, kept.Notice, "As far as", phrases.English("notice_truncated"))
	}
}

// denied returns the job of answering a question where heddle may not read what was
// said before.
func (s *stage) denied(text string) answer.Question {
	q := s.Question(s.Say(s.Ann, text))
	q.Place.NoHistory = true
	return q
}

// TestTheDenialIsToldWithTheFirstAnswerThatShows leaves several questions without an
// answer that could tell.
func TestTheDenialIsToldWithTheFirstAnswerThatShows(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Reply{Status: 401}, openaitest.Answer("Yes."))
	s.Prepare(s.denied("prepared and never answered?"))
	if got := s.Give(s.denied("answered in vain?")); got != answer.Failed {
		t.Fatalf("the outcome is %q, want %q", got, answer.Failed)
	}
	s.Give(s.denied("answered?"))
	s.CheckSaid(phrases.English("model_misset"), "Yes.\n"+phrases.In().NoticeNoHistory(discord.PermissionReadHistory))
}

// TestTheDenialIsToldBelowAReusedAnswer has an answer of another channel serve.
func TestTheDenialIsToldBelowAReusedAnswer(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."))
	for _, told := range []string{phrases.In().NoticeNoHistory(discord.PermissionReadHistory), phrases.In().NoticeReused(0) + "\n" + phrases.In().NoticeNoHistory(discord.PermissionReadHistory)} {
		q := s.Aside(s.Ann, "2 + 2?")
		q.Place.NoHistory = true
		s.Give(q)
		if got := s.SaidIn(q.Channel); !slices.Equal(got, []string{"Four.\n" + told}) {
			t.Errorf("heddle says %q, want the notice %q", got, told)
		}
	}
}

func TestPeopleAreToldOnceThatTheHistoryIsDenied(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("One."), openaitest.Answer("Two."), openaitest.Answer("Three."), openaitest.Answer("Four."))
	s.Give(s.denied("one?"))
	if tail := s.Tail(); !strings.Contains(tail, phrases.ModelNoHistory) {
		t.Errorf("the model is told %q, want %q in it", tail, phrases.ModelNoHistory)
	}
	s.Give(s.denied("two?"))
	s.Give(s.Question(s.Say(s.Ann, "three?")))
	s.History.Gap(nil) // what was read is not held any more
	s.Give(s.denied("four?"))
	s.CheckSaid("One.\n"+phrases.In().NoticeNoHistory(discord.PermissionReadHistory), "Two.", "Three.", "Four.\n"+phrases.In().NoticeNoHistory(discord.PermissionReadHistory))
}
