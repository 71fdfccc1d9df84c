package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAThreadDeletedInTheMidstOfAnAnswerEndsIt deletes a thread while its answer grows.
// Nothing is said elsewhere instead, and its parent is answered as ever.
func TestAThreadDeletedInTheMidstOfAnAnswerEndsIt(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft across it.")
	reply.Chunks[1].Wait = gate
	s.model.Queue(reply)
	s.always(openaitest.Answer("Here."))
	r := s.start()
	thread := s.thread("looms")
	question := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
	s.begun(thread, question, "The warp is what runs lengthwise")
	s.discord.World.DeleteChannel(thread)
	close(gate)
	if err := r.logs.await(s.ctx, `is done" trigger=`+question.String()); err != nil {
		t.Fatal(err)
	}
	s.wholeAnswer(s.ask(s.bob, "are you there?"), "Here.")
	if n := s.own(); n != 1 {
		t.Errorf("%d messages of heddle's stand in the parent, want only the answer that was asked for there", n)
	}
	if strings.Contains(r.logs.String(), "level=ERROR") {
		t.Error("the log holds an error, want none as people may delete threads")
	}
}

// unavailable has Discord lose the scene's guild to an outage, in which it sends no events of
// it, and returns a function that ends the outage.
func (s *scene) unavailable() (back func()) {
	s.t.Helper()
	remove := s.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		if e.Name == "GUILD_DELETE" {
			e.Data = json.RawMessage(`{"id":"` + s.guild.String() + `","unavailable":true}`)
		}
		return []discordtest.Event{e}
	})
	s.discord.People.Leave(s.guild, s.heddle.User)
	remove()
	return func() { s.discord.People.Join(s.guild, s.heddle.User) }
}

// TestAGuildThatIsUnavailableInTheMidstOfAnAnswerGetsAllAnswers lets a guild be unavailable
// while one answer grows. A question from the time of the outage is answered after it.
func TestAGuildThatIsUnavailableInTheMidstOfAnAnswerGetsAllAnswers(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	gate := make(chan struct{})
	reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft across it.")
	reply.Chunks[1].Wait = gate
	s.model.Queue(reply)
	s.always(openaitest.Answer("The warp is what runs lengthwise in a loom, and the weft across it."))
	s.start()
	grows := s.ask(s.ann, "what is a warp?")
	s.begun(s.channel, grows, "The warp is what runs lengthwise")
	back := s.unavailable()
	missed := s.ask(s.bob, "and what is a weft?")
	close(gate)
	back()
	s.wholeAnswer(grows, "The warp is what runs lengthwise in a loom, and the weft across it.")
	s.wholeAnswer(missed, "The warp is what runs lengthwise in a loom, and the weft across it.")
}

// TestQuestionsThatAreEditedIntoEachOther swaps the texts of two questions while the first
// is answered and the second waits. Each has one answer in the end, to what it now says.
func TestQuestionsThatAreEditedIntoEachOther(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	gate := make(chan struct{})
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		texts := textsOf(r)
		last := texts[len(texts)-1]
		answer := openaitest.Answer("Lengthwise, ", "as threads of the warp run.")
		if strings.Contains(last, "weft?") && !strings.Contains(last, "warp?") {
			answer = openaitest.Answer("Across, ", "as threads of the weft run.")
		}
		answer.Chunks[1].Wait = gate
		return &answer
	})
	s.start()
	first := s.ask(s.ann, "how runs the warp?")
	s.begun(s.channel, first, "Lengthwise")
	second := s.ask(s.bob, "how runs the weft?")
	s.edit(first, s.mention("how runs the weft?"))
	s.edit(second, s.mention("how runs the warp?"))
	close(gate)
	s.wholeAnswer(first, "Across, as threads of the weft run.")
	s.wholeAnswer(second, "Lengthwise, as threads of the warp run.")
}
