package redistest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// Break is the moment at which a Relay separates a client from its servers: after a
// number of counted commands were answered.
type Break struct {
	After  int
	Counts func(words []string) bool
}

// Relay forwards commands between a client and its servers until a Break. It forwards
// one command at a time, each after the previous one was answered, so that timing does
// not matter.
type Relay struct {
	at        Break
	forgiving bool // a client that lost an answer may continue
	listeners []net.Listener
	servers   []*Server
	running   sync.WaitGroup

	// turn is held while a command is forwarded. It guards the fields below it.
	turn     chan struct{}
	answered int // number of counted commands that were answered
	closed   bool
	refuses  map[string]string // see Refuse
	clients  []net.Conn
}

// EndAt starts a Relay that cuts its client off at a break. Nothing that the client
// sends later reaches a server, as if its process had ended.
func EndAt(ctx context.Context, at Break, servers ...*Server) (*Relay, error) {
	return startRelay(ctx, &Relay{at: at}, servers)
}

// LoseAnswerAt starts a Relay that forwards the command at the break, but drops the
// answer and closes the connection. The client may connect again.
func LoseAnswerAt(ctx context.Context, at Break, servers ...*Server) (*Relay, error) {
	return startRelay(ctx, &Relay{at: at, forgiving: true}, servers)
}

// Forward starts a Relay that forwards all commands but those it is told to Refuse.
func Forward(ctx context.Context, server *Server) (*Relay, error) {
	never := Break{Counts: func([]string) bool { return false }}
	return startRelay(ctx, &Relay{at: never}, []*Server{server})
}

// Refuse has the Relay answer commands with errors in place of the server, from now on.
// refusals holds an error for each name of a command, in lower case. The one for "" is for
// all other commands but HELLO and CLIENT, with which connections begin.
func (r *Relay) Refuse(refusals map[string]string) {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	r.refuses = refusals
}

// refusal returns the answer to a command that is refused, or "" for one that is not. The
// caller has the turn.
func (r *Relay) refusal(command string) string {
	command = strings.ToLower(command)
	refusal := r.refuses[command]
	if refusal == "" && command != "hello" && command != "client" {
		refusal = r.refuses[""]
	}
	if refusal == "" {
		return ""
	}
	return "-" + refusal + "\r\n"
}

func startRelay(ctx context.Context, r *Relay, servers []*Server) (*Relay, error) {
	r.turn, r.servers = make(chan struct{}, 1), servers
	for i := range servers {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen for clients: %w", err), r.Close())
		}
		r.listeners = append(r.listeners, listener)
		r.running.Go(func() { r.accept(ctx, listener, servers[i]) })
	}
	return r, nil
}

// URL returns the address for REDIS_URL. If there are several servers, it is that of a
// Cluster.
func (r *Relay) URL() string {
	kind := "redis://"
	if len(r.servers) > 1 {
		kind = "redis+cluster://"
	}
	return kind + r.listeners[0].Addr().String()
}

// Close closes all connections.
func (r *Relay) Close() error {
	r.turn <- struct{}{}
	r.endTurn()
	<-r.turn
	r.running.Wait()
	return nil
}

// endTurn closes all connections, and refuses later ones. The caller has the turn.
func (r *Relay) endTurn() {
	r.closed = true
	for _, listener := range r.listeners {
		_ = listener.Close() // nothing is lost
	}
	for _, client := range r.clients {
		_ = client.Close() // as above
	}
}

// accept serves the clients that connect to a listener, until it is closed.
func (r *Relay) accept(ctx context.Context, listener net.Listener, server *Server) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // closed
		}
		r.turn <- struct{}{}
		r.clients = append(r.clients, client)
		if r.closed {
			_ = client.Close() // the server is gone
		}
		<-r.turn
		r.running.Go(func() { r.serve(ctx, client, server) })
	}
}

// serve forwards the commands of a client until the client or the server disconnects.
func (r *Relay) serve(ctx context.Context, client net.Conn, server *Server) {
	defer client.Close() //nolint:errcheck // nothing is left to send
	upstream, err := new(net.Dialer).DialContext(ctx, "unix", server.Socket())
	if err != nil {
		return
	}
	defer upstream.Close() //nolint:errcheck // as above
	said, answers := bufio.NewReader(client), bufio.NewReader(upstream)
	for {
		var command strings.Builder
		words, err := value(said, &command)
		if err != nil {
			return
		}
		answer, err := r.handOn(words, command.String(), upstream, answers)
		if err != nil {
			return
		}
		if _, err := io.WriteString(client, answer); err != nil {
			return
		}
	}
}

var errEnded = errors.New("the client is ended")

// handOn forwards one command and returns the answer.
func (r *Relay) handOn(words []string, command string, upstream io.Writer, answers *bufio.Reader) (string, error) {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	if r.closed || len(words) == 0 {
		return "", errEnded
	}
	if strings.EqualFold(words[0], "cluster") {
		return r.slots(), nil
	}
	if refusal := r.refusal(words[0]); refusal != "" {
		return refusal, nil
	}
	counts := r.at.Counts(words)
	breaks := counts && r.answered == r.at.After
	if breaks && !r.forgiving {
		r.endTurn()
		return "", errEnded
	}
	if _, err := io.WriteString(upstream, command); err != nil {
		return "", fmt.Errorf("forward a command: %w", err)
	}
	var answer strings.Builder
	if _, err := value(answers, &answer); err != nil {
		return "", err
	}
	if counts {
		r.answered++
	}
	if breaks {
		return "", errEnded
	}
	return answer.String(), nil
}

// slots returns the answer to CLUSTER SLOTS, with the Relay's own addresses.
func (r *Relay) slots() string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(r.listeners))
	for i, listener := range r.listeners {
		host, port, _ := net.SplitHostPort(listener.Addr().String()) // a listener's own address parses
		from, to := part(i, len(r.listeners))
		fmt.Fprintf(&b, "*3\r\n:%d\r\n:%d\r\n*3\r\n$%d\r\n%s\r\n:%s\r\n$2\r\nn%d\r\n", from, to-1, len(host), host, port, i)
	}
	return b.String()
}

// value copies one value of Redis's protocol from from to to, and returns the texts in
// it.
func value(from *bufio.Reader, to *strings.Builder) (texts []string, err error) {
	line, err := from.ReadString('\n')
	to.WriteString(line)
	if err != nil || len(line) < len("+\r\n") {
		return nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	size, inner := line[1:len(line)-2], 0
	switch line[0] {
	case '$', '=':
		n, err := strconv.Atoi(size)
		if err != nil || n < 0 {
			return nil, err
		}
		text := make([]byte, n+len("\r\n"))
		if _, err := io.ReadFull(from, text); err != nil {
			return nil, err
		}
		to.Write(text)
		return []string{string(text[:n])}, nil
	case '*', '~', '>':
		inner, err = strconv.Atoi(size)
	case '%':
		inner, err = strconv.Atoi(size)
		inner *= 2
	}
	for ; err == nil && inner > 0; inner-- {
		var more []string
		more, err = value(from, to)
		texts = append(texts, more...)
	}
	return texts, err
}
