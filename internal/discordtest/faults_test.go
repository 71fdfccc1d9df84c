package discordtest_test

import (
	"net/http"
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
		"a cut answer":          {after(discordtest.Fault{Match: create, Cut: true}), 0, 1},
		"503":                   {discordtest.Fault{Match: create, Status: http.StatusServiceUnavailable}, 503, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, free())
			injected := p.Faults.Inject(c.fault)
			p.do(t, http.MethodGet, p.messages(), "")
			a, _ := p.try(t, http.MethodPost, p.messages(), `{"content":"x"}`) // status 0 if cut
			if a.status != c.status {
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
