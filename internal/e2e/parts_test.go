package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestAlternativesOfSeveralParts(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	three, one, two := long("warp", 3), "Short.", long("weft", 2)
	s.model.Queue(openaitest.Answer(three), openaitest.Answer(one), openaitest.Answer(two))
	s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me")})
	first := s.answer(s.channel, question, "warp")
	s.says(s.channel, "warp")
	again := s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID})
	answer := s.answer(s.channel, again, one)
	walk := func(last discordtest.Message, label, want, buttons string) discordtest.Message {
		t.Helper()
		s.press(s.bob, last, label)
		return s.standsAs(answer.ID, want, buttons)
	}
	last := s.standsAs(answer.ID, one, "Why? ↻ ⋯ ◀ (2/2) (▶)")
	last = walk(last, "◀", three, "Why? ↻ ⋯ (◀) (1/2) ▶")
	last = walk(last, "↻", two, "Why? ↻ ⋯ ◀ (3/3) (▶)")
	last = walk(last, "◀", one, "Why? ↻ ⋯ ◀ (2/3) ▶")
	last = walk(last, "◀", three, "Why? ↻ ⋯ (◀) (1/3) ▶")
	last = walk(last, "▶", one, "Why? ↻ ⋯ ◀ (2/3) ▶")
	walk(last, "▶", two, "Why? ↻ ⋯ ◀ (3/3) (▶)")
	if parts := s.partsOf(s.channel, answer.ID); len(parts) != 2 {
		t.Errorf("the answer stands in %d messages, want 2", len(parts))
	}
}

func TestTwoWhoPressAtOnceEndInATrueState(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	r := s.start()
	_, answer := s.joked()
	s.model.Queue(openaitest.Answer(long("loom", 2)))
	s.press(s.ann, answer, "↻")
	last := s.standsAs(answer.ID, long("loom", 2), "Why? ↻ ⋯ ◀ (3/3) (▶)")
	s.press(s.ann, last, "◀")
	middle := s.standsAs(answer.ID, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	back := s.press(s.ann, middle, "◀")
	on := s.press(s.bob, middle, "▶")
	for _, id := range []discordtest.InteractionID{back, on} {
		if _, err := s.discord.Interactions.Await(s.ctx, id, func(i discordtest.Interaction) bool { return i.Answered != 0 }); err != nil {
			t.Fatal(err)
		}
	}
	r.end() // what is under way ends
	parts := s.partsOf(s.channel, answer.ID)
	shown, err := s.stored().Responses.ByReplies(s.ctx, s.scope(), []graph.MessageID{answer.ID})
	if text := strings.Join(parts, "\n"); err != nil || shown[answer.ID].Text != text {
		t.Errorf("the answer reads %q and is kept as %q, %v, want the same text and no error", text, shown[answer.ID].Text, err)
	}
}

func TestFilesSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.start()
	_, answer := s.joked()
	text := long("over", 2)
	s.model.Queue(call("create_artifact", `{"title":"Our pattern","file_name":"pattern.md","content":"# Over, under"}`), openaitest.Answer(text))
	s.press(s.ann, answer, "↻")
	last := s.standsAs(answer.ID, text, "Why? ↻ ⋯ ◀ (3/3) (▶)")
	if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
		return m.ID == last.ID && len(m.Attachments) == 1 && m.Attachments[0].Name == "pattern.md" && len(m.Buttons()) == 6
	}); err != nil {
		t.Fatalf("the file is not there: %v", err)
	}
	s.press(s.bob, last, "◀")
	last = s.standsAs(answer.ID, "A joke about wefts.\n-# Files of answer 3: pattern.md.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	if len(last.Attachments) != 1 || last.ID == answer.ID {
		t.Errorf("the file is gone, or lies elsewhere: %+v, want one in Attachments and ID not %v", last, answer.ID)
	}
	middle := long("under", 3)
	s.model.Queue(openaitest.Answer(middle))
	s.press(s.ann, last, "↻")
	last = s.standsAs(answer.ID, middle+"\n-# Files of answer 3: pattern.md.", "Why? ↻ ⋯ ◀ (4/4) (▶)")
	s.press(s.bob, last, "◀")
	last = s.standsAs(answer.ID, text, "Why? ↻ ⋯ ◀ (3/4) ▶")
	if len(last.Attachments) != 1 {
		t.Errorf("the file is gone: %+v, want one in Attachments", last)
	}
}

func TestAnEditTakesThePlaceOfAllPartsThatStand(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.model.Queue(openaitest.Answer("Four."), openaitest.Answer(long("four", 2)), openaitest.Answer("Nine."))
	s.start()
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "Four.")
	thread := s.thread("sums")
	question := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	reused := s.answer(thread, question, "Answered before")
	s.press(s.ann, reused, "↻")
	s.standsInParts(thread, reused.ID, long("four", 2), "Why? ↻ ⋯ ◀ (2/2) (▶)")
	if err := s.discord.Chat.Edit(thread, question, s.mention("3 * 3?")); err != nil {
		t.Fatal(err)
	}
	s.standsInParts(thread, reused.ID, "Nine.", row)
}
