package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAnswersOfDiscordThatCannotBeReadChangeNothing has Discord carry out requests and answer
// them with something else than usual, as a proxy in front of it does.
func TestAnswersOfDiscordThatCannotBeReadChangeNothing(t *testing.T) {
	t.Parallel()
	for what, route := range map[string]string{
		"creates": discordtest.RouteCreateMessage, "edits": discordtest.RouteEditMessage, "reads": discordtest.RouteMessages,
	} {
		for name, body := range map[string]string{
			"nothing": "", "null": "null", "a web page": "<html><title>Sign in</title>", "half a list": `[{"id":"1234`, "half a message": `{"id":"1234567890","content":"All of`,
		} {
			t.Run(what+" that are answered by "+name, func(t *testing.T) {
				t.Parallel()
				s := newScene(t, discordtest.Options{})
				s.said(time.Hour, "bob: an earlier message")
				goesOn := make(chan struct{})
				reply := openaitest.Answer("All of it is said, ", "whatever happens on the way.")
				reply.Chunks[1].Wait = goesOn
				s.model.Queue(reply)
				s.start()
				s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(route), After: true, Status: http.StatusOK, Body: body, Times: 2})
				trigger := s.ask(s.ann, "say it all")
				s.begun(s.channel, trigger, "All of it")
				close(goesOn)
				s.wholeAnswer(trigger, "All of it is said, whatever happens on the way.")
				if n := s.own(); n != 1 {
					t.Errorf("%d messages of heddle's stand, want 1", n)
				}
				if got := s.asked(1)[0]; !strings.Contains(got, "an earlier message") {
					t.Errorf("the model was asked with %q, want %q in it", got, "an earlier message")
				}
				if got := len(s.model.Requests()); got != 1 {
					t.Errorf("the model was asked %d times, want 1", got)
				}
			})
		}
	}
}

// TestAHistoryThatCannotBeReadIsDiscordsFault has Discord's history stay unreadable for
// longer than heddle tries to read it.
func TestAHistoryThatCannotBeReadIsDiscordsFault(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"a web page":      {Status: http.StatusOK, Body: "<html><title>Sign in</title>"},
		"another kind":    {Status: http.StatusOK, Body: `{"messages":[]}`},
		"no answer":       {Cut: true},
		"an error's page": discordtest.BadGateway(nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.said(time.Hour, "bob: an earlier message")
			s.start()
			fault.Match, fault.Times = discordtest.On(discordtest.RouteMessages), -1
			unreadable := s.discord.Faults.Inject(fault)
			s.wholeAnswer(s.ask(s.ann, "what was said?"), phrases.English(phrases.DiscordTrouble))
			unreadable.Remove()
			s.always(openaitest.Answer("Something earlier."))
			s.wholeAnswer(s.ask(s.ann, "and now?"), "Something earlier.")
		})
	}
}
