package dispatch_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/dispatch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/store"
)

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
	s.start(dispatch.Settings{CatchUp: time.Hour})
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

// TestAnEditIsWrittenOverAllThatStands has another process answer an edit at greater length than the
// question before, and die before the store knew of it.
func TestAnEditIsWrittenOverAllThatStands(t *testing.T) {
	s, question, said := newAnswered(t)
	s.Edit(question, s.Mention("second?"))
	s.writes(said.ID, "two, and")
	s.Post(s.Self, discordtest.Draft{Content: "its end", ReplyTo: said.ID})
	s.takesEdit(question)
	s.replies("three")
	s.resumes("three")
}

// TestAnEditThatBrokeOffAndWasTakenBackRestoresTheAnswer has another process die after it
// began to write over an answer, which was given to what the question says again now.
func TestAnEditThatBrokeOffAndWasTakenBackRestoresTheAnswer(t *testing.T) {
	s, question, said := newAnswered(t)
	s.writes(said.ID, "half an ▍")
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

// writes makes a message of heddle's say something, as another process would.
func (s *scene) writes(id graph.MessageID, text string) {
	s.t.Helper()
	path := "/channels/" + s.Channel.String() + "/messages/" + id.String()
	errtest.Must(s.REST.Do(s.Context(), discord.Call{Method: http.MethodPatch, Path: path, Body: map[string]any{"content": text}}))(s.t)
}
