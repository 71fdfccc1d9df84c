package discordtest

import (
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	writeTimeout = 10 * time.Second
	// lingerTimeout is how long a closed socket waits for the client to go.
	lingerTimeout = 5 * time.Second
)

// socket is one websocket connection. What is written goes through a queue to a
// goroutine of its own, so that nobody waits for a client.
type socket struct {
	conn    *websocket.Conn
	version string
	// streamed says that the whole connection is compressed; identify's
	// "compress", which discord.py sends beside it, then means nothing.
	streamed bool

	// Guarded by Server.mu.
	session  *session
	silent   bool // swallows everything, heartbeats included
	closing  bool // the server closes it; what the client says to that is nothing
	commands int

	mu    sync.Mutex
	queue []outgoing
	more  chan struct{} // holds one token while the queue may be filled
	gone  chan struct{} // closed when the connection ended
	once  sync.Once
}

// outgoing is something to do for the writer, in order.
type outgoing struct {
	payload []byte
	packer  packer // from here on, if set
	close   int    // a close code, if set
}

func newSocket(conn *websocket.Conn, query url.Values) *socket {
	return &socket{conn: conn, version: query.Get("v"), streamed: query.Has("compress"), more: make(chan struct{}, 1), gone: make(chan struct{})}
}

func (k *socket) put(o outgoing) {
	k.mu.Lock()
	k.queue = append(k.queue, o)
	k.mu.Unlock()
	select {
	case k.more <- struct{}{}:
	default:
	}
}

func (k *socket) write(payload []byte) {
	if !k.silent {
		k.put(outgoing{payload: payload})
	}
}

// closeWith closes after everything that is queued. 0 cuts without a close
// frame. Called with Server.mu held.
func (k *socket) closeWith(code int) {
	k.closing = true
	if code == 0 {
		k.cut()
		return
	}
	k.put(outgoing{close: code})
}

// cut ends the connection at once.
func (k *socket) cut() {
	k.once.Do(func() {
		close(k.gone)
		_ = k.conn.Close()
	})
}

// writeAll is the writer's goroutine.
func (k *socket) writeAll(p packer) {
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
			if o.packer != nil {
				p = o.packer
				continue
			}
			if o.close != 0 {
				k.sayGoodbye(o.close)
				return
			}
			kind, data := p.pack(o.payload)
			_ = k.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
			if k.conn.WriteMessage(kind, data) != nil {
				k.cut()
				return
			}
		}
	}
}

// sayGoodbye sends a close frame and gives the client time to read it: a
// connection closed with unread bytes would be reset and the frame lost.
func (k *socket) sayGoodbye(code int) {
	deadline := time.Now().Add(lingerTimeout)
	_ = k.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), deadline)
	_ = k.conn.SetReadDeadline(deadline)
}
