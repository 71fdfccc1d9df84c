package shared

import (
	"context"
	"encoding/gob"
	"fmt"
	"net"

	"heddle/store"
)

// Client is an engine that another process has open.
type Client struct{ file string }

// Dial returns the engine that a process serves at a socket. It fails with
// store.ErrUnavailable if there is no such process.
func Dial(ctx context.Context, file string) (*Client, error) {
	c := &Client{file}
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // the connection only tests that a process listens
	return c, nil
}

func (c *Client) connect(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", c.file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return conn, nil
}

// ask makes a call. It passes all parts of the answer except the last to part, and
// returns the last.
func (c *Client) ask(ctx context.Context, call *request, part func(*answer) error) (*answer, error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // everything was read
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := gob.NewEncoder(conn).Encode(call); err != nil {
		return nil, c.gone(ctx, err)
	}
	for in := gob.NewDecoder(conn); ; {
		var got answer
		if err := in.Decode(&got); err != nil {
			return nil, c.gone(ctx, err)
		}
		if got.Last {
			return &got, got.Fault.in()
		}
		if err := part(&got); err != nil {
			return nil, err
		}
	}
}

// gone returns the error for a call whose connection ended early.
func (c *Client) gone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: the heddle that holds it has ended: %w", store.ErrUnavailable, err)
}

// whole is the argument part of ask for calls whose answer has one part only.
func whole(*answer) error { return nil }

// Get implements store.Reader.
func (c *Client) Get(ctx context.Context, keys ...store.Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	if len(keys) == 0 {
		return values, nil
	}
	got, err := c.ask(ctx, &request{Get: keys}, whole)
	if err != nil {
		return values, err
	}
	for i, v := range got.Values {
		values[i] = v.in()
	}
	return values, nil
}

// Follow implements store.Reader.
func (c *Client) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	found := make([][]store.Member, len(queries))
	got, err := c.ask(ctx, &request{Follow: &follow{scope, queries}}, whole)
	if err != nil {
		return found, err
	}
	for i, members := range got.Members {
		for _, m := range members {
			found[i] = append(found[i], store.Member{Name: m.Name, Value: m.Value.in(), Linked: m.Linked.in()})
		}
	}
	return found, nil
}

// Apply implements store.Engine.
func (c *Client) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	got, err := c.ask(ctx, &request{Changes: changes}, whole)
	if err != nil {
		return nil, err
	}
	return got.Failed, nil
}

// Walk implements store.Walker.
func (c *Client) Walk(ctx context.Context, f func([]store.Entry) error) error {
	_, err := c.ask(ctx, &request{Walk: true}, func(part *answer) error {
		entries := make([]store.Entry, len(part.Entries))
		for i, e := range part.Entries {
			entries[i] = e.Entry
			entries[i].Value = e.Value.in()
		}
		return f(entries)
	})
	return err
}

// Sweep implements store.Engine.
func (c *Client) Sweep(ctx context.Context) (int, error) {
	got, err := c.ask(ctx, &request{Sweep: true}, whole)
	if err != nil {
		return 0, err
	}
	return got.Swept, nil
}

// Close does nothing, because every call has a connection of its own.
func (c *Client) Close() error { return nil }
