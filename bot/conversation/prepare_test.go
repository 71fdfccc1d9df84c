package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

func TestAQuestionIsAskedWithWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Say(s.Bob, "the warp is blue")
	s.Ask(s.Ann, "which colour is the warp?", openaitest.Answer("Blue."))
	asked := s.Asked()
	if len(asked) != 4 || !strings.Contains(asked[0], "Be kind.") ||
		asked[1] != "[speaker: bob]\nthe warp is blue" || asked[2] != "[speaker: ann]\nwhich colour is the warp?" ||
		!strings.Contains(asked[3], "(Added by heddle, not said by anyone.)\nToday is ") {
		t.Errorf("the model is asked %q, want 4 of them, %q in it first, %q second, %q third and %q in it fourth", asked, "Be kind.", "[speaker: bob]\nthe warp is blue", "[speaker: ann]\nwhich colour is the warp?", "(Added by heddle, not said by anyone.)\nToday is ")
	}
	s.CheckSaid("Blue.")
}

func TestADeletedQuestionIsNotPrepared(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.Say(s.Ann, "why?")
	s.History.Delete(discord.Delete{Channel: s.Channel, Messages: []graph.MessageID{id}})
	if _, err := s.Answers.Prepare(s.Context(), roomtest.Reply(s.Question(id))); !errors.Is(err, work.ErrQuestionGone) {
		t.Errorf("a question that an event deleted is prepared: %v, want %v", err, work.ErrQuestionGone)
	}
	if _, err := s.Conversations.Read(s.Context(), s.Question(id).Question); !errors.Is(err, work.ErrQuestionGone) {
		t.Errorf("a question that an event deleted is read: %v, want %v", err, work.ErrQuestionGone)
	}
	unheard, err := s.Discord.Chat.Post(s.Channel, s.Ann, discordtest.Draft{Content: "and why that?"})
	s.Must(err)
	s.Discord.Chat.Delete(s.Channel, unheard)
	if _, err := s.Conversations.Read(s.Context(), s.Question(unheard).Question); !errors.Is(err, work.ErrQuestionGone) {
		t.Errorf("a question that only Discord knows to be deleted is read: %v, want %v", err, work.ErrQuestionGone)
	}
}

// TestAQuestionThatDiscordDeniesIsUnread has the question come in before the channel's
// history is denied, so that it cannot be read again.
func TestAQuestionThatDiscordDeniesIsUnread(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, err := s.Discord.Chat.Post(s.Channel, s.Ann, discordtest.Draft{Content: "why?"})
	s.Must(err)
	q := s.Question(id)
	q.Place.NoHistory = true
	if _, err := s.Conversations.Read(s.Context(), q.Question); err == nil || errors.Is(err, work.ErrQuestionGone) {
		t.Errorf("a question that may not be read comes to %v, want an error and another error than %v", err, work.ErrQuestionGone)
	}
	s.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteMessages, discordtest.RouteMessage), Times: -1, Status: 403})
	if _, err := s.Answers.Prepare(s.Context(), roomtest.Reply(s.Question(id))); err == nil || errors.Is(err, work.ErrQuestionGone) {
		t.Errorf("a question that Discord refuses comes to %v, want an error and another error than %v", err, work.ErrQuestionGone)
	}
}

func TestReadingReturnsTheNewestVersion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.Say(s.Ann, "why?")
	s.Must(s.Discord.Chat.Edit(s.Channel, id, "why not?"))
	s.History.Update(s.Message(id))
	if m, err := s.Conversations.Read(s.Context(), s.Question(id).Question); err != nil || m.Text != "why not?" || m.ID != id {
		t.Errorf("the question %s reads %q, %v, want %s and %q", m.ID, m.Text, err, id, "why not?")
	}
}

// flusher is called when a question waits for what was deleted before.
type flusher func(context.Context)

func (f flusher) Flush(ctx context.Context) { f(ctx) }

// TestNothingIsReadBesideADeletion has a deletion on its way to the store until the
// next question waits for it.
func TestNothingIsReadBesideADeletion(t *testing.T) {
	t.Parallel()
	for name, reads := range map[string]func(*stage, *answer.Answers, answer.Job) error{
		"prepared": func(s *stage, answers *answer.Answers, job answer.Job) error {
			_, err := answers.Prepare(s.Context(), job)
			return err
		},
		"read": func(s *stage, answers *answer.Answers, job answer.Job) error {
			_, err := answers.Read(s.Context(), job.Question.Question)
			return err
		},
	} {
		s := newStage(t)
		first := s.Ask(s.Ann, "the password is swordfish", openaitest.Answer("Swordfish it is."))
		waits := make(chan struct{})
		flush := sync.OnceFunc(func() { close(waits) })
		t.Cleanup(flush) // or the write would wait for ever
		s.Writes.Keep(func(ctx context.Context) error {
			<-waits
			_, err := s.Store.Deletions.Forget(ctx, s.Scope(), s.Channel, []graph.MessageID{first})
			return err
		})
		next := s.Say(s.Bob, "and now?")
		answers := s.Another(func(c *roomtest.Parts, _ *roomtest.Settings) {
			c.Writes = flusher(func(ctx context.Context) {
				flush()
				s.Writes.Flush(ctx)
			})
		})
		s.Must(reads(s, answers, roomtest.Reply(s.Question(next))))
		if left := s.Recorded(first); len(left) != 0 && !left[0].Gone() {
			t.Errorf("the next question was %s with the answer on record: %+v, want it gone", name, left)
		}
	}
}

func TestAThreadIsReadWithItsStarterAndNoOtherChannel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other := s.Discord.World.AddChannel(s.Guild, discordtest.ChannelDraft{Name: "other"})
	elsewhere, err := s.Discord.Chat.Post(other, s.Bob, discordtest.Draft{Content: "said elsewhere"})
	s.Must(err)
	starter, err := s.Discord.Chat.Post(s.Channel, s.Bob, discordtest.Draft{Content: "shall we weave?"})
	s.Must(err)
	thread := s.Thread(discordtest.ThreadDraft{Starter: starter})
	s.PostIn(thread, s.Bob, discordtest.Draft{Content: "see this", Forward: elsewhere, ForwardFrom: other})
	id := s.PostIn(thread, s.Ann, discordtest.Draft{Content: "what is this about?"})
	s.Discord.Record.Forget()

	q := s.QuestionIn(thread, id)
	q.Place.Parent, q.Place.Starter = s.Channel, s.Channel
	s.Model.Queue(openaitest.Answer("Weaving."))
	s.Give(roomtest.Reply(q))
	if asked := strings.Join(s.Asked(), "\n"); !strings.Contains(asked, "shall we weave?") {
		t.Errorf("the thread's starter is not in %q, want %q in it", asked, "shall we weave?")
	}
	read := func(c graph.ChannelID) int {
		return len(s.Discord.Record.Requests(func(r discordtest.Request) bool { return r.Method == http.MethodGet && r.Channel() == c }))
	}
	if read(s.Channel) == 0 || read(other) != 0 {
		t.Errorf("the parent was read %d times, another channel %d times, want more than 0 and 0", read(s.Channel), read(other))
	}
}

// TestAThreadKnowsItsStarterByItself deletes the message in the thread that points at
// the one it started from.
func TestAThreadKnowsItsStarterByItself(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	starter := s.Say(s.Bob, "shall we weave?")
	thread := s.Thread(discordtest.ThreadDraft{Starter: starter})
	for _, m := range s.Discord.Chat.Messages(thread) {
		s.Discord.Chat.Delete(thread, m.ID)
	}
	q := s.QuestionIn(thread, s.PostIn(thread, s.Ann, discordtest.Draft{Content: "what is this about?"}))
	q.Place.Parent, q.Place.Starter = s.Channel, s.Channel
	s.Model.Queue(openaitest.Answer("Weaving."))
	s.Give(roomtest.Reply(q))
	if asked := strings.Join(s.Asked(), "\n"); !strings.Contains(asked, "shall we weave?") {
		t.Errorf("the thread's starter is not in %q, want %q in it", asked, "shall we weave?")
	}
}

// placed is a history that keeps where it was last read for.
type placed struct {
	*fetch.History

	at fetch.Place
}

func (p *placed) Mention(at fetch.Place) *fetch.Mention {
	p.at = at
	return p.History.Mention(at)
}

// TestOnlyTheParentMayBeReadBesideTheChannel asks in a thread of a channel that the asker
// may read, of one that they may not, and of one that is not known.
func TestOnlyTheParentMayBeReadBesideTheChannel(t *testing.T) {
	t.Parallel()
	for parent, want := range map[graph.ChannelID]bool{7: true, 8: false, 9: false} {
		s := newStage(t)
		s.Event("CHANNEL_CREATE", fmt.Sprintf(`{"id":"7","guild_id":"%d","type":0}`, s.Guild))
		s.Event("CHANNEL_CREATE", fmt.Sprintf(
			`{"id":"8","guild_id":"%d","type":0,"permission_overwrites":[{"id":"%d","type":1,"deny":"65536"}]}`, s.Guild, s.Ann))
		history := &placed{History: s.History}
		answers := s.Another(func(c *roomtest.Parts, _ *roomtest.Settings) { c.History = history })
		q := s.Question(s.Say(s.Ann, "and?"))
		q.Place.Parent, q.Place.NoHistory = parent, true
		if _, err := answers.Prepare(s.Context(), roomtest.Reply(q)); err != nil {
			t.Fatal(err)
		}
		if at := history.at; at.Readable(parent) != want || at.Readable(10) || !at.NoHistory || at.Channel != s.Channel || at.Trigger != q.ID {
			t.Errorf("in a thread of %s the history is read at %+v; want channel %s, trigger %s, its parent readable: %t, and nothing else", parent, at, s.Channel, q.ID, want)
		}
	}
}

func TestAStoreThatIsAwayCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.Ask(s.Ann, "first?", openaitest.Answer("First."))
	s.Must(s.Store.Close())
	s.Ask(s.Ann, "second?", openaitest.Answer("Second."))
	s.CheckSaid("First.", "Second.")
	if got := s.Answers.Stats(); got.Requests != 2 || got.Misses != 1 || got.Bypassed != 1 {
		t.Errorf("the counts are %+v, want Requests 2, Misses 1 and Bypassed 1", got)
	}
	if asked := s.Asked(); asked[2] != "First." {
		t.Errorf("without its record the answer reads %q, want %q third", asked, "First.")
	}
}
