package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"heddle/internal/errtest"
)

// events is a handler that records the names of events.
type events struct{ names []string }

func (e *events) Connected(Connected)                  { e.names = append(e.names, "connected") }
func (e *events) Disconnected()                        {}
func (e *events) Event(name string, _ json.RawMessage) { e.names = append(e.names, name) }

// line is a connection in memory, so that a test decides how time passes.
type line struct {
	*connection
	*events
	discord *websocket.Conn // Discord's end
	ended   chan error      // what serve returned
}

// hijacked is a request's connection that the websocket library takes over.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

func (hijacked) Header() http.Header { return http.Header{} }

// newLine connects a session to a Discord that the test plays. s may be nil.
func newLine(t *testing.T, s *session) *line {
	t.Helper()
	g := &Gateway{cfg: Config{Token: "secret", OpenTimeout: 5 * time.Second, ReadyTimeout: 20 * time.Second}, log: slog.New(slog.DiscardHandler)}
	if s == nil {
		s = &session{}
	}
	s.gateway = g
	l := &line{events: &events{}, ended: make(chan error, 1)}
	g.handler, g.session = l.events, s
	ours, theirs := net.Pipe()
	upgraded := make(chan error, 1)
	go func() {
		r, err := http.ReadRequest(bufio.NewReader(theirs))
		if err == nil {
			l.discord, err = new(websocket.Upgrader).Upgrade(hijacked{conn: theirs}, r, nil)
		}
		upgraded <- err
	}()
	dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return ours, nil }}
	socket, _, err := dialer.DialContext(t.Context(), "ws://discord", nil) //nolint:bodyclose // it has none
	errtest.None(t, errors.Join(err, <-upgraded))
	l.connection = &connection{session: s, socket: socket, resuming: s.alive}
	return l
}

// serve serves the connection, until the function that it returns is called.
func (l *line) serve(t *testing.T) (leave context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { l.ended <- l.connection.serve(ctx) }()
	return cancel
}

// say sends a message as Discord.
func (l *line) say(t *testing.T, message string) {
	t.Helper()
	errtest.None(t, l.discord.WriteMessage(websocket.TextMessage, []byte(message)))
}

// hears returns the next message that reaches Discord.
func (l *line) hears(t *testing.T) string {
	t.Helper()
	_, message, err := l.discord.ReadMessage()
	errtest.None(t, err)
	return strings.TrimSpace(string(message))
}

// listens reads what reaches Discord from now on, and answers it with nothing.
func (l *line) listens() {
	go func() {
		for {
			if _, _, err := l.discord.ReadMessage(); err != nil {
				return
			}
		}
	}()
}

// gone waits until the connection has ended because its context did.
func (l *line) gone(t *testing.T) {
	t.Helper()
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the connection ends with %v, want %v", err, context.Canceled)
	}
}

const (
	hello = `{"op":10,"d":{"heartbeat_interval":40000}}`
	ready = `{"op":0,"s":1,"t":"READY","d":{"session_id":"a","user":{"id":"5"}}}`
)

func TestWhatIsSentToBeginASession(t *testing.T) {
	for name, test := range map[string]struct {
		resumed string // the session that is resumed; empty: none
		shard   Shard
		want    string
	}{
		"a new session": {want: `{"op":2,"d":{"token":"Bot secret","properties":{"os":"linux","browser":"heddle","device":"heddle"},"intents":46593}}`},
		"of a shard":    {shard: Shard{ID: 3, Count: 8}, want: `{"op":2,"d":{"token":"Bot secret","properties":{"os":"linux","browser":"heddle","device":"heddle"},"intents":46593,"shard":[3,8]}}`},
		"a resumed one": {resumed: `a"b`, want: `{"op":6,"d":{"token":"Bot secret","session_id":"a\"b","seq":7}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t, &session{alive: test.resumed != "", id: test.resumed})
				l.session.sequence.Store(7)
				l.session.gateway.cfg.Shard = test.shard
				leave := l.serve(t)
				l.say(t, hello)
				if got := l.hears(t); got != test.want {
					t.Errorf("Discord reads %s, want %s", got, test.want)
				}
				l.listens()
				leave()
				l.gone(t)
			})
		})
	}
}

func TestAGreetingThatCannotBeUsedEndsTheConnection(t *testing.T) {
	for name, said := range map[string]string{
		"a greeting without a beat":   `{"op":10,"d":{"heartbeat_interval":0}}`,
		"a greeting with a long beat": `{"op":10,"d":{"heartbeat_interval":1e12}}`,
		"a greeting without anything": `{"op":10,"d":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t, nil)
				l.serve(t)
				l.say(t, said)
				if err := <-l.ended; !errors.Is(err, errHello) {
					t.Errorf("it ends with %v, want %v", err, errHello)
				}
			})
		})
	}
}

// TestSilenceIsNoticedWithinTheNextHeartbeat answers three heartbeats and then no more.
func TestSilenceIsNoticedWithinTheNextHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, nil)
		l.serve(t)
		l.say(t, hello)
		l.hears(t)
		l.say(t, ready)
		for beat := range 3 {
			if got, want := l.hears(t), `{"op":1,"d":1}`; got != want {
				t.Errorf("heartbeat %d is %s, want %s", beat, got, want)
			}
			l.say(t, `{"op":11}`)
		}
		began := time.Now()
		l.listens()
		if err := <-l.ended; !errors.Is(err, errStalled) || time.Since(began) != 52*time.Second {
			t.Errorf("silence is noticed after %s with %v, want 52s and %v", time.Since(began), err, errStalled)
		}
	})
}

func TestAHeartbeatThatDiscordWishesForIsSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, nil)
		leave := l.serve(t)
		l.say(t, `{"op":1,"d":null}`)
		if got, want := l.hears(t), `{"op":1,"d":null}`; got != want {
			t.Errorf("Discord reads %s, want %s", got, want)
		}
		l.listens()
		leave()
		l.gone(t)
	})
}

func TestSilenceBeforeEventsFlowIsNoticed(t *testing.T) {
	late := func(t *testing.T, l *line) {
		t.Helper()
		synctest.Wait()
		<-time.After(4 * time.Second)
		l.say(t, `{"op":0,"s":8,"t":"X","d":{}}`)
	}
	greeted := func(t *testing.T, l *line) {
		t.Helper()
		l.say(t, hello)
		l.listens()
	}
	for name, test := range map[string]struct {
		resuming bool
		says     func(*testing.T, *line)
		want     time.Duration
	}{
		"no greeting":            {false, func(*testing.T, *line) {}, 5 * time.Second},
		"no answer to IDENTIFY":  {false, greeted, 20 * time.Second},
		"no answer to RESUME":    {true, greeted, 5 * time.Second},
		"events, but no RESUMED": {true, late, 9 * time.Second},
		"events, but no READY":   {false, late, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t, &session{alive: test.resuming, id: "a"})
				l.serve(t)
				began := time.Now()
				test.says(t, l)
				if err := <-l.ended; !errors.Is(err, errSilent) || time.Since(began) != test.want {
					t.Errorf("silence is noticed after %s with %v, want %s and %v", time.Since(began), err, test.want, errSilent)
				}
			})
		})
	}
}

// TestALateGreetingIsNotAnswered greets a shard whose turn to identify is over.
func TestALateGreetingIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, &session{until: time.Now().Add(time.Second)})
		l.serve(t)
		<-time.After(2 * time.Second)
		l.say(t, hello)
		if err := <-l.ended; !errors.Is(err, errLate) {
			t.Errorf("it ends with %v, want %v", err, errLate)
		}
	})
}

func TestAPayloadThatIsTooLongIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, nil)
		leave := l.serve(t)
		w := errtest.Must(l.discord.NextWriter(websocket.TextMessage))(t)
		for part, left := strings.Repeat("x", 1<<20), mostMessage+1; left > 0; left -= len(part) {
			errtest.Must(w.Write([]byte(part)))(t)
		}
		errtest.None(t, w.Close())
		l.say(t, `{"op":0,"s":3,"t":"X","d":{}}`)
		synctest.Wait()
		if got, dropped := strings.Join(l.names, " "), l.session.gateway.Dropped(); got != "X" || dropped != 1 {
			t.Errorf("%q was delivered and %d payloads dropped, want X and 1", got, dropped)
		}
		l.listens()
		leave()
		l.gone(t)
	})
}
