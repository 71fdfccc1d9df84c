package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestAlternativesAreWalkedByAnybody(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	_, answer := s.joked()
	id := s.press(s.bob, answer, "◀")
	answer = s.standsIn(answer, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	told, _ := s.discord.Interactions.Find(id)
	if told.Answered != discordtest.AnswerUpdateLater || len(told.Private) != 0 {
		t.Errorf("the press was answered by %+v, want Answered %v and none in Private", told, discordtest.AnswerUpdateLater)
	}
	if !answer.Pings().None() {
		t.Errorf("somebody was pinged: %+v, want None() true", answer.Pings())
	}

	s.model.Queue(openaitest.Answer("Warps are long."))
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("explain"), ReplyTo: answer.ID}), "Warps are long.")
	want := []string{"user: [speaker: ann]\n@heddle a joke?", "assistant: A joke about warps.", "user: [speaker: ann]\n@heddle explain"}
	if got := s.asked(3); !slices.Equal(got, want) {
		t.Errorf("the next question was asked with %q, want %q", got, want)
	}

	r.end()
	s.start()
	s.press(s.ann, answer, "▶")
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	if got := len(s.model.Requests()); got != 3 {
		t.Errorf("the model was asked %d times, want 3", got)
	}
}

// TestBothAnswersWalkTheAlternatives proves that after "again" both answers show that
// there is another.
func TestBothAnswersWalkTheAlternatives(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	question, second := s.joked()
	first := s.answer(s.channel, question, "A joke about warps.")
	s.press(s.bob, first, "▶")
	s.standsIn(first, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.press(s.bob, second, "◀")
	s.standsIn(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.model.Queue(openaitest.Answer("A joke about looms."))
	third := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: second.ID}), "A joke about looms.")
	s.standsIn(second, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/3) ▶")
	s.standsIn(third, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
}

func TestAlternativesInADirectMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	_, answer := s.jokedIn(s.discord.World.OpenDM(s.ann, s.heddle.User))
	s.press(s.ann, answer, "◀")
	s.standsIn(answer, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
}

func TestAPressWaitsForNoAnswerThatIsStreamed(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	_, answer := s.joked()
	gate := make(chan struct{})
	slow := openaitest.Answer("The beginning of a long answer to something else, ", "and its end.")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow)
	other := s.post(s.bob, discordtest.Draft{Content: s.mention("something else?")})
	s.begun(s.channel, other, "The beginning")
	s.press(s.ann, answer, "◀")
	s.standsIn(answer, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	close(gate)
	s.answer(s.channel, other, "and its end.")
}

func TestAnAnswerIsAskedForAfreshByAButton(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start()
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "Four.")
	thread := s.thread("sums")
	question := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	reused := s.answer(thread, question, "Answered before")
	reads := givenAgain("Four.")
	reused = s.standsLike(reused, reads, "Why? ↻ ⋯")

	gate := make(chan struct{})
	slow := openaitest.Answer("Still four, however often you ask me, ", "as ever.")
	slow.Chunks[1].Wait = gate
	s.model.Queue(slow)
	s.press(s.bob, reused, "↻")
	s.standsIn(reused, "Still four, however often you ask me, ▍", "◼ Stop")
	close(gate)
	fresh := s.standsIn(reused, "Still four, however often you ask me, as ever.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	if one, two := s.asked(1), s.asked(2); fmt.Sprint(one) != fmt.Sprint(two) {
		t.Errorf("asked afresh the model was asked %q, want %q", two, one)
	}
	s.press(s.bob, fresh, "◀")
	back := s.standsLike(fresh, reads, "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.press(s.ann, back, "▶")
	s.standsIn(back, "Still four, however often you ask me, as ever.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	r.end()
	found, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(found) != 2 || found[0].PathHash != found[1].PathHash || found[0].Replies[0].ID != reused.ID {
		t.Errorf("stored are %+v, %v, want two answers to one path, the first below the reused one", found, err)
	}
}

// TestTheSecondOfTwoWhoAskAfreshIsTold has two people press ↻ before a new answer shows.
// One is made, and the second person reads alone that it stands there.
func TestTheSecondOfTwoWhoAskAfreshIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	_, answer := s.joked()
	gate := make(chan struct{})
	slow := openaitest.Answer("A joke about looms.")
	slow.Wait = gate
	s.model.Queue(slow)
	first := s.press(s.ann, answer, "↻")
	if _, err := s.model.Await(s.ctx, 3); err != nil {
		t.Fatal(err)
	}
	second := s.press(s.bob, answer, "↻")
	close(gate)
	s.ephemeral(second, "This message shows another answer by now.")
	s.standsIn(answer, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
	if told, _ := s.discord.Interactions.Find(first); len(told.Private) != 0 {
		t.Errorf("the first person is told %+v, want none", told.Private)
	}
	if got := len(s.model.Requests()); got != 3 {
		t.Errorf("the model was asked %d times, want 3", got)
	}
}

// TestAnAnswerMadeAfreshRepliesToWhatStandsAbove asks afresh while the answer to "again"
// shows the first answer to the question.
func TestAnAnswerMadeAfreshRepliesToWhatStandsAbove(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	question, answer := s.joked()
	s.press(s.bob, answer, "◀")
	answer = s.standsIn(answer, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	s.model.Queue(openaitest.Answer("A joke about looms."))
	s.press(s.bob, answer, "↻")
	answer = s.standsIn(answer, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
	r.end()
	found, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(found) != 3 {
		t.Fatalf("%d answers are kept, %v, want 3 and no error", len(found), err)
	}
	for _, response := range found {
		if response.Text == "A joke about looms." && response.Reply != answer.Reference.Message {
			t.Errorf("the answer is kept as one to %s, want %s", response.Reply, answer.Reference.Message)
		}
	}
}

func TestAModelThatFailsLeavesTheAnswerThatStands(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	_, answer := s.joked()
	s.model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
	s.ephemeral(s.press(s.ann, answer, "↻"), "My language model refuses to work with me.")
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.model.Queue(openaitest.Answer("A joke about looms."))
	s.press(s.ann, answer, "↻")
	s.standsIn(answer, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
}

func TestAlternativesThatAreNoLongerKept(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	_, answer := s.joked()
	r.end()
	s.start("DATA_DIR=" + t.TempDir())
	s.ephemeral(s.press(s.bob, answer, "◀"), "I no longer have these answers.")
	s.standsIn(answer, "A joke about wefts.", "")
}

// TestAPressOnAnAnswerThatIsNotKeptYet presses a button of an answer, or of a part of
// one, before heddle knows that Discord has accepted it.
func TestAPressOnAnAnswerThatIsNotKeptYet(t *testing.T) {
	t.Parallel()
	sent := func(s *scene) (open func()) {
		gate := make(chan struct{})
		s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: gate})
		return func() { close(gate) }
	}
	pressed := func(s *scene, m discordtest.Message, open func()) {
		s.t.Helper()
		id := s.press(s.bob, m, "◀")
		if _, err := s.discord.Interactions.Await(s.ctx, id, func(i discordtest.Interaction) bool { return i.Answered != 0 }); err != nil {
			s.t.Fatal(err)
		}
		open()
	}
	t.Run("an answer", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, discordtest.Options{})
		r := s.start()
		s.model.Queue(openaitest.Answer("A joke about warps."), openaitest.Answer("A joke about wefts."))
		question := s.post(s.ann, discordtest.Draft{Content: s.mention("a joke?")})
		first := s.answer(s.channel, question, "A joke about warps.")
		r.settled(s, question)
		open := sent(s)
		again := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID}), "A joke about wefts.")
		pressed(s, again, open)
		s.standsIn(again, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	})
	t.Run("a part of one", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, discordtest.Options{})
		s.start()
		_, answer := s.joked()
		open := sent(s)
		s.model.Queue(openaitest.Answer(long("loom", 2)))
		s.press(s.ann, answer, "↻")
		pressed(s, s.standsAs(answer.ID, long("loom", 2), "Why? ↻ ⋯ ◀ (3/3) (▶)"), open)
		last := s.standsAs(answer.ID, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/3) ▶")

		open = sent(s)
		s.press(s.ann, last, "▶")
		pressed(s, s.standsAs(answer.ID, long("loom", 2), "Why? ↻ ⋯ ◀ (3/3) (▶)"), open)
		s.standsAs(answer.ID, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	})
}

// TestAForgedButtonReachesNothing presses buttons that heddle never made, which a server
// that only resembles Discord may send.
func TestAForgedButtonReachesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	private := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Private: true, Readers: []graph.UserID{s.ann, s.heddle.User}})
	s.start()
	_, secret := s.jokedIn(private)
	theirs := strings.TrimPrefix(secret.Buttons()[3].CustomID, "heddle:back:")
	_, answer := s.joked()
	mine := strings.TrimPrefix(answer.Buttons()[3].CustomID, "heddle:back:")
	for _, forged := range []string{"heddle:back:" + theirs, "heddle:on:" + strings.Repeat("0", 32)} {
		m := s.forge(answer.Reference.Message, forged)
		s.ephemeral(s.press(s.bob, m, "x"), "I no longer have these answers.")
		s.standsIn(m, "A forgery.", "")
	}
	for _, id := range []string{"heddle:back:", "heddle:on:" + mine + "00", "heddle:unknown", "other:" + mine} {
		m := s.forge(answer.Reference.Message, id)
		s.ephemeral(s.press(s.bob, m, "x"), "I don't know this button any more.")
	}
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}

// forge posts a message by heddle with a button that heddle never made.
func (p *people) forge(replyTo graph.MessageID, id string) discordtest.Message {
	p.t.Helper()
	components := fmt.Sprintf(`[{"type":1,"components":[{"type":2,"style":2,"label":"x","custom_id":%q}]}]`, id)
	made := p.post(p.heddle.User, discordtest.Draft{Content: "A forgery.", ReplyTo: replyTo, Components: json.RawMessage(components)})
	m, _ := p.discord.Chat.Message(p.channel, made)
	return m
}

func TestAPressIsAnsweredOnceByTwoProcesses(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	server := s.redis()
	s.environ = append(s.environ, "REDIS_URL="+server.URL())
	s.start()
	_, answer := s.joked()
	s.start()
	s.connected(2)
	for range 3 {
		s.press(s.bob, answer, "◀")
		answer = s.standsIn(answer, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
		s.press(s.ann, answer, "▶")
		answer = s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	}
	if got, want := s.discord.Record.Count(discordtest.RouteFollowUp), 0; got != want {
		t.Errorf("%d whispers were sent, want %d", got, want)
	}
}

func TestAPressWhileTheStoreIsDown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	s.start("REDIS_URL=" + server.URL())
	_, answer := s.joked()
	server.Kill()
	s.ephemeral(s.press(s.ann, answer, "◀"), "I can't get at my earlier answers right now.")
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}

// TestAPressBeforeTheGuildIsKnown proves that answers do not count as lost while their
// scope is unknown.
func TestAPressBeforeTheGuildIsKnown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	_, answer := s.joked()
	r.end()
	s.discord.Events.Intercept(discordtest.Dropped("GUILD_CREATE"))
	s.start()
	s.ephemeral(s.press(s.ann, answer, "◀"), "I can't get at my earlier answers right now.")
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}

func TestTwoWhoAskAfreshAtOnceGetOneAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start()
	_, answer := s.joked()
	gate := make(chan struct{})
	slow := openaitest.Answer("A joke about looms.")
	slow.Wait = gate
	s.model.Queue(slow, openaitest.Answer("Something else."))
	s.press(s.ann, answer, "↻")
	s.asked(3)
	second := s.press(s.bob, answer, "↻")
	if _, err := s.discord.Interactions.Await(s.ctx, second, func(i discordtest.Interaction) bool { return i.Answered != 0 }); err != nil {
		t.Fatal(err)
	}
	close(gate)
	s.standsIn(answer, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("something else?")}), "Something else.")
	if got := len(s.model.Requests()); got != 4 {
		t.Errorf("the model was asked %d times, want 4", got)
	}
}
