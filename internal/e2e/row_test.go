package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestEveryAnswerHasARowAtNoCost asks once: the buttons come with the request that sends
// the answer.
func TestEveryAnswerHasARowAtNoCost(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Warp."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	s.standsIn(s.answer(s.channel, question, "Warp."), "Warp.", row)
	r.settled(s, question)
	if made, edited := s.discord.Record.Count(discordtest.RouteCreateMessage), s.discord.Record.Count(discordtest.RouteEditMessage); made != 1 || edited != 0 {
		t.Errorf("the answer took %d creates and %d edits, want 1 and 0", made, edited)
	}
}

// TestTheOperatorTakesTheButtonsAway compares the settings.
func TestTheOperatorTakesTheButtonsAway(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{"BUTTONS=alternatives": "↻ ◀ (2/2) (▶)", "BUTTONS=off": ""} {
		t.Run(environ, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("A joke about warps."), openaitest.Answer("A joke about wefts."))
			s.start(environ)
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("a joke?")})
			first := s.standsIn(s.answer(s.channel, question, "A joke about warps."), "A joke about warps.", "")
			again := s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID})
			s.standsIn(s.answer(s.channel, again, "A joke about wefts."), "A joke about wefts.", want)
		})
	}
}

// TestAnybodyAsksAnAnswerWhy presses the button that shows what the command in a
// message's menu shows, in the language of whoever presses, and after a restart.
func TestAnybodyAsksAnAnswerWhy(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Warp."))
	r := s.start()
	s.post(s.bob, discordtest.Draft{Content: "the warp is tight"})
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	answer := s.answer(s.channel, question, "Warp.")
	r.settled(s, question)
	why := func(who graph.UserID) string {
		t.Helper()
		id := s.press(who, answer, "Why?")
		told, err := s.discord.Interactions.Await(s.ctx, id, func(i discordtest.Interaction) bool {
			return len(i.Private) == 1 && i.Private[0].Content != ""
		})
		if err != nil || told.Answered != discordtest.AnswerMessageLater || len(told.Public) != 0 {
			t.Fatalf("the press is answered by %+v: %v, want Answered %v, none in Public and no error", told, err, discordtest.AnswerMessageLater)
		}
		return told.Private[0].Content
	}
	if told := why(s.bob); !strings.Contains(told, "**What this answer was made from**") || !strings.Contains(told, "the warp is tight") {
		t.Errorf("who asks why reads %q, want %q in it and %q in it", told, "**What this answer was made from**", "the warp is tight")
	}
	r.end()
	s.start()
	s.discord.People.SetLocale(s.ann, "de")
	if told := why(s.ann); !strings.Contains(told, "**Woraus diese Antwort entstand**") {
		t.Errorf("after a restart who asks why reads %q, want %q in it", told, "**Woraus diese Antwort entstand**")
	}
}

// TestNumbersAreRightWhereverTheyStand adds a third alternative below one of two
// messages that show the others.
func TestNumbersAreRightWhereverTheyStand(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	question, second := s.joked()
	first := s.answer(s.channel, question, "A joke about warps.")
	s.model.Queue(openaitest.Answer("A joke about looms."))
	s.press(s.bob, second, "↻")
	s.standsIn(second, "A joke about looms.", row+" ◀ (3/3) (▶)")
	s.standsIn(first, "A joke about warps.", row+" (◀) (1/3) ▶")
}
