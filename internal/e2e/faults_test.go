package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// TestAFaultOfTheModelIsToldInASentence proves that everybody gets an answer when the
// model fails, and that the failure is not stored as one. TestEveryStatusOfAProviderHasItsKind
// and TestEveryErrorHasASentence have all the ways to fail.
func TestAFaultOfTheModelIsToldInASentence(t *testing.T) {
	half := openaitest.Answer("The first half of an answer that never ")
	half.FinishReason, half.End = "", openaitest.EndAbort
	filtered := openaitest.Reply{FinishReason: "content_filter"}
	type variant struct {
		reply openaitest.Reply
		want  string
	}
	inScenes(t, map[string]variant{
		"a wrong key":                 {openaitest.Fail(openaitest.Failure{Status: 401, Message: "bad key"}), "check the model's name, address and key"},
		"a provider that fails":       {openaitest.Fail(openaitest.Failure{Status: 500}), "failed to answer"},
		"too long a conversation":     {openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}), "too long"},
		"a filter":                    {filtered, "would not answer that"},
		"an answer without text":      {openaitest.Answer(""), "nothing to say"},
		"an answer of spaces":         {openaitest.Answer("  ", "\n\n", "\t"), "nothing to say"},
		"an answer of wide spaces":    {openaitest.Answer("\u00a0", "\u2003\u2028"), "nothing to say"},
		"a connection that breaks":    {half, "\n-# My language model stopped in the middle"},
		"an answer that is malformed": {openaitest.Reply{Chunks: []openaitest.Chunk{{Raw: "data: {nonsense\n\n"}}}, "answered in a way that I can't read"},
	}, func(s *scene, test variant) {
		s.always(test.reply)
		r := s.start()
		s.answered(s.channel, "tell me a secret", test.want)

		s.always(openaitest.Answer("All is well."))
		tried := len(s.model.Requests())
		s.answered(s.channel, "and now?", "All is well.")
		s.lacks(s.conversation(tried+1), test.want)
		s.lacks(r.logs.String(), "secret", "first half")
	})
}

// TestFaultsOfDiscordChangeNothing proves that a mention is answered once and whole
// whatever goes wrong: requests that fail, or that are carried out and answered by something
// else than usual, as a proxy in front of Discord does, and events and sessions that are lost.
// For requests that fail see TestFaultsNeverDoubleAnAnswer.
func TestFaultsOfDiscordChangeNothing(t *testing.T) {
	create, edit, read := discordtest.On(discordtest.RouteCreateMessage), discordtest.On(discordtest.RouteEditMessage), discordtest.On(discordtest.RouteMessages)
	strikes := map[string]func(*scene){
		"events that come twice":    func(s *scene) { s.discord.Events.Intercept(discordtest.Doubled("MESSAGE_CREATE", "MESSAGE_UPDATE")) },
		"updates that never come":   func(s *scene) { s.discord.Events.Intercept(discordtest.Dropped("MESSAGE_UPDATE")) },
		"a cut socket":              func(s *scene) { s.discord.Gateway.CloseSockets(1006) },
		"a session that is no more": func(s *scene) { s.discord.Gateway.Invalidate() },
		"a wish to reconnect":       func(s *scene) { s.discord.Gateway.AskReconnect() },
		"events nobody knows": func(s *scene) {
			s.discord.Events.Dispatch(s.heddle.User, "BRAND_NEW_THING", map[string]any{"id": 5, "odd": []int{1}})
			s.discord.Gateway.SendRaw([]byte(`{"op":0,"t":"MESSAGE_CREATE","s":99999,"d":{"content":7,"components":[{"type":99}]}}`))
		},
	}
	for name, fault := range map[string]discordtest.Fault{
		"a create answered by a web page": {Match: create, After: true, Status: 200, Body: "<html><title>Sign in</title>", Times: 2},
		"a create answered by half of it": {Match: create, After: true, Status: 200, Body: `{"id":"1234567890","content":"All of`, Times: 2},
		"an edit answered by nothing":     {Match: edit, After: true, Status: 200, Times: 2},
		"typing that is refused":          {Match: discordtest.On(discordtest.RouteTyping), Status: 403, Times: -1},
		"a history page that fails":       {Match: read, Status: 500},
		"a history page of half a list":   {Match: read, After: true, Status: 200, Body: `[{"id":"1234`, Times: 2},
		"a history page of null":          {Match: read, After: true, Status: 200, Body: "null", Times: 2},
		"numbers as strings":              {Times: -1, Rewrite: discordtest.NumbersAsStrings},
	} {
		strikes[name] = func(s *scene) { s.discord.Faults.Inject(fault) }
	}
	inScenes(t, strikes, func(s *scene, strike func(*scene)) {
		s.said(time.Hour, "bob: an earlier message")
		goesOn := s.pauses("All of it is ", "said, whatever happens on the way.")
		s.start()
		strike(s)
		trigger := s.ask(s.ann, "say it all")
		s.begun(s.channel, trigger, "All of it is")
		close(goesOn)
		s.wholeAnswer(trigger, "All of it is said, whatever happens on the way.")
		s.contains(s.conversation(1), "an earlier message")
		s.asks("still there?", "Still here.")
		s.hasSaid(2)
		s.askedTimes(2)
	})
}

// TestAModelThatHangsIsToldAtOnce has requests to the model hang for 64 questions. All
// who asked are told that it is slow, or that it is away, as is somebody in another
// server, who is answered once it is back.
func TestAModelThatHangsIsToldAtOnce(t *testing.T) {
	s := newScene(t)
	back := make(chan struct{})
	reply := openaitest.Answer("There I am.")
	reply.Wait = back
	s.always(reply)
	elsewhere := s.discord.World.AddGuild("spinners")
	quiet := s.discord.World.AddChannel(elsewhere, discordtest.ChannelDraft{Name: "general"})
	carl := s.discord.People.AddUser("carl", elsewhere)
	s.discord.People.Join(elsewhere, s.heddle.User)
	s.start("LLM_PATIENCE=100ms", "SHUTDOWN_GRACE=1s")
	waiting := map[graph.ChannelID]graph.MessageID{}
	for i := range 64 {
		thread := s.thread(fmt.Sprintf("thread %d", i))
		waiting[thread] = s.postIn(thread, []graph.UserID{s.ann, s.bob}[i%2], discordtest.Draft{Content: s.mention(fmt.Sprintf("are you there, %d?", i))})
	}
	for thread, asked := range waiting {
		s.answerThat(thread, asked, "", func(discordtest.Message) bool { return true })
	}
	// The notice that the model is slow stands only until heddle knows that it is away.
	slow := len(s.discord.Record.Requests(func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteCreateMessage && strings.Contains(string(r.Body), "is slow to answer")
	}))
	if slow < 7 {
		t.Errorf("%d who asked are told that the model is slow, want at least the 7 that show it", slow)
	}
	s.answer(quiet, s.askIn(quiet, carl, "and here?"), "can't reach my language model")
	close(back)
	for {
		asked := s.askIn(quiet, carl, "and now?")
		if m := s.answerThat(quiet, asked, "", func(m discordtest.Message) bool { return !growing(m) }); m.Content == "There I am." {
			break
		}
	}
}

// standIns starts two providers, which are asked in this order if the model fails, and
// takes the model itself away.
func (s *scene) standIns() (second, third *openaitest.Server) {
	s.t.Helper()
	second, third = s.another(), s.another()
	s.environ = append(s.environ, fmt.Sprintf("LLM_FALLBACKS=second-model %s sk-second, third-model %s sk-third", second.URL(), third.URL()))
	s.ok(s.model.Close())
	return second, third
}

// TestTheThirdProviderAnswersIfTwoFail has the first of three providers be away, the second
// refuse to work, and the third answer, which neither calls tools nor sees pictures. The
// person who asked reads the answer, and why the picture was not seen; the log names both
// failures.
func TestTheThirdProviderAnswersIfTwoFail(t *testing.T) {
	s := newScene(t)
	second, third := s.standIns()
	refusal := openaitest.Fail(openaitest.Failure{Status: 401, Code: "invalid_api_key", Message: "Incorrect API key provided: sk-second."})
	second.Queue(refusal, refusal)
	third.Queue(
		openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support tools."}),
		openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support image input."}),
		openaitest.Answer("I would have to guess."), openaitest.Answer("Blue, I guess."),
	)
	r := s.start("VISION=on")
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("which colour?"), Attachments: file("a.png", "image/png", picture(t, 8))})
	r.wholeAnswer(s, question, "I would have to guess.\n"+phrases.English("notice_unseen"))
	s.tells(s.channel, s.answersOf(s.channel)[question][0].ID, "What this answer was made from", "-# third-model, ")
	s.answer(s.channel, s.ask(s.bob, "one word?"), "Blue, I guess.\n"+phrases.English("notice_unseen"))
	s.lacks(string(third.Requests()[3].Body), `"tools"`, "image_url")
	r.end()
	s.contains(r.logs.String(), "model=test-model failure=unreachable next=second-model", `model=second-model failure="not authorized" next=third-model`)
	s.lacks(r.logs.String(), "sk-")
	s.same("the model that is recorded", s.recorded(question).Model, "third-model")
}

// TestPeopleAreAnsweredByEveryStrictServer asks servers that refuse what others take, as a
// channel does: three people, two pictures, and an answer for which the model calls a tool.
// The second question of a channel is answered as well, as its conversation then holds the
// call.
func TestPeopleAreAnsweredByEveryStrictServer(t *testing.T) {
	t.Parallel()
	for _, rule := range openaitest.Strictest() {
		t.Run(rule.Name, func(t *testing.T) {
			s := newScene(t)
			s.scripted(func(r openaitest.Request) *openaitest.Reply {
				reply, refused := rule.Refuse(r)
				last := r.Chat.Messages[len(r.Chat.Messages)-1]
				switch {
				case refused:
				case len(r.Chat.Tools) > 0 && last.Role != "tool":
					reply = openaitest.Call(openaitest.ToolCall{ID: "c1", Name: "search_channel", Arguments: `{"words":"warp"}`})
				default:
					reply = openaitest.Answer("The blue one.")
				}
				return &reply
			})
			r := s.start("VISION=on")
			s.post(s.bob, discordtest.Draft{Content: "two looms", Attachments: file("a.png", "image/png", picture(t, 8))})
			s.post(s.discord.People.AddUser("carl", s.guild), discordtest.Draft{Content: "which one? this tool does not support images"})
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("this one?"), Attachments: append(file("b.png", "image/png", picture(t, 9)), file("c.png", "image/png", picture(t, 10))...)})
			s.answer(s.channel, question, "The blue one.")
			s.answer(s.channel, s.ask(s.bob, "and why?"), "The blue one.")
			r.end()
			s.contains(r.logs.String(), "a provider refuses a part of requests")
			s.lacks(r.logs.String(), "which one")
		})
	}
}

// TestNoProviderAnswers has all three providers fail. The person who asked reads one sentence,
// and /heddle privacy names all three.
func TestNoProviderAnswers(t *testing.T) {
	s := newScene(t)
	second, third := s.standIns()
	for range 4 {
		second.Queue(openaitest.Reply{Status: 401})
		third.Queue(openaitest.Reply{Status: 401})
	}
	s.start()
	s.wholeAnswer(s.ask(s.bob, "anybody?"), phrases.English("model_misset"))
	s.contains(s.uses(s.channel, "heddle privacy"), "(model second-model)", "(model third-model)")
}

// TestWhatPeopleHaveReadStaysInALockedThread archives and locks a thread in the midst of an
// answer. What has begun stays until the thread is open again and the whole answer stands.
func TestWhatPeopleHaveReadStaysInALockedThread(t *testing.T) {
	s := newScene(t)
	shown, gate := make(chan struct{}), make(chan struct{})
	reply := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft ", "across it.")
	reply.Chunks[1].Wait, reply.Chunks[2].Wait = shown, gate
	s.model.Queue(reply)
	r := s.start()
	thread := s.thread("looms")
	question := s.askIn(thread, s.ann, "what is a warp?")
	begun := s.begun(thread, question, "The warp is what runs lengthwise")
	s.discord.World.SetArchived(thread, true, true)
	close(shown)
	s.awaits(&r.logs, "Discord refuses to edit a growing answer")
	close(gate)
	s.awaits(&r.logs, " tries=2 ")
	m, _ := s.discord.Chat.Message(thread, begun.ID)
	s.same("what people have read", m.Content, begun.Content)
	s.discord.World.SetArchived(thread, false, false)
	s.standsInParts(thread, s.answer(thread, question, "across it.").ID, "The warp is what runs lengthwise in a loom, and the weft across it.", row)
	r.settled(s, question)
	s.oneEach(thread)
	s.askedTimes(1)
}

// TestAnAnswerThatMayNotGoOnSaysSo takes from heddle the right to send in the midst of an
// answer of several messages. What stands ends with a sentence that says why.
func TestAnAnswerThatMayNotGoOnSaysSo(t *testing.T) {
	const notice = "\n-# The answer stops here, as Discord no longer lets me write in this channel."
	inScenes(t, map[string]func(*scene){
		"the permission is taken": func(s *scene) { s.denies(s.channel, discordtest.SendMessages) },
		"heddle is timed out": func(s *scene) {
			s.discord.People.Timeout(s.guild, s.heddle.User, time.Now().Add(time.Hour))
		},
	}, func(s *scene, refuse func(*scene)) {
		gate := s.pauses(strings.Repeat("The warp runs lengthwise. ", 40), strings.Repeat("The weft runs across it. ", 400))
		s.model.Queue(openaitest.Answer("Here."))
		r := s.start()
		trigger := s.ask(s.ann, "what is a warp?")
		s.begun(s.channel, trigger, "The warp runs lengthwise.")
		refuse(s)
		close(gate)
		m := s.answer(s.channel, trigger, notice)
		if !strings.HasPrefix(m.Content, "The warp runs") || !strings.HasSuffix(m.Content, notice) || len(m.Content) > 2000 {
			s.t.Errorf("what stands reads %q, want the beginning of the answer and the notice", m.Content)
		}
		s.hasSaid(1)
		r.settled(s, trigger)
		errtest.Must(s.discord.Record.AwaitRequests(s.ctx, 1, func(q discordtest.Request) bool {
			return q.Route == discordtest.RouteCreateMessage && q.Status == 403 // the rest
		}))(s.t)
	})
}

// slows refuses messages of heddle's in the scene's channel after so many, as a slow mode of
// hours does that applies to bots.
func (s *scene) slows(after int, wait time.Duration) *discordtest.Injection {
	create, path := discordtest.On(discordtest.RouteCreateMessage), "/channels/"+s.channel.String()+"/"
	fault := discordtest.TooMany(func(r discordtest.Request) bool { return create(r) && strings.HasPrefix(r.Path, path) }, discordtest.ScopeUser, wait)
	fault.Body = strings.Replace(fault.Body, `"code":0`, `"code":20016`, 1)
	fault.Skip, fault.Times = after, -1
	return s.discord.Faults.Inject(fault)
}

// TestASlowModeOfHoursHoldsUpItsChannelAlone asks for an answer of several messages and for
// a short one where Discord takes one message in six hours. Discord is not asked again and
// again, and other channels are answered.
func TestASlowModeOfHoursHoldsUpItsChannelAlone(t *testing.T) {
	s := newScene(t)
	slow := s.slows(1, 6*time.Hour)
	s.model.Queue(openaitest.Answer(strings.Repeat("The warp runs lengthwise. ", 40), strings.Repeat("The weft runs across it. ", 200)))
	s.always(openaitest.Answer("Here."))
	r := s.start()
	const kept = "an answer could not be sent, this is tried again"
	for i, question := range []string{"what is a warp?", "and a weft?"} {
		s.ask(s.ann, question)
		s.awaitsTimes(&r.logs, kept, i+1)
	}
	thread := s.thread("elsewhere")
	s.answer(thread, s.askIn(thread, s.bob, "where are you?"), "Here.")
	s.same("how often Discord was asked to take a message although it takes none for hours", slow.Hits(), 1)
	s.hasSaid(1)
	s.same("answers that the log says to wait for hours", strings.Count(r.logs.String(), "pause=5h"), 2)
}
