package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestAMentionIsAnsweredFromItsConversation(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.said(time.Minute, "ann: the loom is stuck", "bob: which one?", "ann: the big one")
	s.model.Queue(openaitest.Answer("Oil the ", "treadles."))
	s.start()

	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what now?")})

	answer := s.answer(s.channel, trigger, "Oil the treadles.")
	if answer.Content != "Oil the treadles." {
		t.Errorf("the answer reads %q, want %q", answer.Content, "Oil the treadles.")
	}
	if !answer.Pings().None() {
		t.Errorf("the answer pinged %+v, want None() true", answer.Pings())
	}
	want := []string{
		"user: [speaker: ann]\nthe loom is stuck", "user: [speaker: bob]\nwhich one?",
		"user: [speaker: ann]\nthe big one", "user: [speaker: ann]\n@heddle what now?",
	}
	if got := s.asked(1); !slices.Equal(got, want) {
		t.Errorf("the model was asked\n%q, want\n%q", got, want)
	}
}

func TestAReplyPullsAnOldMessageAndItsNeighboursIn(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	long := time.Now().Add(-90 * 24 * time.Hour)
	var drafts []discordtest.Draft
	for i, text := range []string{"the recipe:", "two parts warp", "one part weft"} {
		drafts = append(drafts, discordtest.Draft{Author: s.bob, Content: text, At: long.Add(time.Duration(i) * time.Minute)})
	}
	for i := range 300 {
		drafts = append(drafts, discordtest.Draft{Author: s.bob, Content: "chatter", At: long.Add(time.Duration(i+1) * 6 * time.Hour)})
	}
	ids, err := s.discord.Chat.Backfill(s.channel, drafts)
	if err != nil {
		t.Fatal(err)
	}
	s.model.Queue(openaitest.Answer("Three parts in all."))
	s.start("MIN_LINEAR=2")

	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("how many parts?"), ReplyTo: ids[1]})

	s.answer(s.channel, trigger, "Three parts in all.")
	got := s.asked(1)
	for _, want := range []string{"the recipe:", "two parts warp", "one part weft"} {
		if !slices.Contains(got, "user: [speaker: bob]\n"+want) {
			t.Errorf("%q is not in the context %q, want %q among them", want, got, "user: [speaker: bob]\n"+want)
		}
	}
	if reads := s.discord.Record.Count(discordtest.RouteMessages); reads > 2 {
		t.Errorf("a cold channel with one old reference took %d reads, want 2 at most", reads)
	}
}

func TestHeddlesOwnAnswersStayInTheConversation(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	long := "Start.\n```go\n" + strings.Repeat("fmt.Println(\"warp and weft\")\n", 120) + "```\nEnd."
	s.model.Queue(openaitest.Answer(long), openaitest.Answer("Gladly."))
	s.start()

	s.post(s.ann, discordtest.Draft{Content: s.mention("write a program")})
	last := s.says(s.channel, "End.")
	second := s.post(s.bob, discordtest.Draft{Content: "and explain it", ReplyTo: last.ID})

	s.answer(s.channel, second, "Gladly.")
	want := []string{"user: [speaker: ann]\n@heddle write a program", "assistant: " + long, "user: [speaker: bob]\nand explain it"}
	if got := s.asked(2); !slices.Equal(got, want) {
		t.Errorf("the follow-up was asked with\n%q, want\n%q", got, want)
	}
	if reads := s.discord.Record.Count(discordtest.RouteMessages); reads > 1 {
		t.Errorf("two mentions took %d reads, want 1 for the cold channel and 0 for the warm", reads)
	}
}

func TestAnEqualPathIsAnsweredFromTheStore(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."), openaitest.Answer("Bob: four."))
	s.start()
	thread := func() graph.ChannelID {
		id, err := s.discord.World.AddThread(s.channel, s.ann, discordtest.ThreadDraft{Name: "sums"})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	ask := func(who graph.UserID) discordtest.Message {
		in := thread()
		return s.answer(in, s.postIn(in, who, discordtest.Draft{Content: s.mention("2 + 2?")}), "our.")
	}

	ask(s.ann)
	again := ask(s.ann)
	if want := givenAgain("Four."); !want.MatchString(again.Content) {
		t.Errorf("the second answer reads %q, want %s", again.Content, want)
	}
	if !again.Edited.IsZero() {
		t.Errorf("the reused answer was edited at %s, want it sent whole", again.Edited)
	}
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("an equal path asked the model %d times, want once", got)
	}
	if other := ask(s.bob); other.Content != "Bob: four." {
		t.Errorf("somebody else's question was answered with %q, want %q", other.Content, "Bob: four.")
	}
}

func TestTwoQuestionsInARowAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	first := openaitest.Answer("Red.")
	first.Wait = gate
	s.model.Queue(first, openaitest.Answer("Blue."))
	s.start()

	one := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	s.asked(1)
	two := s.post(s.bob, discordtest.Draft{Content: s.mention("weft?")})
	close(gate)

	s.answer(s.channel, one, "Red.")
	s.answer(s.channel, two, "Blue.")
	want := []string{"user: [speaker: ann]\n@heddle warp?", "assistant: Red.", "user: [speaker: bob]\n@heddle weft?"}
	if got := s.asked(2); !slices.Equal(got, want) {
		t.Errorf("the second question was asked with %q, want %q", got, want)
	}
}

func TestOneChannelDoesNotWaitForAnother(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	other := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "other"})
	gate := make(chan struct{})
	slow := openaitest.Answer("Slow.")
	slow.Wait = gate
	s.model.Queue(slow, openaitest.Answer("Quick."))
	s.start()

	one := s.post(s.ann, discordtest.Draft{Content: s.mention("slowly")})
	s.asked(1)
	two := s.postIn(other, s.bob, discordtest.Draft{Content: s.mention("quickly")})
	s.answer(other, two, "Quick.")
	close(gate)
	s.answer(s.channel, one, "Slow.")
}

func TestEditsAndDeletionsBeforeTheMentionCount(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("First."), openaitest.Answer("Second."))
	s.start()
	edited := s.post(s.ann, discordtest.Draft{Content: "the warp is bule"})
	deleted := s.post(s.bob, discordtest.Draft{Content: "my password is swordfish"})
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("one")}), "First.")

	if err := s.discord.Chat.Edit(s.channel, edited, "the warp is blue"); err != nil {
		t.Fatal(err)
	}
	s.discord.Chat.Delete(s.channel, deleted)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("two")}), "Second.")

	got := strings.Join(s.asked(2), "\n")
	if !strings.Contains(got, "the warp is blue") || strings.Contains(got, "bule") {
		t.Errorf("the edit is not in the context: %q, want %q in it and no %q in it", got, "the warp is blue", "bule")
	}
	if strings.Contains(got, "swordfish") {
		t.Errorf("a deleted message is in the context: %q, want no %q in it", got, "swordfish")
	}
}

func TestStoppingEndsAnAnswerCleanly(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	reply := openaitest.Answer("This is the beginning of a long answer, ", "and this is its end.")
	reply.Chunks[1].Wait = gate
	s.model.Queue(reply)
	heddle := s.start()

	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me")})
	s.begun(s.channel, trigger, "This is the beginning")
	heddle.stop()
	close(gate)
	<-heddle.ended
	answers := s.answersOf(s.channel)[trigger]
	if want := "This is the beginning of a long answer, and this is its end."; len(answers) != 1 || answers[0].Content != want || heddle.status != cli.StatusDone {
		t.Errorf("stopped with status %d in the middle of an answer that then reads %+v, want %q", heddle.status, answers, want)
	}
}

func TestAMentionMadeWhileHeddleWasAwayIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("I was away."), openaitest.Answer("Again!"))
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("anybody there?")})
	for range 2 {
		heddle := s.start()
		s.answer(s.channel, trigger, "I was away.")
		heddle.stop()
		<-heddle.ended
	}
	later := s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")})
	s.start()
	s.answer(s.channel, later, "Again!")
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("two mentions asked the model %d times over three starts, want 2", got)
	}
}

func TestALongThreadKeepsItsStarter(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	starter := s.said(time.Minute, "bob: shall we dye the wool red?")[0]
	thread, err := s.discord.World.AddThread(s.channel, s.ann, discordtest.ThreadDraft{Name: "dye", Starter: starter})
	if err != nil {
		t.Fatal(err)
	}
	drafts := make([]discordtest.Draft, 150)
	for i := range drafts {
		drafts[i] = discordtest.Draft{Author: s.ann, Content: "hm", At: time.Now().Add(time.Duration(i-200) * time.Second)}
	}
	if _, err := s.discord.Chat.Backfill(thread, drafts); err != nil {
		t.Fatal(err)
	}
	s.model.Queue(openaitest.Answer("Blue."))
	s.start()

	trigger := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("which colour?")})
	s.answer(thread, trigger, "Blue.")
	if got := s.asked(1); !slices.Contains(got, "user: [speaker: bob]\nshall we dye the wool red?") {
		t.Errorf("the message that the thread started from is not in %q, want %q among them", got, "user: [speaker: bob]\nshall we dye the wool red?")
	}
}

// TestACharacterThatIsSplitBetweenEventsIsWhole has the model's provider cut its text
// between the halves of a surrogate pair.
func TestACharacterThatIsSplitBetweenEventsIsWhole(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	reply := openaitest.Answer("Warm")
	for _, half := range []string{`\ud83d`, `\ude00`, `\ud83e`, `\uddf5.`} {
		reply.Chunks = append(reply.Chunks, openaitest.Chunk{Raw: openaitest.Event(`{"choices":[{"index":0,"delta":{"content":"` + half + `"}}]}`)})
	}
	s.model.Queue(reply)
	s.start()
	s.wholeAnswer(s.post(s.ann, discordtest.Draft{Content: s.mention("how is it?")}), "Warm😀🧵.")
}
