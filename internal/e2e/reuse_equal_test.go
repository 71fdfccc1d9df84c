package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatIsSaidBesideDecidesReuse asks the same question in three threads. Others talk
// beside it: of one thing in the first, of another in the second and third.
func TestWhatIsSaidBesideDecidesReuse(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		for _, day := range []string{"Tuesday", "Friday"} {
			if strings.Contains(fmt.Sprint(r.Chat.Messages), "on "+day) {
				reply := openaitest.Answer("It moves on " + day + ".")
				return &reply
			}
		}
		return nil
	})
	s.start()
	cyd, dan := s.discord.People.AddUser("cyd", s.guild), s.discord.People.AddUser("dan", s.guild)
	ask := func(said, want string) {
		in := s.thread("moving")
		var before graph.MessageID
		for i, text := range []string{said, "who packs?", "you do, dan", "again? I did last time", "it is your turn", "fine, I pack"} {
			before = s.postIn(in, []graph.UserID{cyd, dan}[i%2], discordtest.Draft{
				Content: text, ReplyTo: before, At: time.Now().Add(time.Duration(i)*time.Minute - time.Hour),
			})
		}
		about := s.postIn(in, s.ann, discordtest.Draft{Content: "we have to plan this", At: time.Now().Add(-30 * time.Minute)})
		s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("when does it move?"), ReplyTo: about}), want)
	}
	ask("the servers move on Tuesday", "It moves on Tuesday.")
	ask("the offices move on Friday", "It moves on Friday.")
	if asked := strings.Join(s.asked(1), "\n"); strings.Contains(asked, "Tuesday") || !strings.Contains(s.tail(1), "Tuesday") {
		t.Errorf("the model was asked %q beside %q, want the other talk beside", asked, s.tail(1))
	}
	ask("the offices move on Friday", "It moves on Friday.")
	if n := len(s.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times, want 2: what was said beside the last two questions is equal", n)
	}
}

// served starts heddle with Redis and has a question answered by one request to the
// model. It returns the settings.
func (s *scene) served() (environ []string) {
	s.t.Helper()
	environ = []string{"REDIS_URL=" + s.redis().URL()}
	s.always(openaitest.Answer("Never said."))
	s.model.Queue(openaitest.Answer("Four."))
	return environ
}

// askedTimes fails the test unless the model was asked this many times.
func (p *provider) askedTimes(want int) {
	p.t.Helper()
	if got := len(p.model.Requests()); got != want {
		p.t.Errorf("the model was asked %d times, want %d", got, want)
	}
}

func TestAnEqualQuestionInAFreshThreadIsServedFromRedis(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	environ := s.served()
	for _, want := range []string{"Four.", "Four.\n-# Answered before"} {
		r := s.start(environ...)
		s.sums(r, want)
		r.end()
	}
	s.askedTimes(1)
}

func TestAQuestionThatIsEditedBackIsServedFromRedis(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	environ := s.served()
	s.model.Queue(openaitest.Answer("Six."))
	s.start(environ...)
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	s.answer(s.channel, question, "Four.")
	s.edit(question, s.mention("3 + 3?"))
	s.answer(s.channel, question, "Six.")
	s.edit(question, s.mention("2 + 2?"))
	s.answer(s.channel, question, "Four.")
	s.askedTimes(2)
}

// TestARetryIsServedFromRedis asks once more elsewhere, by another process, because
// Discord did not accept the first answer.
func TestARetryIsServedFromRedis(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	environ := s.served()
	refused := discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), 403, 50013, "Missing Permissions")
	refused.Times = -1
	injected := s.discord.Faults.Inject(refused)
	r := s.start(environ...)
	r.settled(s, s.postIn(s.thread("sums"), s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}))
	r.end()
	injected.Remove()
	s.sums(s.start(environ...), "Four.")
	s.askedTimes(1)
}

// TestARedeliveryAfterACrashIsServedFromRedis kills a process while it gives an answer
// again, and lets another catch up.
func TestARedeliveryAfterACrashIsServedFromRedis(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	environ := append(s.served(), "CLAIM_LEASE=1s")
	r := s.start(environ...)
	s.sums(r, "Four.")
	r.end()
	crashed := s.spawn(environ...)
	gate := make(chan struct{})
	held := s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), Gate: gate})
	in := s.thread("sums")
	question := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	if err := held.Await(s.ctx, 1); err != nil {
		t.Fatal(err)
	}
	crashed.kill()
	s.spawn(environ...)
	s.answer(in, question, "Four.")
	close(gate)
	if answers := s.answersOf(in)[question]; len(answers) != 1 {
		t.Errorf("the question has %d answers, want 1", len(answers))
	}
	s.askedTimes(1)
}

// TestAReusedAnswerHasTheSourcesOfItsOriginal deletes the question that an answer was
// made for after the answer was given again elsewhere.
func TestAReusedAnswerHasTheSourcesOfItsOriginal(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("It is Swordfish."), openaitest.Answer("Here."))
	r := s.start()
	var in [2]graph.ChannelID
	var asked [2]graph.MessageID
	for i := range in {
		in[i] = s.thread("secrets")
		asked[i] = s.postIn(in[i], s.ann, discordtest.Draft{Content: s.mention("what is the password?")})
		s.answer(in[i], asked[i], "It is Swordfish.")
		r.settled(s, asked[i])
	}
	s.discord.Chat.Delete(in[0], asked[0])
	s.asks("and now?", "Here.")
	r.end()
	s.nowhere("Swordfish")
	if kept, err := s.stored().Responses.ByTrigger(s.ctx, s.scope(), asked[1]); err != nil || len(kept) != 0 {
		t.Errorf("of the reused answer is kept %+v, %v, want none and no error", kept, err)
	}
}

// TestAnAnswerIsNotGivenAgainOnceItsSourceIsHidden hides the channel that an answer was
// made from before the same is asked in another.
func TestAnAnswerIsNotGivenAgainOnceItsSourceIsHidden(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("The one of before."), openaitest.Answer("The one of now."), openaitest.Answer("Here."))
	r := s.start()
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "hidden"})
	before := s.postIn(hidden, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	s.answer(hidden, before, "The one of before.")
	r.settled(s, before)
	s.discord.World.SetOverwrites(hidden,
		discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel},
		discordtest.Overwrite{Member: s.heddle.User, Allow: discordtest.ViewChannel},
	)
	s.sums(r, "The one of now.")
	s.sums(r, "The one of now.")
	s.askedTimes(2)
}
