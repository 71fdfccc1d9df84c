package questions_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/wait"
	"heddle/store"
)

func TestAQuestionThatIsDeliveredThriceIsAnsweredOnce(t *testing.T) {
	s := newScene(t)
	s.Model.Queue(openaitest.Answer("Over, under."))
	id := s.told("how?")
	s.idle(s.Channel)
	for range 2 {
		s.d.Message(s.Message(id))
		s.idle(s.Channel)
	}
	s.says("Over, under.")
	if outcome, done, err := s.Store.Claims.IsDone(s.Context(), store.TriggerClaim(id)); outcome != "answered" || !done || err != nil {
		t.Errorf("the question is marked %q, %t, %v, want %q, true and no error", outcome, done, err, "answered")
	}
	s.pending(0)
}

// TestWhatAnotherProcessHoldsIsLeftToItWhileTheStoreIsAway tries a question again that another
// process had claimed when it was asked. This process knows of no other.
func TestWhatAnotherProcessHoldsIsLeftToItWhileTheStoreIsAway(t *testing.T) {
	s := newScene(t)
	id := s.asks("how?")
	s.claimed(id)
	s.d.Message(s.Message(id))
	s.idle(s.Channel)
	s.logs("another process does a task")
	errtest.None(t, s.Store.Close())
	s.replies("Over, under.")
	s.d.CatchUpChannels(s.Guild, s.listed())
	s.idle(s.Channel)
	s.says()
}

// TestAFullQueueKeepsQuestionsInTheStore asks four questions at once in a channel where
// one may wait.
func TestAFullQueueKeepsQuestionsInTheStore(t *testing.T) {
	s := newScene(t)
	s.start(questions.Settings{CatchUp: time.Hour, Waiting: 1})
	open := s.gated("one")
	s.Model.Queue(openaitest.Answer("two"), openaitest.Answer("three"), openaitest.Answer("four"))
	s.told("first?")
	s.requested(1)
	s.told("second?")
	s.told("third?")
	s.told("fourth?")
	s.pending(4)
	s.logs("a question waits in the store")
	open()
	s.awaits(s.Channel, "four")
	s.idle(s.Channel)
	s.says("one", "two", "three", "four")
	s.pending(0)
}

// pending waits until the store holds the records of so many questions.
func (s *scene) pending(n int) {
	s.t.Helper()
	for {
		_ = wait.For(s.Context(), time.Millisecond) // the read below fails once the context has ended
		got, err := s.Store.Backlog.Taken(s.Context())
		if err != nil {
			s.t.Fatalf("waited for %d questions in the store: %v", n, err)
		}
		if len(got) == n {
			return
		}
	}
}

// read returns a message of any channel of the guild.
func (s *scene) read(channel graph.ChannelID, id graph.MessageID) *discord.Message {
	s.t.Helper()
	m := errtest.Must(discord.ReadMessage(s.Context(), s.REST, channel, id))(s.t)
	return &m
}

func TestAnEditAfterTheWindowIsIgnored(t *testing.T) {
	s := newScene(t)
	old := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("old"), 2*time.Hour))
	s.Edit(old[0], s.Mention("new"))
	s.d.Edited(s.Message(old[0]))
	s.idle(s.Channel)
	s.says()
	s.requested(0)
}

func TestAnEditThatFindsTheQueueFullWaitsInTheStore(t *testing.T) {
	s := newScene(t)
	s.start(questions.Settings{CatchUp: time.Hour, Waiting: 1})
	s.Model.Queue(openaitest.Answer("one"))
	first := s.told("first?")
	s.awaits(s.Channel, "one")
	s.idle(s.Channel)
	open := s.gated("two")
	s.told("second?")
	s.requested(2)
	s.told("third?")
	s.Edit(first, s.Mention("edited?"))
	s.d.Edited(s.Message(first))
	s.logs("a question waits in the store")
	s.Model.Queue(openaitest.Answer("three"), openaitest.Answer("edited"))
	open()
	s.awaits(s.Channel, "edited")
	s.idle(s.Channel)
	s.says("edited", "two", "three")
}

func TestButtonsAreCorrectedBesideWhatIsAnswered(t *testing.T) {
	s, _, said := newAnswered(t)
	s.button(said.ID, "heddle:again:"+store.ResponseID{7}.String())
	open := s.gated("two")
	s.told("second?")
	s.requested(2)
	at := []store.Place{{Scope: s.Place().Scope, Channel: s.Channel, Message: said.ID}}
	s.d.RefreshButtons(at)
	if _, err := s.Discord.Chat.AwaitMessage(s.Context(), s.Channel, func(m discordtest.Message) bool {
		return m.ID == said.ID && len(m.Buttons()) == 3
	}); err != nil {
		t.Errorf("waited for three buttons to come back: %v", err)
	}
	open()
	s.idle(s.Channel)
	s.stop()
	s.d.RefreshButtons(at)
	s.logs("what stands below an answer stays until somebody presses a button")
}

// TestAnEditThatIsGivenUpIsTold has an edit break heddle, and Discord refuse to tell who edited a
// question while heddle was away. Who edited reads that it came to nothing.
func TestAnEditThatIsGivenUpIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		breaks func(s *scene)
		edited func(s *scene, m *discord.Message)
		want   phrases.ID
	}{
		"a panic": {
			func(s *scene) { s.count = func(context.Context, path.Turn) int { panic("out of thread") } },
			func(s *scene, m *discord.Message) { s.d.Edited(m) }, "internal",
		},
		"nobody knows by whom": {
			func(s *scene) {
				s.gate.Block = []uint64{7}
				s.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteGuildMember), http.StatusBadRequest, 50035, "Invalid Form Body"))
			},
			func(s *scene, m *discord.Message) { m.Member = nil; s.d.EditMissed(*m) }, "discord_trouble",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, question, _ := newAnswered(t)
			test.breaks(s)
			s.start(questions.Settings{CatchUp: time.Hour})
			s.Edit(question, s.Mention("second?"))
			test.edited(s, s.Message(question))
			s.awaits(s.Channel, phrases.English(test.want))
			s.idle(s.Channel)
			s.says("one", phrases.English(test.want))
		})
	}
}

// newAnswered returns a scene in which a question of Ann's stands answered.
func newAnswered(t *testing.T) (s *scene, question graph.MessageID, said discordtest.Message) {
	t.Helper()
	s = newScene(t)
	s.replies("one")
	question = s.told("first?")
	said = s.awaits(s.Channel, "one")
	s.idle(s.Channel)
	return s, question, said
}

// TestAnEditThatIsDoneStartsNothing hears an edit twice, and reads the channel again in which it
// was answered.
func TestAnEditThatIsDoneStartsNothing(t *testing.T) {
	s, question, _ := newAnswered(t)
	s.replies("two")
	s.Edit(question, s.Mention("second?"))
	for range 2 {
		s.d.Edited(s.Message(question))
		s.awaits(s.Channel, "two")
		s.idle(s.Channel)
	}
	s.start(questions.Settings{CatchUp: time.Hour})
	s.catchesUp()
	if strings.Contains(s.Logged(), "a task was done by another process") {
		t.Errorf("a question that was answered as it reads is a task again; logged was\n%s", s.Logged())
	}
}

// takesEdit has another process take an edit of a question, and end before it answers.
func (s *scene) takesEdit(question graph.MessageID) {
	s.t.Helper()
	s.takes(store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: question, Edited: question.Time().Add(time.Minute).UnixMicro()})
}

// resumes lets the dispatcher take up what another process left, and checks that heddle then says
// one thing alone.
func (s *scene) resumes(want string) {
	s.t.Helper()
	s.d.CatchUp()
	s.awaits(s.Channel, want)
	s.idle(s.Channel)
	s.says(want)
}

// TestAnEditThatOnlyALookFindsIsAnswered has heddle hear a question, but not its edit. What it holds
// of the question is older than what the look at the answer finds.
func TestAnEditThatOnlyALookFindsIsAnswered(t *testing.T) {
	s, question, _ := newAnswered(t)
	errtest.None(t, s.Discord.Chat.Edit(s.Channel, question, s.Mention("second?")))
	s.takesEdit(question)
	s.replies("two")
	s.resumes("two")
}

// TestAnEditThatALookFindsTooLateIsIgnored has a question be edited an hour and a half after it
// was asked.
func TestAnEditThatALookFindsTooLateIsIgnored(t *testing.T) {
	s := newScene(t)
	s.replies("one", "two")
	question := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("first?"), 90*time.Minute))[0]
	s.d.Message(s.Message(question))
	s.awaits(s.Channel, "one")
	s.idle(s.Channel)
	errtest.None(t, s.Discord.Chat.Edit(s.Channel, question, s.Mention("second?")))
	s.takesEdit(question)
	s.resumes("one")
}

// TestAnEditIsWrittenOverAllThatStands has another process answer an edit at greater length than the
// question before, and die before the store knew of it.
func TestAnEditIsWrittenOverAllThatStands(t *testing.T) {
	s, question, said := newAnswered(t)
	s.Edit(question, s.Mention("second?"))
	s.patch(said.ID, map[string]any{"content": "two, and"})
	s.Post(s.Self, discordtest.Draft{Content: "its end", ReplyTo: said.ID})
	s.takesEdit(question)
	s.replies("three")
	s.resumes("three")
}

// TestAnEditThatBrokeOffAndWasTakenBackRestoresTheAnswer has another process die after it
// began to write over an answer, which was given to what the question says again now.
func TestAnEditThatBrokeOffAndWasTakenBackRestoresTheAnswer(t *testing.T) {
	s, question, said := newAnswered(t)
	s.patch(said.ID, map[string]any{"content": "half an ▍"})
	s.takesEdit(question)
	s.resumes("one")
	if got := len(s.Model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want once", got)
	}
}

// TestWhatWasNeverSentIsSentThoughItsQuestionWasEdited has Discord be away for an answer, and the
// question edited until it reads again as it was answered.
func TestWhatWasNeverSentIsSentThoughItsQuestionWasEdited(t *testing.T) {
	s := newScene(t)
	away := s.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), Status: http.StatusUnauthorized, Times: -1})
	s.replies("one", "one")
	question := s.told("first?")
	s.idle(s.Channel)
	s.Edit(question, s.Mention("second?"))
	s.Edit(question, s.Mention("first?"))
	away.Remove()
	s.d.Edited(s.Message(question))
	s.idle(s.Channel)
	s.says("one")
}
