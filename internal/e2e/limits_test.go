package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// overPerson is what somebody is told who may ask no more.
const overPerson = "as much as one person may"

// refused waits until heddle says, in place of an answer, when it will answer the author
// again.
func (s *screen) refused(trigger graph.MessageID) {
	s.t.Helper()
	m := s.answer(s.channel, trigger, overPerson)
	if !strings.Contains(m.Content, "<t:") || !strings.HasSuffix(m.Content, ":R>.") {
		s.t.Errorf("heddle does not say when it goes on: %q, want %q in it and %q at its end", m.Content, "<t:", ":R>.")
	}
}

// ask has somebody mention heddle in the scene's channel.
func (p *people) ask(author graph.UserID, text string) graph.MessageID {
	p.t.Helper()
	return p.post(author, discordtest.Draft{Content: p.mention(text)})
}

// TestAPersonsLimitHoldsForMentionsEditsAndAgain has Ann use up four requests in
// different ways. A fifth is refused, before and after a restart. Bob is still answered.
func TestAPersonsLimitHoldsForMentionsEditsAndAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.environ = append(s.environ, "LIMIT_PERSON=4 requests/day", "TOOLS=off")
	r := s.start()
	_, second := s.joked() // a mention, and "again"
	s.model.Queue(openaitest.Answer("A joke about looms."))
	s.press(s.ann, second, "↻")
	s.answer(s.channel, second.Reference.Message, "A joke about looms.")
	s.model.Queue(openaitest.Answer("Indigo."), openaitest.Answer("Bob's."), openaitest.Answer("Bob's."))
	asked := s.ask(s.ann, "which colour?")
	s.answer(s.channel, asked, "Indigo.")
	s.refused(s.ask(s.ann, "which thread?"))
	changed, _ := s.discord.Chat.Message(s.channel, second.ID)
	s.ephemeral(s.press(s.ann, changed, "↻"), overPerson)
	s.answer(s.channel, s.ask(s.bob, "and I?"), "Bob's.")
	s.edit(asked, s.mention("which shuttle?"))
	r.end()
	s.start()
	s.refused(s.ask(s.ann, "which warp?"))
	s.answer(s.channel, s.ask(s.bob, "and still I?"), "Bob's.")
	if m, _ := s.discord.Chat.Message(s.channel, second.ID); !strings.Contains(m.Content, "A joke about looms.") {
		t.Errorf("the answer that stood now reads %q, want %q in it", m.Content, "A joke about looms.")
	}
	if n := len(s.model.Requests()); n != 6 {
		t.Errorf("the model was asked %d times, want 4 times for Ann and twice for Bob", n)
	}
}

// TestARoleHasALimitOfItsOwn is about Ann, whose role may ask twice as much as anybody else.
// /heddle limits shows each of them what holds for them.
func TestARoleHasALimitOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	role := s.discord.World.AddRole(s.guild, "weavers", 0, false)
	s.discord.People.GrantRole(s.guild, s.ann, role)
	s.always(openaitest.Answer("Indigo."))
	s.start("LIMIT_PERSON=1 requests/day", "LIMIT_ROLES="+role.String()+": 2 requests/day")
	for _, who := range []graph.UserID{s.ann, s.ann, s.bob} {
		s.answer(s.channel, s.ask(who, "which colour?"), "Indigo.")
	}
	s.refused(s.ask(s.bob, "and now?"))
	s.refused(s.ask(s.ann, "and now?"))
	s.runs(s.ann, "heddle limits", nil, "- you: 2 of 2 answers today")
	s.runs(s.bob, "heddle limits", nil, "- you: 1 of 1 answers today")
}

// TestLimitsAreSharedByProcesses lets three processes answer from one Redis.
func TestLimitsAreSharedByProcesses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ limit, words string }{
		"a channel's":  {"LIMIT_CHANNEL=5 requests/day", "I have answered as much in this channel"},
		"a server's":   {"LIMIT_GUILD=5 requests/day", "I have answered as much in this server"},
		"everybody's":  {"LIMIT_ALL=5 requests/day", "I have answered as much as I may"},
		"in tokens":    {"LIMIT_ALL=50000 tokens/day", "I have answered as much as I may"},
		"of one's own": {"LIMIT_ROLES=1: off", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.environ = append(s.environ, "REDIS_URL="+s.redis().URL(), test.limit, "TOOLS=off")
			reply := openaitest.Answer("Yes.")
			reply.Usage = &openaitest.Usage{Prompt: 9_000, Completion: 1_000}
			s.always(reply)
			for range 3 {
				s.start()
			}
			var answered, refused int
			for i := range 8 {
				somebody := s.discord.People.AddUser("person "+string(rune('a'+i)), s.guild)
				m := s.answer(s.channel, s.ask(somebody, "question "+string(rune('a'+i))+"?"), "")
				switch {
				case strings.HasPrefix(m.Content, "Yes."):
					answered++
				case test.words != "" && strings.HasPrefix(m.Content, test.words):
					refused++
				default:
					t.Errorf("heddle says %q, want an answer or a refusal", m.Content)
				}
			}
			want := 5
			if test.words == "" {
				want = 8
			}
			if answered != want || refused != 8-want || len(s.model.Requests()) != want {
				t.Errorf("%d questions were answered, %d refused, by %d requests to the model, want %d, %d and %d", answered, refused, len(s.model.Requests()), want, 8-want, want)
			}
		})
	}
}

// TestAFloodOverALimitIsToldOnce has Ann and Bob ask far more than they may. Each gets
// one sentence about it in each channel.
func TestAFloodOverALimitIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	r := s.start("LIMIT_PERSON=1 requests/day", "TOOLS=off")
	elsewhere := s.thread("elsewhere")
	var last graph.MessageID
	for _, person := range []graph.UserID{s.ann, s.bob} {
		s.answer(s.channel, s.ask(person, "may I?"), "Yes.")
		s.refused(s.ask(person, "may I once more?"))
		for i := range 20 {
			last = s.ask(person, fmt.Sprintf("and %d?", i))
		}
		s.answer(elsewhere, s.postIn(elsewhere, person, discordtest.Draft{Content: s.mention("and here?")}), overPerson)
	}
	r.settled(s, last)
	told := 0
	for _, m := range s.discord.Chat.Messages(s.channel) {
		if m.Author == s.heddle.User && strings.Contains(m.Content, overPerson) {
			told++
		}
	}
	if told != 2 || s.own() != 4 {
		t.Errorf("of %d messages of heddle's %d tell of the limit, want 2 of 4", s.own(), told)
	}
	s.askedTimes(2)
}

// TestAnEditOverALimitIsTold edits a question when its author may ask no more.
func TestAnEditOverALimitIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Indigo."))
	s.start("LIMIT_PERSON=1 requests/day", "TOOLS=off")
	asked := s.ask(s.ann, "which colour?")
	answer := s.answer(s.channel, asked, "Indigo.")
	s.edit(asked, s.mention("which shuttle?"))
	s.refused(asked)
	s.standsIn(answer, "Indigo.", labels(answer))
	s.edit(asked, s.mention("which warp?"))
	s.answer(s.channel, s.ask(s.bob, "and I?"), "Indigo.") // answered after the edit, about which Ann is not told again
	if n := s.own(); n != 3 {
		t.Errorf("heddle says %d things, want an answer to each and one sentence about the limit", n)
	}
}

// TestNoAnswerTakesMoreThanItMay has a model that asks eight helpers at a time, again
// and again. What one answer may take then bounds all requests that it leads to.
func TestNoAnswerTakesMoreThanItMay(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	seen := make(chan int, 200)
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		const bytesPerToken = 4
		usage := openaitest.Usage{Prompt: len(r.Body) / bytesPerToken, Completion: 1_500}
		seen <- usage.Prompt + usage.Completion
		reply := openaitest.Answer("All of it.")
		if len(r.Chat.Tools) > 0 && !strings.Contains(string(r.Body), "answer now with what there is") {
			var calls []openaitest.ToolCall
			for i := range 8 {
				task := strings.Repeat("work through this, ", 300) + string(rune('a'+i)) + string(rune('a'+len(seen)))
				calls = append(calls, openaitest.ToolCall{ID: "c" + string(rune('a'+i)), Name: "ask_subagent", Arguments: `{"task":"` + task + `"}`})
			}
			reply = openaitest.Call(calls...)
		}
		reply.Usage = &usage
		return &reply
	})
	s.start()
	if m := s.answer(s.channel, s.ask(s.ann, "think it through?"), ""); m.Content != "All of it." {
		t.Errorf("heddle says %q, want %q", m.Content, "All of it.")
	}
	const most = 228_000 // 100,000 for tools, and eight times TOKEN_BUDGET
	sum, requests := 0, len(seen)
	for range requests {
		sum += <-seen
	}
	if sum > most || requests < 5 {
		t.Errorf("an answer took %d requests and %d tokens, want %d at most", requests, sum, most)
	}
	t.Logf("%d requests took %d of %d tokens", requests, sum, most)
}

// TestLimitsBeginAnewByDiscordsTime limits Ann on a machine whose clock is wrong by two
// hours. She is told a time within the next hour of Discord's.
func TestLimitsBeginAnewByDiscordsTime(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": 2 * time.Hour, "behind": -2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &discordtest.Clock{}
			clock.Advance(-ahead)
			s := newScene(t, discordtest.Options{Clock: clock.Now})
			s.environ = append(s.environ, "LIMIT_PERSON=1 requests/hour", "TOOLS=off")
			s.always(openaitest.Answer("Yes."))
			s.start()
			for range 20 {
				told := s.answer(s.channel, s.ask(s.ann, "are you there?"), "")
				_, when, refused := strings.Cut(told.Content, "<t:")
				if !refused {
					continue // the first one, or one in another hour
				}
				unix, err := strconv.ParseInt(strings.TrimSuffix(when, ":R>."), 10, 64)
				if left := time.Unix(unix, 0).Sub(clock.Now()); err != nil || left < -time.Minute || left > time.Hour+time.Minute {
					t.Errorf("she may ask again in %s: %q, %v, want at least %s, at most %s and no error", left, told.Content, err, -time.Minute, time.Hour+time.Minute)
				}
				return
			}
			t.Error("she is never refused")
		})
	}
}
