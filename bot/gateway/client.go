package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// client is the discordgo Session of one link. A Session is never used for a second
// connection: goroutines of the first may still run then, and would close the second.
type client struct {
	dg   *discordgo.Session
	link *link
}

// newClient returns a client that connects l to an address.
func newClient(l *link, address string) (*client, error) {
	cfg := &l.session.gateway.cfg
	dg, err := discordgo.New(cfg.token())
	if err != nil {
		return nil, fmt.Errorf("make a Discord session: %w", err)
	}
	dg.ShardID, dg.ShardCount = cfg.Shard.ID, cfg.Shard.Count
	dg.LogLevel = -1 // nothing: discordgo's log lines contain payloads
	dg.StateEnabled = false
	dg.SyncEvents = true
	dg.Compress = false // compression of single events, for which discordgo allocates 40 kB each time
	dg.ShouldReconnectOnError = false
	dg.ShouldReconnectVoiceOnSessionError = false
	dg.Identify.Intents = Intents
	dg.Client = &http.Client{Transport: addressBook(address)}
	dg.Dialer = &websocket.Dialer{NetDialContext: l.dialPlain, NetDialTLSContext: l.dialTLS}
	dg.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { l.end() })
	return &client{dg: dg, link: l}, nil
}

// run connects, waits until the connection ends and returns why. It closes the
// connection when ctx ends.
func (c *client) run(ctx context.Context) error {
	l := c.link
	opened := make(chan error, 1)
	go func() { opened <- c.open() }()
	select {
	case err := <-opened:
		if err != nil {
			return l.reason(err)
		}
	case <-ctx.Done():
		l.kill(ctx.Err())
		return c.await(opened)
	case <-l.dead: // Open returns once its socket is cut
		if err := c.await(opened); err != nil {
			return l.reason(err)
		}
	}
	select {
	case <-l.ended:
	case <-ctx.Done():
		c.close()
	case <-l.dead:
		within, cancel := c.closing()
		defer cancel()
		select {
		case <-l.ended:
		case <-within.Done():
			return errors.Join(errStuck, l.reason(errEnded))
		}
	}
	return l.reason(errEnded)
}

// closing returns a context that bounds how long discordgo may take to close a
// connection.
func (c *client) closing() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), c.link.session.gateway.cfg.CloseTimeout)
}

// open opens the discordgo Session.
func (c *client) open() error {
	if err := c.dg.Open(); err != nil {
		return fmt.Errorf("open the gateway: %w", err)
	}
	// The link watches heartbeats. If discordgo did, too, it would close the connection
	// with a code that ends the session.
	const century = 100 * 365 * 24 * time.Hour
	c.dg.Lock()
	c.dg.LastHeartbeatAck = time.Now().Add(century)
	c.dg.Unlock()
	return nil
}

// await waits for Open to return after its socket was cut.
func (c *client) await(opened <-chan error) error {
	within, cancel := c.closing()
	defer cancel()
	select {
	case err := <-opened:
		return err
	case <-within.Done():
		return errStuck
	}
}

// close closes the connection, which ends the session. It cuts the socket if closing
// takes too long.
func (c *client) close() {
	within, cancel := c.closing()
	go func() {
		defer cancel()
		_ = c.dg.Close() // waits for a second, and for locks
	}()
	<-within.Done()
	c.link.kill(context.Canceled)
}
