package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAFaultOfTheModelIsToldInASentence proves that everybody gets an answer when the
// model fails, and that the failure is not stored as one.
func TestAFaultOfTheModelIsToldInASentence(t *testing.T) {
	t.Parallel()
	half := openaitest.Answer("The first half of an answer that never ")
	half.FinishReason, half.End = "", openaitest.EndAbort
	quiet := openaitest.Answer("The first half of an answer that never ")
	quiet.FinishReason, quiet.End = "", openaitest.EndQuiet
	filtered := openaitest.Reply{FinishReason: "content_filter"}
	for name, test := range map[string]struct {
		reply openaitest.Reply
		want  string
	}{
		"a wrong key":                 {openaitest.Fail(openaitest.Failure{Status: 401, Message: "bad key"}), "check the model's name, address and key"},
		"an unknown model":            {openaitest.Fail(openaitest.Failure{Status: 404, Code: "model_not_found"}), "check the model's name, address and key"},
		"an account without money":    {openaitest.Fail(openaitest.Failure{Status: 429, Code: "insufficient_quota", Type: "insufficient_quota"}), "budget"},
		"a provider that fails":       {openaitest.Fail(openaitest.Failure{Status: 500}), "overloaded"},
		"an HTML page":                {openaitest.Reply{Status: 200, Body: "<html>", Header: http.Header{"Content-Type": {"text/html"}}}, "check the model's name, address and key"},
		"too long a conversation":     {openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}), "too long"},
		"a filter":                    {filtered, "would not answer that"},
		"an answer without text":      {openaitest.Answer(""), "nothing to say"},
		"an answer of spaces":         {openaitest.Answer("  ", "\n\n", "\t"), "nothing to say"},
		"an answer of wide spaces":    {openaitest.Answer("\u00a0", "\u2003\u2028"), "nothing to say"},
		"a connection that breaks":    {half, "stopped in the middle"},
		"a stream that just ends":     {quiet, "stopped in the middle"},
		"an answer that is malformed": {openaitest.Reply{Chunks: []openaitest.Chunk{{Raw: "data: {nonsense\n\n"}}}, "answered in a way that I can't read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(test.reply)
			r := s.start()
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me a secret")})
			s.answer(s.channel, trigger, test.want)

			s.always(openaitest.Answer("All is well."))
			tried := len(s.model.Requests())
			next := s.post(s.ann, discordtest.Draft{Content: s.mention("and now?")})
			s.answer(s.channel, next, "All is well.")
			if got := strings.Join(s.asked(tried+1), "\n"); strings.Contains(got, test.want) {
				t.Errorf("the fault became part of the conversation: %q, want no %q in it", got, test.want)
			}
			if logs := r.logs.String(); strings.Contains(logs, "secret") || strings.Contains(logs, "first half") {
				t.Error("a message's text is in the log")
			}
		})
	}
}

func TestAnAnswerThatIsCutOffSaysSo(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	long := openaitest.Answer("A very long answer")
	long.FinishReason = "length"
	s.model.Queue(long)
	s.start()
	answer := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("go on")}), "limit")
	if want := "A very long answer\n-# The answer reached its length limit."; answer.Content != want {
		t.Errorf("the answer reads %q, want %q", answer.Content, want)
	}
}

// TestFaultsOfDiscordChangeNothing proves that a mention is answered once and whole
// whatever goes wrong.
func TestFaultsOfDiscordChangeNothing(t *testing.T) {
	t.Parallel()
	create := discordtest.On(discordtest.RouteCreateMessage)
	faults := map[string]func(*scene){
		"a create that fails":             func(s *scene) { s.discord.Faults.Inject(discordtest.Fault{Match: create, Status: 500}) },
		"a create that is lost after all": func(s *scene) { s.discord.Faults.Inject(discordtest.Fault{Match: create, After: true, Status: 502}) },
		"a connection cut after a create": func(s *scene) { s.discord.Faults.Inject(discordtest.Fault{Match: create, After: true, Cut: true}) },
		"a rate limit": func(s *scene) {
			s.discord.Faults.Inject(discordtest.Fault{
				Match: create, Status: http.StatusTooManyRequests, Body: `{"message":"slow down","retry_after":0.01,"global":false}`,
			})
		},
		"a rate limit in HTML": func(s *scene) {
			s.discord.Faults.Inject(discordtest.Fault{Match: create, Status: http.StatusTooManyRequests, Body: "<html>", Header: http.Header{"Retry-After": {"0.01"}}})
		},
		"an edit that fails": func(s *scene) {
			s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteEditMessage), Status: 503})
		},
		"typing that is refused": func(s *scene) {
			s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteTyping), Status: 403, Times: -1})
		},
		"a history page that fails": func(s *scene) {
			s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteMessages), Status: 500})
		},
		"numbers as strings": func(s *scene) {
			s.discord.Faults.Inject(discordtest.Fault{Times: -1, Rewrite: discordtest.NumbersAsStrings})
		},
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
	for name, strike := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("All of it is ", "said, whatever ", "happens on the way."))
			s.start()
			strike(s)
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("say it all")})
			s.answer(s.channel, trigger, "All of it is said, whatever happens on the way.")

			s.model.Queue(openaitest.Answer("Still here."))
			next := s.post(s.bob, discordtest.Draft{Content: s.mention("still there?")})
			s.answer(s.channel, next, "Still here.")
			answers := 0
			for _, m := range s.discord.Chat.Messages(s.channel) {
				if m.Author == s.heddle.User {
					answers++
				}
			}
			if got := len(s.model.Requests()); answers != 2 || got != 2 {
				t.Errorf("two mentions brought %d answers by %d requests, want 2 and 2", answers, got)
			}
		})
	}
}

func TestADeletedAnswerIsNotWrittenOn(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	reply := openaitest.Answer("The beginning of an answer that somebody takes away.", " More.", " And more.")
	reply.Chunks[2].Wait = gate
	s.model.Queue(reply, openaitest.Answer("Here."))
	s.start()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me")})
	answer := s.begun(s.channel, trigger, "The beginning")
	s.discord.Chat.Delete(s.channel, answer.ID)
	close(gate)
	next := s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")})
	s.answer(s.channel, next, "Here.")
	for _, m := range s.discord.Chat.Messages(s.channel) {
		if m.Reference != nil && m.Reference.Message == trigger {
			t.Errorf("a deleted answer came back as %q, want it to stay away", m.Content)
		}
	}
}

// TestAProviderThatRejectsInMidConversationIsAskedOnceMore lets a provider stop accepting
// tools, pictures and log-probabilities, with the errors of several providers.
func TestAProviderThatRejectsInMidConversationIsAskedOnceMore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rejects openaitest.Reply
		holds   string // what the first request held and the last does not
		notice  string
	}{
		"tools":              {openaitest.Reject("tools"), `"tools":[`, ""},
		"log-probabilities":  {openaitest.Reject("logprobs"), `"logprobs":true`, ""},
		"pictures":           {openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support image input."}), "data:image/png", "-# I can't see images here."},
		"pictures, by words": {openaitest.Fail(openaitest.Failure{Status: 404, Message: "No endpoints found that support image input"}), "data:image/png", "-# I can't see images here."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(
				call("search_channel", `{"words":"loom"}`), openaitest.Answer("There is one."),
				test.rejects, openaitest.Answer("It stands there."), openaitest.Answer("As before."),
			)
			s.start("VISION=on")
			question := discordtest.Draft{Content: s.mention("is there a loom?"), Attachments: file("a.png", "image/png", picture(t, 8))}
			first := s.answer(s.channel, s.post(s.ann, question), "There is one.")
			second := s.post(s.ann, discordtest.Draft{Content: s.mention("where?"), ReplyTo: first.ID})
			s.wholeAnswer(second, strings.TrimSpace("It stands there.\n"+test.notice))
			third := s.post(s.ann, discordtest.Draft{Content: s.mention("still?")})
			s.wholeAnswer(third, "As before.")
			requests := s.model.Requests()
			if len(requests) != 5 || !strings.Contains(string(requests[2].Body), test.holds) {
				t.Fatalf("there were %d requests, the third is %s, want 5 and %q in it", len(requests), requests[2].Body, test.holds)
			}
			for _, r := range requests[3:] {
				if strings.Contains(string(r.Body), test.holds) || !strings.Contains(string(r.Body), "There is one.") {
					t.Errorf("asked once more it is %s, want it without %q", r.Body, test.holds)
				}
			}
		})
	}
}
