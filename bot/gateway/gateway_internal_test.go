package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"heddle/internal/discord"
)

func TestPausesGrowOnlyWhileConnectingFails(t *testing.T) {
	g := New(Config{Token: "t"})
	if pause := g.backoff(0); pause != 0 {
		t.Errorf("after a connection that worked the pause is %s, want none", pause)
	}
	for failures, most := range []time.Duration{0, time.Second / 2, time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second} {
		if pause := g.backoff(failures); pause > most || pause < most/2 {
			t.Errorf("after %d failures the pause is %s, want between %s and %s", failures, pause, most/2, most)
		}
	}
	if pause := g.backoff(1000); pause > 4*time.Second {
		t.Errorf("after 1,000 failures the pause is %s, want at most %s", pause, 4*time.Second)
	}
}

// TestAnAnswerInPlaceOfAWebsocketIsNamed has a proxy answer in place of the gateway.
func TestAnAnswerInPlaceOfAWebsocketIsNamed(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(proxy.Close)
	s := &session{gateway: &Gateway{}, home: "ws" + strings.TrimPrefix(proxy.URL, "http")}
	if _, err := s.run(t.Context()); err == nil || !strings.Contains(err.Error(), "502 Bad Gateway") {
		t.Errorf("what the operator reads is %v, want the status in it", err)
	}
}

func TestASessionIsGivenUpAfterTwoRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		reached []bool // whether each attempt to resume reached Discord
		alive   bool
	}{
		"refused once":                  {[]bool{true}, true},
		"refused twice":                 {[]bool{true, true}, false},
		"Discord could not be reached":  {[]bool{false, false, false, false, false}, true},
		"refused again after an outage": {[]bool{true, false, false, true}, false},
	} {
		s := &session{alive: true, resume: "wss://x"}
		for _, reached := range test.reached {
			s.failed++
			if reached {
				s.refused++
			}
			s.forsake()
		}
		if s.alive != test.alive || s.resumable(errEnded) != test.alive {
			t.Errorf("%s: alive is %t and resumable %t, want both %t", name, s.alive, s.resumable(errEnded), test.alive)
		}
		if kept := s.resume != ""; kept != (len(test.reached) < 2) {
			t.Errorf("%s: the address for resuming is kept: %t, want %t", name, kept, len(test.reached) < 2)
		}
	}
}

func TestWhatEndsASessionAndWhatEndsTheRun(t *testing.T) {
	for err, want := range map[error][2]bool{ // resumable, fatal
		errEnded: {true, false}, errReconnect: {true, false}, errAgain: {true, false}, errInvalid: {false, false},
		errSilent: {true, false}, errStalled: {true, false},
		&CloseError{Code: 4000}: {true, false}, &CloseError{Code: 4007}: {false, false}, &CloseError{Code: 4009}: {false, false},
		&CloseError{Code: 4004}: {true, true}, &CloseError{Code: 4013}: {true, true}, ErrAddress: {true, true},
	} {
		if got := [2]bool{resumable(err), IsFatal(err)}; got != want {
			t.Errorf("%v: resumable and fatal are %t, want %t", err, got, want)
		}
	}
	for status, want := range map[int]bool{301: true, 404: true, 400: true, 403: false, 429: false, 500: false, 502: false} {
		if got := isStrange(&discord.Error{Status: status}); got != want {
			t.Errorf("status %d is a stranger's: %t, want %t", status, got, want)
		}
	}
	if isStrange(context.DeadlineExceeded) {
		t.Error("no answer is a stranger's")
	}
}

func TestAResumeAddressIsTakenOnlyIfAsSafe(t *testing.T) {
	for _, test := range []struct {
		from, to string
		want     bool
	}{
		{"wss://a", "wss://b", true},
		{"wss://a", "ws://b", false},
		{"ws://a", "ws://b", true},
		{"ws://a", "wss://b", true},
		{"wss://a", "https://b", false},
		{"wss://a", "wss://user:secret@b", false},
		{"wss://a", "wss://", false},
		{"wss://a", "://", false},
	} {
		if got := asSafe(test.from, test.to); got != test.want {
			t.Errorf("from %s to %s: %t, want %t", test.from, test.to, got, test.want)
		}
	}
}

func TestEventsFlowWhileAllShardsAreConnected(t *testing.T) {
	for status, want := range map[Status]bool{{Connected: 2}: true, {Connected: 1, Apart: 1}: false, {}: false} {
		if got := status.Flow(); got != want {
			t.Errorf("with %+v events flow: %t, want %t", status, got, want)
		}
	}
}
