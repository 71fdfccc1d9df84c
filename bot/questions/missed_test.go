package questions_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// backfill puts messages into a channel's past, of which nobody has heard.
func (s *scene) backfill(channel graph.ChannelID, drafts ...discordtest.Draft) []graph.MessageID {
	s.t.Helper()
	return errtest.Must(s.Discord.Chat.Backfill(channel, drafts))(s.t)
}

// sentBy is a message of an author's, so long ago.
func sentBy(author graph.UserID, text string, ago time.Duration) discordtest.Draft {
	return discordtest.Draft{Author: author, Content: text, At: time.Now().Add(-ago)}
}

// answering is a message of an author's that replies to another, so long ago.
func answering(to graph.MessageID, author graph.UserID, text string, ago time.Duration) discordtest.Draft {
	d := sentBy(author, text, ago)
	d.ReplyTo = to
	return d
}

// replies queues an answer of the model's for each text.
func (s *scene) replies(texts ...string) {
	for _, text := range texts {
		s.Model.Queue(openaitest.Answer(text))
	}
}

// takes has another process take questions.
func (s *scene) takes(questions ...store.Pending) {
	s.t.Helper()
	for _, p := range questions {
		errtest.None(s.t, s.Store.Backlog.Take(s.Context(), p))
	}
}

// TestAMessageFromTheFutureHidesNoQuestion has an event with a damaged id come, and a
// question that was asked while heddle was away.
func TestAMessageFromTheFutureHidesNoQuestion(t *testing.T) {
	s := newScene(t)
	s.replies("one")
	s.asks("missed?")
	future := s.read(s.Channel, s.Post(s.Bob, discordtest.Draft{Content: "no question"}))
	future.ID = graph.FirstMessageID(future.ID.Time().AddDate(100, 0, 0))
	s.d.Message(future)
	s.catchesUp()
	s.says("one")
}

func TestCatchingUpAnswersWhatNobodyAnsweredWithinItsBound(t *testing.T) {
	s := newScene(t)
	ids := s.backfill(s.Channel,
		sentBy(s.Ann, s.Mention("too old?"), 61*time.Minute),
		sentBy(s.Ann, s.Mention("just in time?"), 59*time.Minute),
		sentBy(s.Bob, "no question", 40*time.Minute),
		sentBy(s.Ann, s.Mention("answered elsewhere?"), 30*time.Minute),
		sentBy(s.Ann, s.Mention("being answered elsewhere?"), 20*time.Minute),
		sentBy(s.Bob, s.Mention("the latest?"), 10*time.Minute),
	)
	s.answered(ids[3])
	s.claimed(ids[4])
	s.replies("one", "two")
	s.catchesUp()
	s.says("one", "two")
	for i, want := range map[int]bool{0: false, 1: true, 5: true} {
		if _, done, err := s.Store.Claims.IsDone(s.Context(), store.TriggerClaim(ids[i])); done != want || err != nil {
			t.Errorf("message %d is done: %t, %v, want %t", i, done, err, want)
		}
	}
	s.catchesUp()
	s.says("one", "two")
}

func TestOnlyChannelsInWhichSomethingWasSaidAreRead(t *testing.T) {
	s := newScene(t)
	s.backfill(s.Channel, sentBy(s.Ann, s.Mention("too old?"), 2*time.Hour))
	listed := s.listed()
	before := len(s.Discord.Record.Requests(nil))
	s.d.CatchUpChannels(s.Guild, listed)
	s.d.CatchUpChannels(s.Guild, nil)
	listed[0].Type, listed[0].Last = discord.ChannelForum, graph.FirstMessageID(time.Now()) // the id of a thread
	s.d.CatchUpChannels(s.Guild, listed)
	s.idle(s.Channel)
	if n := len(s.Discord.Record.Requests(nil)) - before; n != 0 {
		t.Errorf("%d requests were made, want 0", n)
	}
	s.says()
}

// TestWhatIsOlderThanTheStoreIsTakenFromDiscord shows what a new store knows of the
// time before it: whether Discord shows a whole answer of heddle's.
func TestWhatIsOlderThanTheStoreIsTakenFromDiscord(t *testing.T) {
	s := newScene(t)
	ids := s.backfill(s.Channel,
		sentBy(s.Ann, s.Mention("answered?"), 50*time.Minute),
		sentBy(s.Ann, s.Mention("broken off?"), 49*time.Minute),
		sentBy(s.Ann, s.Mention("broken off by a tool?"), 48*time.Minute),
		sentBy(s.Ann, s.Mention("answered by Bob?"), 47*time.Minute),
		sentBy(s.Ann, s.Mention("forwarded?"), 46*time.Minute),
	)
	forward := sentBy(s.Self, "", 29*time.Minute)
	forward.Forward, forward.ForwardFrom = ids[4], s.Channel
	s.backfill(s.Channel,
		answering(ids[0], s.Self, "whole", 30*time.Minute),
		answering(ids[1], s.Self, "half an ▍", 30*time.Minute),
		answering(ids[2], s.Self, "looking\n"+phrases.In().Doing("search"), 30*time.Minute),
		answering(ids[3], s.Bob, "let me", 30*time.Minute),
		forward,
	)
	s.replies("one", "two", "three", "four")
	s.catchesUp()
	var answered []graph.MessageID
	for _, m := range s.Said() {
		if slices.Contains([]string{"one", "two", "three", "four"}, m.Content) {
			answered = append(answered, m.Reference.Message)
		}
	}
	if !slices.Equal(answered, ids[1:]) {
		t.Errorf("answered are %v, want %v; logged was\n%s", answered, ids[1:], s.Logged())
	}
}

// TestAnAnswerThatTheStoreForgotIsTakenBack deletes a message of which the store would know
// an answer, one that is older than the store, and one that this process answered hours after it
// was asked.
func TestAnAnswerThatTheStoreForgotIsTakenBack(t *testing.T) {
	s := newScene(t)
	question := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("forgotten?"), 2*time.Hour))[0]
	s.backfill(s.Channel, answering(question, s.Self, "whole", 119*time.Minute))
	errtest.Must(s.Store.Backlog.Since(s.Context()))(t) // the store begins
	s.replies("one")
	late := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("late?"), 90*time.Minute))[0]
	s.d.Message(s.Message(late))
	s.awaits(s.Channel, "one")
	s.idle(s.Channel)
	for reads, deleted := range map[int]graph.MessageID{0: s.asks("new?"), 1: question} {
		before := s.Discord.Record.Count(discordtest.RouteMessages)
		s.Discord.Chat.Delete(s.Channel, deleted)
		s.d.TakeBack(discord.Delete{Guild: s.Guild, Channel: s.Channel, Messages: []graph.MessageID{deleted}}, nil)
		s.idle(s.Channel)
		if got := s.Discord.Record.Count(discordtest.RouteMessages) - before; got != reads {
			t.Errorf("%d pages were read after the deletion of %s, want %d", got, deleted, reads)
		}
	}
	s.says("one")
	s.Discord.Chat.Delete(s.Channel, late)
	s.d.TakeBack(discord.Delete{Guild: s.Guild, Channel: s.Channel, Messages: []graph.MessageID{late}}, nil)
	s.idle(s.Channel)
	s.says()
}

// TestCatchingUpReadsAsManyPagesAsItNeeds counts the pages of long channels.
func TestCatchingUpReadsAsManyPagesAsItNeeds(t *testing.T) {
	for name, test := range map[string]struct {
		messages int
		ago      time.Duration // of the oldest message but the first, which asks
		first    time.Duration
		pages    int
		found    bool
	}{
		"a page that is not full":       {98, 30 * time.Minute, 40 * time.Minute, 1, true},
		"a full page":                   {99, 30 * time.Minute, 40 * time.Minute, 2, true},
		"more than a page":              {150, 30 * time.Minute, 40 * time.Minute, 2, true},
		"a page that reaches the bound": {250, 200 * time.Minute, 240 * time.Minute, 1, false},
		"many pages":                    {1010, 30 * time.Minute, 40 * time.Minute, 11, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			drafts := []discordtest.Draft{sentBy(s.Ann, s.Mention("first?"), test.first)}
			for i := range test.messages {
				drafts = append(drafts, sentBy(s.Bob, "talk", test.ago-time.Duration(i)*test.ago/time.Duration(test.messages)))
			}
			drafts[len(drafts)-1].Content = s.Mention("last?")
			ids := s.backfill(s.Channel, drafts...)
			last := ids[len(ids)-1]
			s.claimed(last)
			if test.found {
				s.claimed(ids[0])
			}
			s.catchesUp()
			if got := s.Discord.Record.Count(discordtest.RouteMessages); got != test.pages {
				t.Errorf("%d pages were read, want %d", got, test.pages)
			}
			want := 1
			if test.found {
				want = 2
			}
			if got := strings.Count(s.Logged(), "another process does a task"); got != want {
				t.Errorf("%d questions were found, want %d; logged was\n%s", got, want, s.Logged())
			}
		})
	}
}

func TestAChannelThatCannotBeReadIsWarnedOf(t *testing.T) {
	const warning = "a channel could not be caught up"
	for name, test := range map[string]struct {
		status, code int
		warned       bool
	}{
		"a channel that is closed to heddle": {http.StatusForbidden, 50001, false},
		"a request that Discord refuses":     {http.StatusBadRequest, 50035, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.backfill(s.Channel, sentBy(s.Ann, s.Mention("anybody?"), time.Minute))
			s.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteMessages), test.status, test.code, "x"))
			s.catchesUp()
			s.says()
			if got := strings.Contains(s.Logged(), warning); got != test.warned {
				t.Errorf("it is warned of: %t, want %t; logged was\n%s", got, test.warned, s.Logged())
			}
		})
	}
}

// TestAFaultInALaterPageFailsTheWholeChannel shows that no question is answered out of
// what was read by half.
func TestAFaultInALaterPageFailsTheWholeChannel(t *testing.T) {
	s := newScene(t)
	drafts := make([]discordtest.Draft, 120)
	for i := range drafts {
		drafts[i] = sentBy(s.Ann, s.Mention(fmt.Sprint("question ", i)), 30*time.Minute-time.Duration(i)*time.Second)
	}
	s.backfill(s.Channel, drafts...)
	fault := discordtest.Refused(discordtest.On(discordtest.RouteMessages), http.StatusNotFound, 10003, "x")
	fault.Skip = 1
	s.Discord.Faults.Inject(fault)
	s.catchesUp()
	s.says()
	s.logs("a channel could not be caught up")
}

func TestDirectMessagesAreCaughtUpWherePeopleAskedBefore(t *testing.T) {
	s := newScene(t)
	known, unknown := s.Discord.World.OpenDM(s.Ann, s.Self), s.Discord.World.OpenDM(s.Bob, s.Self)
	errtest.None(t, s.Store.Backlog.Use(s.Context(), store.UsedChannel{Channel: known}))
	s.backfill(known, sentBy(s.Ann, "too old?", 2*time.Hour), sentBy(s.Ann, "hello?", time.Minute))
	s.backfill(unknown, sentBy(s.Bob, "hello?", time.Minute))
	s.replies("Hello, Ann.")
	s.d.CatchUp()
	s.awaits(known, "Hello, Ann.")
	s.idle(known)
	s.idle(unknown)
	if n := len(s.Discord.Chat.Messages(unknown)); n != 1 || len(s.Model.Requests()) != 1 {
		t.Errorf("%d messages are in the other, and the model was asked %d times, want 1 and 1", n, len(s.Model.Requests()))
	}
}

func TestNothingIsCaughtUpWithoutATimeToDoSo(t *testing.T) {
	s := newScene(t)
	s.start(questions.Settings{})
	direct := s.Discord.World.OpenDM(s.Ann, s.Self)
	errtest.None(t, s.Store.Backlog.Use(s.Context(), store.UsedChannel{Channel: direct}))
	s.backfill(direct, sentBy(s.Ann, "hello?", time.Minute))
	s.backfill(s.Channel, sentBy(s.Ann, s.Mention("anybody?"), time.Minute))
	listed := s.listed()
	before := len(s.Discord.Record.Requests(nil))
	s.d.CatchUp()
	s.written()
	s.d.CatchUpChannels(s.Guild, listed)
	s.idle(s.Channel)
	s.idle(direct)
	if n := len(s.Discord.Record.Requests(nil)) - before; n != 0 {
		t.Errorf("%d requests were made, want 0", n)
	}
}

// TestTakenQuestionsAreResumedOnceHeddleIsConnected has another process take questions of two
// channels and die: two are not answered, one is, one is without being marked, and one is an edit
// that is ignored by now. None waits for a lease to end, and none is looked at again.
func TestTakenQuestionsAreResumedOnceHeddleIsConnected(t *testing.T) {
	s := newScene(t)
	other := s.otherChannel()
	ids := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("first?"), 4*time.Minute), sentBy(s.Bob, s.Mention("done?"), 3*time.Minute), sentBy(s.Ann, s.Mention("marked?"), 2*time.Minute))
	there := s.backfill(other, sentBy(s.Bob, s.Mention("elsewhere?"), time.Minute))
	done := s.backfill(s.Channel, answering(ids[1], s.Self, "It is done.", time.Minute))
	s.answered(ids[2])
	s.takes(
		store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: ids[0]},
		store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: ids[1]},
		store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: ids[1], Edited: ids[1].Time().Add(2 * time.Hour).UnixMicro()},
		store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: ids[2]},
		store.Pending{Guild: s.Guild, Channel: other, Trigger: there[0]},
	)
	s.replies("an answer", "an answer")
	for range 2 {
		s.d.CatchUp()
		s.awaits(other, "an answer")
		s.awaits(s.Channel, "an answer")
		s.idle(other)
		s.idle(s.Channel)
	}
	if said := s.Said(); len(said) != 2 || said[0].ID != done[0] || said[1].Reference.Message != ids[0] {
		t.Errorf("heddle says %+v, want %v, which stood, and an answer to %v", said, done[0], ids[0])
	}
}

// TestAQuestionThatStaysTakenIsLookedAt has another process take a question that this one has
// settled, and die.
func TestAQuestionThatStaysTakenIsLookedAt(t *testing.T) {
	s, question, _ := newAnswered(t)
	s.takes(store.Pending{Guild: s.Guild, Channel: s.Channel, Trigger: question})
	for range 3 { // the third look begins when the second has ended
		s.d.CatchUp()
		s.idle(s.Channel)
	}
	s.logs("a task was done by another process")
}

// TestHalfAnAnswerIsEndedIfItsQuestionIsGone finds halves of answers to a message that was
// deleted, and to one that asked nothing.
func TestHalfAnAnswerIsEndedIfItsQuestionIsGone(t *testing.T) {
	s := newScene(t)
	ids := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("deleted?"), 30*time.Minute), sentBy(s.Bob, "talk", 2*time.Hour))
	s.backfill(s.Channel, answering(ids[0], s.Self, "half an ▍", 20*time.Minute), answering(ids[1], s.Self, "half of a ▍", 20*time.Minute))
	s.Delete(ids[0])
	s.catchesUp()
	s.says("half of a ▍")
}

// TestHalfAnAnswerIsCompletedThoughItIsOlderThanWhatIsCaughtUp has nobody remember the
// question, as a store that was emptied or that took no writes does not.
func TestHalfAnAnswerIsCompletedThoughItIsOlderThanWhatIsCaughtUp(t *testing.T) {
	s := newScene(t)
	question := s.backfill(s.Channel, sentBy(s.Ann, s.Mention("long ago?"), 3*time.Hour))[0]
	s.backfill(s.Channel, answering(question, s.Self, "half an ▍", 2*time.Hour), sentBy(s.Ann, s.Mention("unheard long ago?"), 2*time.Hour), sentBy(s.Bob, "no question", time.Minute))
	s.replies("a whole answer", "an answer too late")
	s.catchesUp()
	s.says("a whole answer")
}
