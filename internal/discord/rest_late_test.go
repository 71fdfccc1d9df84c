package discord_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/discord"
)

// errLost ends a request whose response is lost.
var errLost = errors.New("connection reset")

// far is a transport to a server far away: each request and each response takes a time
// of its own, so that they overtake each other. The server counts in windows that begin
// with their first request, as Discord does.
type far struct {
	trips    time.Duration // one way; at most
	loses    int           // one response of so many is lost; 0 loses none
	absolute bool          // whether responses say when the window ends, too

	mu      sync.Mutex
	dice    *rand.Rand
	windows map[string]*counted
	refused []string
}

// counted is a window of a limit.
type counted struct {
	used  int
	until time.Time
}

// limit is the number of requests in a window of a limit, and its length.
func limit(of string) (most int, every time.Duration) {
	switch of {
	case http.MethodGet:
		return 5, time.Second
	case http.MethodPatch:
		return 5, 5 * time.Second
	case http.MethodPut:
		return 1, 250 * time.Millisecond
	default: // the one that all routes share
		return 50, time.Second
	}
}

// pause returns how long the next trip takes. One in ten takes ten times as long as
// most do.
func (f *far) pause() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dice.IntN(10) > 0 {
		return time.Duration(f.dice.Int64N(int64(f.trips/10) + 1))
	}
	return time.Duration(f.dice.Int64N(int64(f.trips) + 1))
}

// take counts a request against a limit and returns what its response says of it.
func (f *far) take(of, key string) (ok bool, header http.Header) {
	now := time.Now()
	most, every := limit(of)
	w := f.windows[key]
	if w == nil || !now.Before(w.until) {
		w = &counted{until: now.Add(every)}
		f.windows[key] = w
	}
	if ok = w.used < most; ok {
		w.used++
	}
	header = http.Header{}
	header.Set("X-RateLimit-Bucket", of)
	header.Set("X-RateLimit-Limit", strconv.Itoa(most))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(most-w.used))
	header.Set("X-RateLimit-Reset-After", strconv.FormatFloat(w.until.Sub(now).Seconds(), 'f', 6, 64))
	if f.absolute {
		header.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(w.until.UnixMilli())/1000, 'f', 3, 64))
	}
	return ok, header
}

// RoundTrip implements http.RoundTripper.
func (f *far) RoundTrip(req *http.Request) (*http.Response, error) {
	<-time.After(f.pause())
	status, header, lost := f.answer(req)
	<-time.After(f.pause())
	if lost {
		return nil, errLost
	}
	return &http.Response{
		StatusCode: status, Header: header, Request: req,
		Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"retry_after":%s,"global":%t}`, header.Get("X-RateLimit-Reset-After"), header.Get("X-RateLimit-Global") != ""))),
	}, nil
}

func (f *far) answer(req *http.Request) (status int, header http.Header, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	channel := strings.Split(req.URL.Path, "/")[4]
	lost = f.loses > 0 && f.dice.IntN(f.loses) == 0
	of := "global"
	ok, header := f.take(of, of)
	if ok {
		of = req.Method
		ok, header = f.take(of, of+" "+channel)
	} else {
		header = http.Header{"Retry-After": {"1"}, "X-Ratelimit-Global": {"true"}, "X-Ratelimit-Reset-After": header["X-Ratelimit-Reset-After"]}
	}
	if !ok {
		f.refused = append(f.refused, fmt.Sprintf("%s by the limit %q", req.URL.Path, of))
		return http.StatusTooManyRequests, header, lost
	}
	return http.StatusOK, header, lost
}

// TestNoRequestMeetsALimitHoweverLateResponsesCome sends bursts of requests over a
// network on which requests and responses overtake each other, some take longer than
// the windows of their limits, and some are lost. Once a limit is known, no request
// meets it.
func TestNoRequestMeetsALimitHoweverLateResponsesCome(t *testing.T) {
	for seed := range uint64(20) {
		dice := rand.New(rand.NewPCG(seed, 1))
		f := &far{
			trips: time.Duration(1+dice.IntN(3000)) * time.Millisecond, loses: []int{0, 10}[dice.IntN(2)], absolute: dice.IntN(4) > 0,
			dice: dice, windows: map[string]*counted{},
		}
		t.Run(fmt.Sprintf("seed %d, trips %s, one of %d lost, absolute %t", seed, f.trips, f.loses, f.absolute), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f.burst(t, rand.New(rand.NewPCG(seed, 2))) })
		})
	}
}

// burst sends requests of three kinds in bursts, to three channels with limits that are
// known, and to many others for the limit that all share.
func (f *far) burst(t *testing.T, dice *rand.Rand) {
	t.Helper()
	rest, err := discord.NewREST(discord.RESTConfig{Token: "x", HTTP: &http.Client{Transport: f}})
	if err != nil {
		t.Fatal(err)
	}
	methods := []string{http.MethodGet, http.MethodPatch, http.MethodPut}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of synctest's time
	defer cancel()
	send := func(method, path string) {
		if _, err := rest.Do(ctx, discord.Call{Method: method, Path: path}); err != nil && !errors.Is(err, errLost) {
			t.Errorf("%s %s: %v", method, path, err)
		}
	}
	loses := f.loses
	f.loses = 0
	for _, method := range methods { // so that the limits are known
		send(method, "/channels/1/messages/100000000")
	}
	f.loses = loses
	var all sync.WaitGroup
	for range 6 {
		for range dice.IntN(40) {
			method, channel := methods[dice.IntN(len(methods))], 1+dice.IntN(3)
			all.Go(func() { send(method, fmt.Sprintf("/channels/%d/messages/100000000", channel)) })
		}
		for range dice.IntN(80) {
			channel := 10 + dice.IntN(1000)
			all.Go(func() { send(http.MethodGet, fmt.Sprintf("/channels/%d/messages/100000000", channel)) })
		}
		<-time.After(time.Duration(dice.Int64N(int64(3 * time.Second))))
	}
	all.Wait()
	for _, refused := range f.refused {
		t.Errorf("refused was %s, want no request to be", refused)
	}
}

// hanging is a transport to a server that takes every request and answers those for one
// channel after a long time only.
type hanging struct{ takes time.Duration }

// RoundTrip implements http.RoundTripper.
func (h hanging) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.Contains(req.URL.Path, "/channels/1/") {
		<-time.After(h.takes)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req, Body: io.NopCloser(strings.NewReader("[]"))}, nil
}

// TestRequestsThatHangLeaveRoomForOthers makes as many requests as a second allows, which
// Discord takes a minute to answer. Others go out once these have surely reached Discord.
func TestRequestsThatHangLeaveRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rest, err := discord.NewREST(discord.RESTConfig{Token: "x", HTTP: &http.Client{Transport: hanging{time.Minute}}})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for n := range 50 {
			all.Go(func() {
				if _, err := rest.Get(t.Context(), fmt.Sprintf("/channels/1/messages/%d/%d", 100000000+n, n), nil); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		for n := range 100 {
			if _, err := rest.Get(t.Context(), fmt.Sprintf("/channels/%d/messages", 2+n), nil); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("100 other requests took %s, want 6 s at most", took)
		}
		all.Wait()
	})
}
