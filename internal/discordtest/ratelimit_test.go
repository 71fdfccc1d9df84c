package discordtest_test

import (
	"net/http"
	"testing"
	"time"

	"heddle/internal/discordtest"
)

func TestTheSixthSendInFiveSecondsIsRefused(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Clock: clock.Now})
	for n := range 5 {
		a := p.create(t, `{"content":"x"}`)
		if want := string(rune('4' - n)); a.status != http.StatusOK || a.header.Get("X-RateLimit-Remaining") != want {
			t.Fatalf("send %d: %d, remaining %q, want %d and %q", n, a.status, a.header.Get("X-RateLimit-Remaining"), http.StatusOK, want)
		}
	}
	clock.Advance(1500 * time.Millisecond)
	a := p.create(t, `{"content":"x"}`)
	var wire struct {
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	a.decode(t, &wire)
	if a.status != http.StatusTooManyRequests || wire.RetryAfter != 3.5 || wire.Global {
		t.Fatalf("got %d %s, want 429 with a wait of 3.5 s that is not global", a.status, a.body)
	}
	for name, want := range map[string]string{
		"X-RateLimit-Limit": "5", "X-RateLimit-Reset-After": "3.500", "X-RateLimit-Scope": "user", "Retry-After": "4",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	other := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "other"})
	if a := p.do(t, http.MethodPost, "/channels/"+other.String()+"/messages", `{"content":"x"}`); a.status != http.StatusOK {
		t.Errorf("another channel's bucket answered %d, want %d", a.status, http.StatusOK)
	}
	clock.Advance(4 * time.Second)
	if a := p.create(t, `{"content":"x"}`); a.status != http.StatusOK {
		t.Errorf("after the window: %d, want %d", a.status, http.StatusOK)
	}
}

func TestTheGlobalLimitCountsEveryRoute(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Clock: clock.Now, Limits: &discordtest.Limits{Global: 2}})
	p.do(t, http.MethodGet, "/users/@me", "")
	p.do(t, http.MethodGet, "/users/@me/guilds", "")
	a := p.do(t, http.MethodGet, "/users/@me", "")
	if a.status != http.StatusTooManyRequests || a.header.Get("X-RateLimit-Global") != "true" || a.header.Get("X-RateLimit-Scope") != "global" {
		t.Errorf("got %d %v, want 429 of the global limit", a.status, a.header)
	}
}
