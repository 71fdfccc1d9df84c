package conversation_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/leaktest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// stage is an environment with Answers to test.
type stage struct{ *roomtest.Stage }

// newStage returns a stage whose model answers what tests queue.
func newStage(t *testing.T, choices ...roomtest.Choice) *stage {
	t.Helper()
	return &stage{roomtest.NewStage(t, choices...)}
}

func TestADeletedQuestionIsNotPrepared(t *testing.T) {
	s := newStage(t)
	id := s.Say(s.Ann, "why?")
	s.History.Delete(discord.Delete{Channel: s.Channel, Messages: []graph.MessageID{id}})
	if _, err := s.Conversations.Prepare(s.Context(), s.Question(id).Question, s.Loop.Offered()); !errors.Is(err, conversation.ErrQuestionGone) {
		t.Errorf("a question that an event deleted is prepared: %v, want %v", err, conversation.ErrQuestionGone)
	}
	if _, err := s.Conversations.Read(s.Context(), s.Question(id).Question); !errors.Is(err, conversation.ErrQuestionGone) {
		t.Errorf("a question that an event deleted is read: %v, want %v", err, conversation.ErrQuestionGone)
	}
	unheard := errtest.Must(s.Discord.Chat.Post(s.Channel, s.Ann, discordtest.Draft{Content: "and why that?"}))(s.T)
	s.Discord.Chat.Delete(s.Channel, unheard)
	if _, err := s.Conversations.Read(s.Context(), s.Question(unheard).Question); !errors.Is(err, conversation.ErrQuestionGone) {
		t.Errorf("a question that only Discord knows to be deleted is read: %v, want %v", err, conversation.ErrQuestionGone)
	}
}

// TestAQuestionThatDiscordDeniesIsUnread has the question come in before the channel's
// history is denied, so that it cannot be read again.
func TestAQuestionThatDiscordDeniesIsUnread(t *testing.T) {
	s := newStage(t)
	id := errtest.Must(s.Discord.Chat.Post(s.Channel, s.Ann, discordtest.Draft{Content: "why?"}))(s.T)
	q := s.Question(id)
	q.Place.NoHistory = true
	if _, err := s.Conversations.Read(s.Context(), q.Question); err == nil || errors.Is(err, conversation.ErrQuestionGone) {
		t.Errorf("a question that may not be read comes to %v, want an error and another error than %v", err, conversation.ErrQuestionGone)
	}
	s.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteMessages, discordtest.RouteMessage), Times: -1, Status: 403})
	if _, err := s.Conversations.Prepare(s.Context(), s.Question(id).Question, s.Loop.Offered()); err == nil || errors.Is(err, conversation.ErrQuestionGone) {
		t.Errorf("a question that Discord refuses comes to %v, want an error and another error than %v", err, conversation.ErrQuestionGone)
	}
}

// TestNothingIsReadBesideADeletion has a deletion on its way to the store when the next
// question comes.
func TestNothingIsReadBesideADeletion(t *testing.T) {
	for name, reads := range map[string]func(*stage, answer.Question) error{
		"prepared": func(s *stage, job answer.Question) error {
			_, err := s.Conversations.Prepare(s.Context(), job.Question, s.Loop.Offered())
			return err
		},
		"read": func(s *stage, job answer.Question) error {
			_, err := s.Conversations.Read(s.Context(), job.Question)
			return err
		},
	} {
		s := newStage(t)
		first := s.Ask(s.Ann, "the password is swordfish", openaitest.Answer("Swordfish it is."))
		next := s.Say(s.Bob, "and now?")
		s.Writes.Deleted(s.Scope(), s.Channel, first)
		errtest.None(s.T, reads(s, s.Question(next)))
		if left := s.Recorded(first); len(left) != 0 && !left[0].Gone() {
			t.Errorf("the next question was %s with the answer on record: %+v, want it gone", name, left)
		}
	}
}

func TestAThreadIsReadWithItsStarterAndNoOtherChannel(t *testing.T) {
	s := newStage(t)
	other := s.Discord.World.AddChannel(s.Guild, discordtest.ChannelDraft{Name: "other"})
	elsewhere := errtest.Must(s.Discord.Chat.Post(other, s.Bob, discordtest.Draft{Content: "said elsewhere"}))(s.T)
	starter := errtest.Must(s.Discord.Chat.Post(s.Channel, s.Bob, discordtest.Draft{Content: "shall we weave?"}))(s.T)
	thread := s.Thread(discordtest.ThreadDraft{Starter: starter})
	for range 60 { // more than are read of it
		s.PostIn(thread, s.Bob, discordtest.Draft{Content: "with wool"})
	}
	s.PostIn(thread, s.Bob, discordtest.Draft{Content: "see this", Forward: elsewhere, ForwardFrom: other})
	id := s.PostIn(thread, s.Ann, discordtest.Draft{Content: "what is this about?"})
	s.Discord.Record.Forget()

	q := s.QuestionIn(thread, id)
	q.Place.Parent, q.Place.Starter = s.Channel, s.Channel
	s.Model.Queue(openaitest.Answer("Weaving."))
	s.Give(q)
	if asked := strings.Join(s.Asked(), "\n"); !strings.Contains(asked, "shall we weave?") || !strings.Contains(asked, "with wool") {
		t.Errorf("the model is asked %q, want the thread's starter and what was said in the thread", asked)
	}
	read := func(c graph.ChannelID) int {
		return len(s.Discord.Record.Requests(func(r discordtest.Request) bool { return r.Method == http.MethodGet && r.Channel() == c }))
	}
	if read(s.Channel) == 0 || read(other) != 1 {
		t.Errorf("the parent was read %d times, another channel %d times, want more than 0 and 1, for what was forwarded", read(s.Channel), read(other))
	}
}

func TestAStoreThatIsAwayCostsNoAnswer(t *testing.T) {
	s := newStage(t)
	s.Ask(s.Ann, "first?", openaitest.Answer("First."))
	errtest.None(s.T, s.Store.Close())
	s.Ask(s.Ann, "second?", openaitest.Answer("Second."))
	s.CheckSaid("First.", "Second.\n"+phrases.English("notice_no_records"))
	if got := s.Answers.Stats(); got.Requests != 2 || got.Misses != 1 || got.Bypassed != 1 {
		t.Errorf("the counts are %+v, want Requests 2, Misses 1 and Bypassed 1", got)
	}
	if asked := strings.Join(s.Asked(), "\n"); strings.Contains(asked, "First.") || !strings.Contains(asked, "first?") {
		t.Errorf("while records cannot be read the model is asked %q, want the first question without its answer", asked)
	}
}
