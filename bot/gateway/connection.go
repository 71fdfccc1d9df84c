package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"heddle/internal/discord"
	"heddle/internal/wait"
)

const (
	mostMessage  = 64 << 20 // bytes of one payload; a longer one is dropped
	writeTimeout = 5 * time.Second
	closeTimeout = time.Second // longest wait for Discord to answer a close frame

	opDispatch  = 0
	opBeat      = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opMembers   = 8
	opInvalid   = 9
	opHello     = 10
	opAck       = 11

	nameReady, nameResumed = "READY", "RESUMED"
)

// connection is one connection of a session, from its handshake to its end. The goroutine
// of Gateway.Run reads it, and another one sends heartbeats.
type connection struct {
	session  *session
	socket   *websocket.Conn
	resuming bool          // it resumes the session; otherwise it identifies
	interval time.Duration // of heartbeats; 0 before HELLO
	deaf     atomic.Bool   // it is ended as it sends no events
	open     bool          // READY or RESUMED has come
	beating  sync.WaitGroup

	writing sync.Mutex // held while a payload is written
}

// dial connects to a gateway at an address that Discord named, through the proxy of the
// configuration, if any.
func (g *Gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{Proxy: g.cfg.Proxy, HandshakeTimeout: g.cfg.OpenTimeout}
	socket, answer, err := dialer.DialContext(ctx, address+"/?v=10&encoding=json", nil)
	if answer != nil {
		defer func() { _ = answer.Body.Close() }()
	}
	switch {
	case errors.Is(err, websocket.ErrBadHandshake) && answer != nil:
		return nil, fmt.Errorf("reach the gateway: it answered %d %s instead of opening a websocket", answer.StatusCode, http.StatusText(answer.StatusCode))
	case err != nil:
		return nil, fmt.Errorf("reach the gateway: %w", err)
	}
	return socket, nil
}

// serve reads the connection until it ends, and returns why. When ctx ends, it closes the
// connection with a close frame, which ends the session.
func (c *connection) serve(ctx context.Context) error {
	defer c.beating.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the heartbeats
	defer func() { _ = c.socket.Close() }()
	left := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(left)
		c.leave()
	})
	defer func() {
		if !stop() {
			<-left
		}
	}()
	c.await(c.session.gateway.cfg.OpenTimeout)
	for ctx.Err() == nil {
		message, err := c.read()
		switch {
		case ctx.Err() != nil: // whatever ended the read, leave came first
			return ctx.Err()
		case err != nil:
			return err
		}
		if err := c.take(ctx, message); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// leave asks Discord to end the connection and the session. It ends the connection
// itself if Discord takes too long.
func (c *connection) leave() {
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = c.socket.WriteControl(websocket.CloseMessage, bye, time.Now().Add(closeTimeout)) // a lost connection needs no goodbye
	_ = c.socket.SetReadDeadline(time.Now().Add(closeTimeout))
}

// await bounds the time until the next payload. The first payload that is late ends the
// connection.
func (c *connection) await(d time.Duration) {
	_ = c.socket.SetReadDeadline(time.Now().Add(d)) // it fails only on a connection that has ended
}

// read returns the next message, or nil for one that is too long.
func (c *connection) read() ([]byte, error) {
	_, r, err := c.socket.NextReader()
	if err != nil {
		return nil, c.ended(err)
	}
	message, err := io.ReadAll(io.LimitReader(r, mostMessage+1))
	switch {
	case err != nil:
		return nil, c.ended(err)
	case len(message) > mostMessage:
		return nil, nil
	}
	return message, nil
}

// ended returns the reason for which reading failed.
func (c *connection) ended(err error) error {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != websocket.CloseAbnormalClosure {
		return &CloseError{Code: closed.Code}
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		if c.open {
			return errStalled
		}
		return errSilent
	}
	return fmt.Errorf("%w: %w", errEnded, err)
}

// take handles one message. A message that is no payload is dropped. The error ends the
// connection.
func (c *connection) take(ctx context.Context, message []byte) error {
	var p discord.Payload
	if json.Unmarshal(message, &p) != nil {
		c.session.gateway.drop("")
		return nil //nolint:nilerr // the next message may be a payload
	}
	if c.resuming && !c.open {
		// The events that were missed come before RESUMED. They may take long, as long
		// as each comes soon after the one before.
		c.await(c.session.gateway.cfg.OpenTimeout)
	}
	switch p.Op {
	case opDispatch:
		return c.dispatch(p)
	case opBeat:
		return c.beat()
	case opReconnect:
		return errReconnect
	case opInvalid:
		if string(p.Data) == "true" {
			return errAgain
		}
		return errInvalid
	case opHello:
		return c.hello(ctx, p.Data)
	case opAck:
		c.watch()
	}
	return nil
}

// hello answers Discord's greeting by identifying or resuming, and starts the heartbeats.
// It refuses an interval of heartbeats below a millisecond or above a day.
func (c *connection) hello(ctx context.Context, data json.RawMessage) error {
	var hello struct {
		Interval float64 `json:"heartbeat_interval"` // milliseconds
	}
	const day = 24 * 60 * 60 * 1000
	if c.interval > 0 || json.Unmarshal(data, &hello) != nil || hello.Interval < 1 || hello.Interval > day {
		return errHello
	}
	c.interval = time.Duration(hello.Interval * float64(time.Millisecond))
	var err error
	if c.resuming {
		err = c.resume()
	} else {
		err = c.identify()
	}
	if err != nil {
		return err
	}
	c.beating.Go(func() { c.beats(ctx) })
	return nil
}

// identify begins a session. Discord must answer with READY within ReadyTimeout. It fails
// if the turn to identify is over.
func (c *connection) identify() error {
	if until := c.session.until; !until.IsZero() && time.Now().After(until) {
		return errLate
	}
	cfg := &c.session.gateway.cfg
	identify := identification{
		Token: cfg.token(), Intents: int(Intents),
		Properties: properties{OS: runtime.GOOS, Browser: "heddle", Device: "heddle"},
	}
	if cfg.Shard.Count > 1 {
		identify.Shard = []int{cfg.Shard.ID, cfg.Shard.Count}
	}
	c.await(cfg.ReadyTimeout)
	return c.send(opIdentify, identify)
}

// identification is the data of IDENTIFY.
type identification struct {
	Token      string     `json:"token"`
	Properties properties `json:"properties"`
	Intents    int        `json:"intents"`
	Shard      []int      `json:"shard,omitempty"`
}

// properties tells Discord what connects.
type properties struct {
	OS      string `json:"os"`
	Browser string `json:"browser"`
	Device  string `json:"device"`
}

// resume asks Discord to continue the session after the last event that was handled.
func (c *connection) resume() error {
	return c.send(opResume, struct {
		Token    string `json:"token"`
		Session  string `json:"session_id"`
		Sequence int64  `json:"seq"`
	}{c.session.gateway.cfg.token(), c.session.id, c.session.sequence.Load()})
}

// dispatch delivers an event, and remembers its number afterwards. An event that was not
// delivered is therefore sent again when the session is resumed.
func (c *connection) dispatch(p discord.Payload) error {
	isObject := len(p.Data) > 0 && p.Data[0] == '{'
	if p.Name == "" || !isObject && p.Name != nameResumed {
		c.session.gateway.drop(p.Name)
	} else if err := c.session.gateway.deliver(c, p.Name, p.Data); err != nil {
		return err
	}
	if p.Sequence > 0 {
		c.session.sequence.Store(p.Sequence)
	}
	return nil
}

// opened is called on READY and RESUMED. From now on heartbeats must be answered.
func (c *connection) opened() {
	c.open = true
	c.session.gateway.current.Store(c)
	c.watch()
}

// watch bounds the time until the next heartbeat is answered. It is sent within one
// interval, and Discord has another three tenths of one to answer.
func (c *connection) watch() {
	if c.open && c.interval > 0 {
		c.await(c.interval * 13 / 10)
	}
}

// beats sends heartbeats until ctx ends. The first comes after a random part of the
// interval, as Discord demands, so that not all clients send theirs at once.
func (c *connection) beats(ctx context.Context) {
	pause := rand.N(c.interval) //nolint:gosec // jitter needs no secrecy
	for wait.For(ctx, pause) == nil && c.beat() == nil {
		pause = c.interval
	}
}

// beat sends a heartbeat, which names the last event that was handled.
func (c *connection) beat() error {
	var last any // null: there was none
	if sequence := c.session.sequence.Load(); sequence > 0 {
		last = sequence
	}
	return c.send(opBeat, last)
}

// send writes a payload. If it cannot be written, the connection has ended.
func (c *connection) send(op int, data any) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.socket.SetWriteDeadline(time.Now().Add(writeTimeout)) // it fails only on a connection that has ended
	payload := struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data}
	if err := c.socket.WriteJSON(payload); err != nil {
		_ = c.socket.Close() // whoever reads it must notice, too
		return fmt.Errorf("%w: %w", errEnded, err)
	}
	return nil
}
