package discordtest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/internal/discordtest"
)

func TestFaultsStrikeTheRequestsTheyName(t *testing.T) {
	create := discordtest.On(discordtest.RouteCreateMessage)
	for name, c := range map[string]struct {
		fault  discordtest.Fault
		status int
		exists int
	}{
		"502 before acceptance": {discordtest.BadGateway(create), 502, 0},
		"502 after acceptance":  {after(discordtest.BadGateway(create)), 502, 1},
		"429 of the route":      {discordtest.TooMany(create, discordtest.ScopeUser, time.Second), 429, 0},
		"429 global":            {discordtest.TooMany(create, discordtest.ScopeGlobal, time.Second), 429, 0},
		"429 without headers":   {discordtest.TooManyBare(create, time.Second), 429, 0},
		"429 as a page":         {discordtest.TooManyHTML(create, time.Second), 429, 0},
		"503":                   {discordtest.Fault{Match: create, Status: http.StatusServiceUnavailable}, 503, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, free())
			injected := p.Faults.Inject(c.fault)
			p.do(t, http.MethodGet, p.messages(), "")
			if a := p.create(t, `{"content":"x"}`); a.status != c.status {
				t.Errorf("got %d, want %d", a.status, c.status)
			}
			if n := len(p.Chat.Messages(p.channel)); n != c.exists {
				t.Errorf("%d messages exist, want %d", n, c.exists)
			}
			if a := p.create(t, `{"content":"y"}`); a.status != http.StatusOK || injected.Hits() != 1 {
				t.Errorf("struck %d times, then %d, want 1 and %d", injected.Hits(), a.status, http.StatusOK)
			}
		})
	}
}

func after(f discordtest.Fault) discordtest.Fault {
	f.After = true
	return f
}

func TestACutConnectionGivesNoAnswer(t *testing.T) {
	p := newPlace(t, free())
	p.Faults.Inject(discordtest.Fault{Cut: true, After: true, Match: discordtest.On(discordtest.RouteCreateMessage)})
	_, err := p.try(t, http.MethodPost, p.messages(), "application/json", strings.NewReader(`{"content":"x"}`))
	if err == nil || len(p.Chat.Messages(p.channel)) != 1 {
		t.Errorf("error %v with %d messages, want an error and 1", err, len(p.Chat.Messages(p.channel)))
	}
	if r := p.Record.Requests(discordtest.On(discordtest.RouteCreateMessage)); len(r) != 1 || r[0].Status != -1 {
		t.Errorf("recorded %+v, want one of them and Status %v of the first", r, -1)
	}
}

func TestAGateHoldsARequestUntilItOpens(t *testing.T) {
	p := newPlace(t, free())
	gate := make(chan struct{})
	held := p.Faults.Inject(discordtest.Fault{Gate: gate, Match: discordtest.On(discordtest.RouteCreateMessage)})
	answered := make(chan answer, 1)
	go func() {
		a, _ := p.try(t, http.MethodPost, p.messages(), "application/json", strings.NewReader(`{"content":"x"}`))
		answered <- a
	}()
	if err := held.Await(within(t), 1); err != nil {
		t.Fatal(err)
	}
	r, err := p.Record.AwaitRequest(within(t), discordtest.On(discordtest.RouteCreateMessage))
	if err != nil || r.Status != 0 || len(p.Chat.Messages(p.channel)) != 0 {
		t.Fatalf("the held request is %+v, %v, want one without a status, and no message", r, err)
	}
	close(gate)
	if a := receive(t, answered); a.status != http.StatusOK {
		t.Errorf("got %d, want %d", a.status, http.StatusOK)
	}
}

func TestSkipAndTimesCountMatchingRequests(t *testing.T) {
	p := newPlace(t, free())
	p.Faults.Inject(discordtest.Fault{Status: 500, Skip: 1, Times: 2, Match: discordtest.On(discordtest.RouteMe)})
	var got []int
	for range 4 {
		got = append(got, p.do(t, http.MethodGet, "/users/@me", "").status)
	}
	if got[0] != 200 || got[1] != 500 || got[2] != 500 || got[3] != 200 {
		t.Errorf("got %v, want 200 first, 500 second, 500 third and 200 fourth", got)
	}
}

func TestNumbersCanComeAsStrings(t *testing.T) {
	p := newPlace(t, free())
	p.say(t, "x")
	p.Faults.Inject(discordtest.Fault{Rewrite: discordtest.NumbersAsStrings, Times: -1})
	a := p.do(t, http.MethodGet, p.messages(), "")
	if !strings.Contains(string(a.body), `"type":"0"`) {
		t.Errorf("got %s, want numbers as strings", a.body)
	}
}

func TestRawFieldsStandInPlaceOfTheServers(t *testing.T) {
	p := newPlace(t, free())
	p.post(t, discordtest.Draft{Raw: map[string]any{
		"components": []any{map[string]any{"type": 99, "novel": true}}, "tapestry": "new", "type": 77,
	}})
	var page []map[string]any
	p.do(t, http.MethodGet, p.messages(), "").decode(t, &page)
	if page[0]["tapestry"] != "new" || page[0]["type"] != 77.0 {
		t.Errorf("got %v, want %q for \"tapestry\" and %v for \"type\"", page[0], "new", 77.0)
	}
}

func TestRequestsAreRecordedWithWhatTheyCarried(t *testing.T) {
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Records: 4})
	p.create(t, `{"content":"x"}`)
	r := p.Record.Requests(nil)[0]
	var body struct{ Content string }
	if err := r.Decode(&body); err != nil || body.Content != "x" || r.Channel() != p.channel || r.Bot != p.bot.User || r.Status != 200 {
		t.Errorf("recorded %+v, %v, want the bot's message x with status 200", r, err)
	}
	for range 10 {
		p.do(t, http.MethodGet, "/users/@me", "")
	}
	if n := len(p.Record.Requests(nil)); n > 4 || p.Record.Count(discordtest.RouteMe) != 10 {
		t.Errorf("%d kept, %d counted, want at most 4 and 10", n, p.Record.Count(discordtest.RouteMe))
	}
	p.Record.Forget()
	if p.Record.Count(discordtest.RouteMe) != 0 || len(p.Record.Requests(nil)) != 0 {
		t.Error("not forgotten")
	}
}
