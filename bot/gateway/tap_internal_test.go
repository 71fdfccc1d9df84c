package gateway

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/discord"
	"heddle/internal/wait"
)

// events is a handler that records the names of events.
type events struct{ names []string }

func (e *events) Connected(Connected)                  { e.names = append(e.names, "connected") }
func (e *events) Disconnected()                        {}
func (e *events) Ended()                               {}
func (e *events) Event(name string, _ json.RawMessage) { e.names = append(e.names, name) }

// line is a tap whose Discord has sent everything that it will send.
type line struct {
	*events
	gateway *Gateway
	link    *link
	tap     *tap
}

const upgraded = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

func newLine(tb testing.TB, said []byte) *line {
	tb.Helper()
	g := &Gateway{cfg: Config{OpenTimeout: time.Hour, ReadyTimeout: time.Hour}, log: slog.New(slog.DiscardHandler)}
	s := &session{gateway: g}
	l := &line{events: &events{}, gateway: g, link: newLink(tb.Context(), s)}
	tb.Cleanup(l.link.release)
	g.handler, g.session, s.link = l.events, s, l.link
	ours, theirs := net.Pipe()
	tb.Cleanup(func() { _ = ours.Close() })
	_ = theirs.Close()
	l.link.conn = ours
	l.tap = newTap(ours, l.link)
	l.tap.in.Reset(bytes.NewReader(said))
	return l
}

// seen is a websocket frame that discordgo would see.
type seen struct {
	control bool // a ping or a pong, which may hold anything
	payload string
}

// passed reads everything that discordgo would see. It returns the payloads and the
// error at the end.
func (l *line) passed(tb testing.TB) ([]string, error) {
	tb.Helper()
	frames, err := l.frames(tb)
	var payloads []string
	for _, f := range frames {
		payloads = append(payloads, f.payload)
	}
	return payloads, err
}

// frames is passed, and also returns what kind each frame is of.
func (l *line) frames(tb testing.TB) ([]seen, error) {
	tb.Helper()
	all, err := io.ReadAll(l.tap)
	all = bytes.TrimPrefix(all, []byte(upgraded))
	var frames []seen
	for len(all) > 0 {
		if len(all) < 2 {
			tb.Fatalf("the tap passed on an incomplete frame: %x, want at least 2 of them", all)
		}
		head, length := 2, int(all[1])
		if length == 127 {
			head, length = 10, int(binary.BigEndian.Uint64(all[2:]))
		}
		frames = append(frames, seen{all[0]&frameClose != 0, string(all[head : head+length])})
		all = all[head+length:]
	}
	return frames, err
}

// frame returns a websocket frame as servers send it.
func frame(first byte, payload string) string {
	head := []byte{first}
	switch n := len(payload); {
	case n <= 125:
		head = append(head, byte(n))
	case n <= 0xffff:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	return string(head) + payload
}

func text(payload string) string { return frame(0x80|frameText, payload) }

func packed(payload string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(payload)) // writing to a buffer does not fail
	_ = z.Close()
	return frame(0x80|frameBinary, b.String())
}

func TestDiscordgoSeesWhatKeepsTheConnectionAndNothingElse(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for name, test := range map[string]struct {
		said   string
		passed string
		events string
	}{
		"a greeting":             {text(`{"op":10,"d":{"heartbeat_interval":41250.5,"_trace":[null]}}`), `{"op":10,"s":0,"t":"","d":{"heartbeat_interval":41250}}`, ""},
		"a wish for a heartbeat": {text(`{"op":1,"d":null}`), `{"op":1,"s":0,"t":"","d":null}`, ""},
		"an answered heartbeat":  {text(`{"op":11}`), "", ""},
		"READY": {
			text(`{"op":0,"s":1,"t":"READY","d":{"session_id":"a\"b","user":{"id":"5"},"guilds":[null]}}`),
			`{"op":0,"s":1,"t":"","d":{}}`, "connected READY",
		},
		"RESUMED":              {text(`{"op":0,"s":7,"t":"RESUMED","d":null}`), `{"op":0,"s":7,"t":"","d":{}}`, "connected RESUMED"},
		"an event":             {text(`{"op":0,"s":2,"t":"GUILD_CREATE","d":{"channels":[null]}}`), `{"op":0,"s":2,"t":"","d":{}}`, "GUILD_CREATE"},
		"a long event":         {text(`{"op":0,"s":3,"t":"X","d":{"a":"` + long + `"}}`), `{"op":0,"s":3,"t":"","d":{}}`, "X"},
		"a packed event":       {packed(`{"op":0,"s":4,"t":"X","d":{}}`), `{"op":0,"s":4,"t":"","d":{}}`, "X"},
		"an event in pieces":   {frame(frameText, `{"op":0,"s":5,`) + frame(0x80|9, "hi") + frame(0x80, `"t":"X","d":{}}`), `hi {"op":0,"s":5,"t":"","d":{}}`, "X"},
		"an event that is not": {text(`{"op":0,"s":6,"t":"X","d":null}`), `{"op":0,"s":6,"t":"","d":{}}`, ""},
		"no event's number":    {text(`{"op":0,"t":"X","d":{}}`), "", "X"},
		"what nobody knows":    {text(`{"op":77,"d":{}}`) + text(`null`) + text(`{`) + packed("")[:4], "", ""},
	} {
		l := newLine(t, []byte(upgraded+test.said))
		payloads, _ := l.passed(t)
		if got := strings.Join(payloads, " "); got != test.passed {
			t.Errorf("%s: discordgo sees %s, want %s", name, got, test.passed)
		}
		if got := strings.Join(l.names, " "); got != test.events {
			t.Errorf("%s: delivered %q, want %q", name, got, test.events)
		}
	}
}

func TestWhatDiscordgoCannotTakeCutsTheLink(t *testing.T) {
	for name, test := range map[string]struct {
		said string
		want error
	}{
		"a request to reconnect":    {text(`{"op":7,"d":null}`), errReconnect},
		"an invalid session":        {text(`{"op":9,"d":false}`), errInvalid},
		"an invalid session, again": {packed(`{"op":9,"d": true}`), errAgain},
		"a greeting without a beat": {text(`{"op":10,"d":{"heartbeat_interval":0}}`), errHello},
		"a close code":              {frame(0x80|frameClose, "\x0f\xa4"), ErrToken},
		"a masked frame":            {"\x81\x80\x00\x00\x00\x00", errFrame},
		"a long close frame":        {frame(0x80|frameClose, strings.Repeat("x", 126)), errFrame},
	} {
		l := newLine(t, []byte(upgraded+test.said))
		_, err := l.passed(t)
		if cut := l.link.reason(err); !errors.Is(cut, test.want) {
			t.Errorf("%s cuts the link with %v, want %v", name, cut, test.want)
		}
	}
}

func TestAPayloadThatIsTooLongIsDropped(t *testing.T) {
	l := newLine(t, nil)
	l.tap.upgraded = true
	head := binary.BigEndian.AppendUint64([]byte{0x80 | frameText, 127}, mostMessage+1)
	l.tap.in.Reset(io.MultiReader(bytes.NewReader(head), io.LimitReader(zeros{}, mostMessage+1), strings.NewReader(text(`{"op":0,"s":3,"t":"X","d":{}}`))))
	payloads, _ := l.passed(t)
	if len(payloads) != 1 || len(l.names) != 1 || l.gateway.Dropped() != 1 {
		t.Errorf("the tap passed on %q, delivered %q and dropped %d payloads, want one of each", payloads, l.names, l.gateway.Dropped())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestASessionIsResumedInPlaceOfIdentifying greets discordgo on a link of a session that
// Discord knows, and then writes as discordgo does.
func TestASessionIsResumedInPlaceOfIdentifying(t *testing.T) {
	for _, id := range []string{"a", strings.Repeat("b", 1000), strings.Repeat("c", 70_000)} {
		l := newLine(t, nil)
		l.link.session.id, l.link.session.alive, l.link.session.sequence = id, true, 7
		l.gateway.cfg.Token = "secret"
		l.link, _ = l.link.session.begin(t.Context())
		l.tap.link = l.link
		l.tap.in.Reset(strings.NewReader(upgraded + text(`{"op":10,"d":{"heartbeat_interval":41250}}`)))
		payloads, _ := l.passed(t)
		if got, want := strings.Join(payloads, " "), `{"op":10,"s":0,"t":"","d":{"heartbeat_interval":41250}} {"op":0,"s":7,"t":"","d":{}}`; got != want {
			t.Errorf("discordgo sees %s, want %s", got, want)
		}
		var sent bytes.Buffer
		l.tap.Conn = writer{sent: &sent}
		for _, written := range []string{"identify", "beat"} {
			if n, err := l.tap.Write([]byte(written)); n != len(written) || err != nil {
				t.Errorf("Write returns %d, %v, want %d and no error", n, err, len(written))
			}
		}
		resume, rest := unmasked(t, sent.Bytes())
		if want := `{"op":6,"d":{"token":"Bot secret","session_id":"` + id + `","seq":7}}`; resume != want || rest != "beat" {
			t.Errorf("Discord sees %.100q and then %q, want %.100q and %q", resume, rest, want, "beat")
		}
	}
}

// writer is a connection that is only written to.
type writer struct {
	net.Conn
	sent io.Writer
}

func (w writer) Write(p []byte) (int, error) { return w.sent.Write(p) }

// unmasked reads the masked text frame at the beginning of b, and returns its payload and
// what follows.
func unmasked(t *testing.T, b []byte) (payload, rest string) {
	t.Helper()
	if len(b) < 2 || b[0] != 0x80|frameText || b[1]&0x80 == 0 {
		t.Fatalf("Discord sees %.20x, want a masked text frame", b)
	}
	n, head := int(b[1]&0x7f), 2
	switch n {
	case 126:
		n, head = int(binary.BigEndian.Uint16(b[2:])), 4
	case 127:
		n, head = int(binary.BigEndian.Uint64(b[2:])), 10
	}
	mask, plain := b[head:head+4], bytes.Clone(b[head+4:head+4+n])
	for i := range plain {
		plain[i] ^= mask[i%4]
	}
	return string(plain), string(b[head+4+n:])
}

func TestAWriteToALostConnectionCutsTheLink(t *testing.T) {
	l := newLine(t, nil)
	if n, err := l.tap.Write([]byte("beat")); n != 0 || !errors.Is(err, errEnded) {
		t.Errorf("Write returns %d, %v, want 0 and %v", n, err, errEnded)
	}
	select {
	case <-l.link.dead:
	default:
		t.Error("the link is not cut, want it cut by the failed write")
	}
}

func FuzzTap(f *testing.F) {
	f.Add([]byte(text(`{"op":0,"s":1,"t":"READY","d":{"session_id":"x","user":null,"guilds":[null]}}`)))
	f.Add([]byte(text(`{"op":0,"s":2,"t":"GUILD_CREATE","d":{"channels":[null],"members":7}}`) + text(`null`)))
	f.Add([]byte(frame(frameText, `{"op":0,`) + packed(`{"op":9,"d":true}`)))
	f.Add([]byte(frame(0x89, `{"op":0,"t":"GUILD_CREATE"}`))) // a ping
	f.Fuzz(func(t *testing.T, said []byte) {
		l := newLine(t, append([]byte(upgraded), said...))
		l.tap.upgraded = true
		l.tap.in.Reset(bytes.NewReader(said))
		frames, _ := l.frames(t)
		for _, f := range frames {
			if f.control {
				continue
			}
			var p discord.Payload
			if err := json.Unmarshal([]byte(f.payload), &p); err != nil {
				t.Fatalf("discordgo sees %q: %v, want a payload that it can read", f.payload, err)
			}
			if safe := string(p.Data) == "{}" && p.Name == "" || p.Op != opDispatch; !safe {
				t.Errorf("discordgo sees %s, want nothing of an event but its number", f.payload)
			}
		}
	})
}

// pause lets time pass in a synctest bubble.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	if err := wait.For(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// TestSilenceIsNoticedWithinTheNextHeartbeat answers three heartbeats and then no more.
func TestSilenceIsNoticedWithinTheNextHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 40 * time.Second
		g := &Gateway{cfg: Config{OpenTimeout: 5 * time.Second, ReadyTimeout: 20 * time.Second}}
		l := newLink(t.Context(), &session{gateway: g})
		if err := l.hello(interval); err != nil {
			t.Fatal(err)
		}
		pause(t, 19*time.Second)
		l.opened()
		for range 3 {
			l.acked()
			pause(t, interval)
		}
		l.acked()
		began := time.Now()
		<-l.dead
		if after := time.Since(began); after != 52*time.Second || !errors.Is(l.why, errStalled) {
			t.Errorf("silence is noticed after %s with %v, want 52s and %v", after, l.why, errStalled)
		}
	})
}

func TestSilenceBeforeEventsFlowIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Gateway{cfg: Config{OpenTimeout: 5 * time.Second, ReadyTimeout: 20 * time.Second}}
		late := func(l *link) {
			pause(t, 4*time.Second)
			l.received()
		}
		for name, test := range map[string]struct {
			resuming bool
			says     func(*link)
			want     time.Duration
		}{
			"no greeting":              {false, func(*link) {}, 5 * time.Second},
			"no answer to IDENTIFY":    {false, func(l *link) { _ = l.hello(time.Minute) }, 20 * time.Second},
			"no answer to RESUME":      {true, func(l *link) { _ = l.hello(time.Minute) }, 5 * time.Second},
			"events, but no RESUMED":   {true, late, 9 * time.Second},
			"events, but no READY yet": {false, late, 5 * time.Second},
		} {
			l := newLink(t.Context(), &session{gateway: g, id: "a", alive: test.resuming})
			began := time.Now()
			test.says(l)
			<-l.dead
			if after := time.Since(began); after != test.want || !errors.Is(l.why, errSilent) {
				t.Errorf("%s: silence is noticed after %s with %v, want %s and %v", name, after, l.why, test.want, errSilent)
			}
		}
	})
}

func TestPausesGrowOnlyWhileConnectingFails(t *testing.T) {
	g, err := New(Config{Token: "t", REST: nowhere{}})
	if err != nil {
		t.Fatal(err)
	}
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
	for err, want := range map[error]bool{errInvalid: true, errAgain: true, errReconnect: true, errSilent: false, &CloseError{Code: 4000}: false, errUnreached: false} {
		if answered(err) != want {
			t.Errorf("answered(%v) is %t, want %t", err, !want, want)
		}
	}
}

// nowhere is an API that cannot be reached.
type nowhere struct{ REST }

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
			if reached {
				s.refuse()
			}
			s.openFailed()
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
		errStuck: {true, false}, errSilent: {true, false}, errStalled: {true, false},
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
