package redistest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// Relay forwards commands between clients and a server, but those that it is told to Refuse.
type Relay struct {
	listener net.Listener
	server   *Server
	running  sync.WaitGroup

	// mu guards the fields below it.
	mu      sync.Mutex
	refuses map[string]string // see Refuse
	clients []net.Conn
}

// Forward starts a Relay.
func Forward(ctx context.Context, server *Server) (*Relay, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for clients: %w", err)
	}
	r := &Relay{listener: listener, server: server}
	r.running.Go(func() { r.accept(ctx) })
	return r, nil
}

// Refuse has the Relay answer commands with errors in place of the server, from now on.
// refusals holds an error for each name of a command, in lower case. The one for "" is for
// all other commands but HELLO, CLIENT and QUIT, with which connections begin and end.
func (r *Relay) Refuse(refusals map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = refusals
}

// refusal returns the error for a command, or "" for one that is not refused.
func (r *Relay) refusal(command string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	refusal := r.refuses[command]
	if refusal == "" && command != "hello" && command != "client" && command != "quit" {
		refusal = r.refuses[""]
	}
	return refusal
}

// URL returns the address for REDIS_URL.
func (r *Relay) URL() string { return "redis://" + r.listener.Addr().String() + patient }

// Close closes all connections.
func (r *Relay) Close() error {
	err := r.listener.Close()
	r.mu.Lock()
	for _, client := range r.clients {
		_ = client.Close() // nothing is lost
	}
	r.mu.Unlock()
	r.running.Wait()
	return err
}

// accept serves the clients that connect, until the listener is closed.
func (r *Relay) accept(ctx context.Context) {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return // closed
		}
		r.mu.Lock()
		r.clients = append(r.clients, client)
		r.mu.Unlock()
		r.running.Go(func() { _ = r.serve(ctx, client) }) // it ends when one of the two disconnects
	}
}

// serve forwards the commands of a client. A transaction of which a command is refused is
// ended as a server does that.
func (r *Relay) serve(ctx context.Context, client net.Conn) error {
	defer client.Close() //nolint:errcheck // nothing is left to send
	upstream, err := new(net.Dialer).DialContext(ctx, "unix", r.server.Socket())
	if err != nil {
		return fmt.Errorf("dial the server: %w", err)
	}
	defer upstream.Close() //nolint:errcheck // as above
	said, answers, aborted := bufio.NewReader(client), bufio.NewReader(upstream), false
	for {
		command, text, err := value(said)
		if err != nil {
			return err
		}
		command = strings.ToLower(command)
		refusal := r.refusal(command)
		switch {
		case refusal != "":
			aborted = true
		case command == "multi":
			aborted = false
		}
		if command == "exec" && aborted {
			text = "*1\r\n$7\r\nDISCARD\r\n"
			refusal = cmp.Or(refusal, "EXECABORT Transaction discarded because of previous errors.")
		}
		answer := "-" + refusal + "\r\n"
		if refusal == "" || command == "exec" && aborted {
			forwarded := ""
			if _, err = io.WriteString(upstream, text); err == nil {
				_, forwarded, err = value(answers)
			}
			if refusal == "" {
				answer = forwarded
			}
		}
		if err == nil {
			_, err = io.WriteString(client, answer)
		}
		if err != nil {
			return fmt.Errorf("forward a command: %w", err)
		}
	}
}

// value reads one value of Redis's protocol, and returns the first text in it, and all of it.
func value(from *bufio.Reader) (first, whole string, err error) {
	line, err := from.ReadString('\n')
	if err != nil || len(line) < len("+\r\n") {
		return "", line, errors.Join(err, io.ErrUnexpectedEOF)
	}
	n, _ := strconv.Atoi(line[1 : len(line)-2]) // of a value with a size
	switch line[0] {
	case '$', '=':
		if n < 0 {
			return "", line, nil
		}
		text := make([]byte, n+len("\r\n"))
		_, err = io.ReadFull(from, text)
		return string(text[:n]), line + string(text), err
	case '%':
		n *= 2
	case '*', '~', '>':
	default:
		return "", line, nil
	}
	var all strings.Builder
	all.WriteString(line)
	for range max(n, 0) {
		inner, more, err := value(from)
		if err != nil {
			return "", "", err
		}
		if first == "" {
			first = inner
		}
		all.WriteString(more)
	}
	return first, all.String(), nil
}
