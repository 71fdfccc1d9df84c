package discordtest

import (
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// writeTimeout bounds a write to a client that does not read. Tests on a slow machine
	// must not hit it.
	writeTimeout = 2 * time.Minute
	// lingerTimeout is how long a closed socket waits for the client to go.
	lingerTimeout = 5 * time.Second
)

// socket is one websocket connection. A goroutine of its own writes what is queued,
// so that nobody waits for a client.
type socket struct {
	deaf    bool // it gets no more events
	conn    *websocket.Conn
	version string

	// The world's lock guards these.
	session  *session
	closing  bool      // the server closes it and ignores what the client sends
	commands int       // since minute
	minute   time.Time // when the minute began in which commands are counted

	mu    sync.Mutex
	queue []outgoing
	more  chan struct{} // holds one token while the queue may be filled
	gone  chan struct{} // closed when the connection ended
	once  sync.Once
}

// outgoing is one thing for the writer to do.
type outgoing struct {
	payload []byte
	close   int // a close code, if set
}

func newSocket(conn *websocket.Conn, query url.Values) *socket {
	return &socket{conn: conn, version: query.Get("v"), more: make(chan struct{}, 1), gone: make(chan struct{})}
}

// mayCommand counts a command, and reports whether the client may send it now.
func (k *socket) mayCommand(now time.Time) bool {
	if now.Sub(k.minute) >= time.Minute {
		k.commands, k.minute = 0, now
	}
	k.commands++
	return k.commands <= maxCommands
}

// put queues something to be sent, and does not wait until it is.
func (k *socket) put(o outgoing) {
	k.mu.Lock()
	k.queue = append(k.queue, o)
	k.mu.Unlock()
	select {
	case k.more <- struct{}{}:
	default:
	}
}

// write queues a payload.
func (k *socket) write(payload []byte) { k.put(outgoing{payload: payload}) }

// closeWith closes the connection after everything that is queued. 0 cuts it without
// a close frame.
func (k *socket) closeWith(code int) {
	k.closing = true
	if code == 0 {
		k.cut()
		return
	}
	k.put(outgoing{close: code})
}

// cut closes the connection at once.
func (k *socket) cut() {
	k.once.Do(func() {
		close(k.gone)
		_ = k.conn.Close()
	})
}

// writeAll writes what is queued until the connection ends.
func (k *socket) writeAll() {
	for {
		select {
		case <-k.more:
		case <-k.gone:
			return
		}
		k.mu.Lock()
		batch := k.queue
		k.queue = nil
		k.mu.Unlock()
		for _, o := range batch {
			if o.close != 0 {
				k.sayGoodbye(o.close)
				return
			}
			_ = k.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
			if k.conn.WriteMessage(websocket.TextMessage, o.payload) != nil {
				k.cut()
				return
			}
		}
	}
}

// sayGoodbye sends a close frame and gives the client time to read it. Closing a
// connection with unread bytes would reset it, and the frame would be lost.
func (k *socket) sayGoodbye(code int) {
	deadline := time.Now().Add(lingerTimeout)
	_ = k.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), deadline)
	_ = k.conn.SetReadDeadline(deadline)
}
