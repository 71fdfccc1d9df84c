package playground

import (
	"context"
	"crypto/subtle"
	_ "embed" // the page's body
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/internal/why"
	"heddle/store"
)

//go:embed live.html
var liveBody string

// mostKept bounds the answers that Live keeps. The oldest are dropped.
const mostKept = 200

// Live is the playground's view on a running heddle: its latest answers, each with its
// graph and the request, and its counts.
//
// It does not keep what people wrote: it shows lengths in place of texts.
type Live struct {
	settings conversation.Settings
	recent   *answer.Recent

	mu      sync.Mutex
	answers []*liveAnswer // oldest first
	last    int           // the number of the newest
}

// liveAnswer is an answer as the list shows it.
type liveAnswer struct {
	Number     int             `json:"number"`
	At         time.Time       `json:"at"`
	Channel    graph.ChannelID `json:"channel"`
	Question   graph.MessageID `json:"question"`
	Messages   int             `json:"messages"` // of the conversation
	Background int             `json:"background"`
	Recalled   int             `json:"recalled"`
	Turns      int             `json:"turns"`
	Tokens     int             `json:"tokens"`
	Shown      int             `json:"shown"` // Discord messages that show it; 0 until it is sent

	response store.ResponseID
	why      why.Answer // veiled
}

// NewLive returns a view of what recent holds, which Run takes as it comes.
func NewLive(settings conversation.Settings, recent *answer.Recent) *Live {
	return &Live{settings: settings, recent: recent}
}

// Run takes news of answers as they come, until ctx ends, so that what people wrote is not held.
func (l *Live) Run(ctx context.Context) {
	for ctx.Err() == nil {
		l.take(context.WithoutCancel(ctx))
		select {
		case <-l.recent.Changed:
		case <-ctx.Done():
		}
	}
}

// take takes the news of answers.
func (l *Live) take(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.recent.Take() {
		switch {
		case n.To != 0: // it has only begun
		case n.Graph != nil:
			l.addLocked(ctx, &n)
		default:
			for _, a := range l.answers {
				if a.response == n.Response {
					a.Shown = len(n.Messages)
				}
			}
		}
	}
}

// addLocked adds what a response was made from.
func (l *Live) addLocked(ctx context.Context, n *answer.News) {
	l.last++
	a := &liveAnswer{
		Number: l.last, At: time.Now().UTC(), Channel: n.Graph.Trigger.Channel, Question: n.Graph.Trigger.ID, Messages: len(n.Graph.Conversation),
		Background: len(n.Graph.Background), Recalled: len(n.Graph.Recalled), Turns: len(n.Built.Path.Turns), response: n.Response,
		why: why.Veiled(ctx, n.Graph, &n.Built, n.Tail, l.settings),
	}
	a.why.Path.Recorded, a.Tokens = true, a.why.Path.Tokens
	l.answers = append(l.answers, a)
	l.answers = l.answers[max(0, len(l.answers)-mostKept):]
}

// Serving configures how Live is served.
type Serving struct {
	Address string       // host:port, of a loopback address unless there is a token
	Token   string       // the password that every request must carry; "" for none
	Counts  http.Handler // serves counters and gauges in Prometheus' text format
}

// ErrOpen means that the address is not a loopback address and no token is set.
var ErrOpen = errors.New("the dashboard would be open to other machines without a token")

// Start serves the page until the server is closed. It returns ErrOpen if other machines
// could reach it without a token.
func (l *Live) Start(ctx context.Context, s Serving) (*telemetry.Server, error) {
	if s.Token == "" && !isLoopback(s.Address) {
		return nil, ErrOpen
	}
	mux, guarded, err := front(liveBody, "live.js", "app.css", "panel.css", "live.css")
	if err != nil {
		return nil, err
	}
	mux.Handle("GET /api/counts", s.Counts)
	mux.HandleFunc("GET /api/answers", func(w http.ResponseWriter, r *http.Request) {
		respond(w, http.StatusOK, l.list(r.Context()))
	})
	mux.HandleFunc("GET /api/answers/{number}", func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.Atoi(r.PathValue("number"))
		answers := l.list(r.Context())
		at := slices.IndexFunc(answers, func(a liveAnswer) bool { return a.Number == number })
		if err != nil || at < 0 {
			refuse(w, http.StatusNotFound, "that answer is no longer kept here")
			return
		}
		respond(w, http.StatusOK, answers[at].why)
	})
	return telemetry.Serve(ctx, s.Address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, given, _ := r.BasicAuth()
		if s.Token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(s.Token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="heddle", charset="UTF-8"`)
			http.Error(w, "the dashboard needs its token as the password", http.StatusUnauthorized)
			return
		}
		guarded.ServeHTTP(w, r)
	}))
}

// list returns the latest answers, newest first.
func (l *Live) list(ctx context.Context) []liveAnswer {
	l.take(context.WithoutCancel(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	answers := make([]liveAnswer, 0, len(l.answers))
	for _, a := range slices.Backward(l.answers) {
		answers = append(answers, *a)
	}
	return answers
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
