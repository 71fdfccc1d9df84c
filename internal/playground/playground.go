package playground

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// Model is a chat completions API. The zero Model stands for a simulated model that
// needs no network.
type Model struct {
	URL  string
	Key  string
	Name string
}

// Connection is what the bot connects to.
type Connection struct {
	DiscordURL string // REST base, without a version
	Token      string
	Model      Model
	// Observer is notified of what answers are made from.
	Observer Observer
	// Opened is called with the stored answers, before the bot gives any answer.
	Opened func(Answers)
}

// Answers reads stored answers. It may be called from any goroutine until the bot has
// ended.
type Answers interface {
	// ByTrigger returns all responses to a question. It is not an error if there are
	// none.
	ByTrigger(ctx context.Context, scope store.Scope, trigger graph.MessageID) ([]store.Response, error)
}

// Observer learns about the bot's answers. The bot calls it from any goroutine.
type Observer interface {
	// Begins is called before an answer starts, with the message that it replies to,
	// its graph and its path.
	Begins(to graph.MessageID, g *graph.Graph, built path.Built)
	// Made is called with the graph and the path that a response was made from. It must
	// not keep the response.
	Made(response *store.Response, g *graph.Graph, built path.Built)
	// Shows is called before messages show a response.
	Shows(messages []graph.MessageID, response store.ResponseID)
	// Recorded is called once a response is stored.
	Recorded(response store.ResponseID)
}

// UsualAddress is the default address of the page. It is always the same, so that an
// open page can reconnect when the playground is restarted.
const UsualAddress = "127.0.0.1:8377"

// Options configure Run. Only Start is required.
type Options struct {
	Address string    // of the page, on a loopback interface; "" is UsualAddress, or a free port if that is taken
	Model   Model     // a simulated model if the URL is empty
	Stdout  io.Writer // gets the page's address first
	// Start runs the bot until the context is cancelled or it fails.
	Start func(context.Context, Connection) error

	Exports []string // files that become channels
	Preview Preview
}

// Run runs the playground until ctx is cancelled or something fails. It returns nil if
// ctx was cancelled.
func Run(ctx context.Context, o Options) error {
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	listener, err := listen(ctx, o.Address)
	if err != nil {
		return err
	}
	discord := discordtest.New(discordtest.Options{AnswerWithin: answerWithin}) //nolint:contextcheck // it lives until its Close
	defer discord.Close()
	connection := Connection{DiscordURL: discord.URL(), Model: o.Model}
	if o.Model.URL == "" {
		model, err := openaitest.Start(openaitest.Config{Models: []string{standInName}, Script: standIn}) //nolint:contextcheck // it lives until its Close
		if err != nil {
			_ = listener.Close()
			return fmt.Errorf("start the simulated model: %w", err)
		}
		defer model.Close() //nolint:errcheck,contextcheck // nothing is lost with it
		connection.Model = Model{URL: model.URL(), Key: "offline", Name: standInName}
	}
	world, err := newWorld(discord, time.Now())
	if err != nil {
		_ = listener.Close()
		return fmt.Errorf("fill the playground: %w", err)
	}
	if err := world.loadFiles(o.Exports, time.Now()); err != nil {
		_ = listener.Close()
		return err
	}
	contexts := &contexts{news: newBell()}
	connection.Token, connection.Observer, connection.Opened = world.bot.Token, contexts, contexts.open

	page, err := newPage(world, contexts, o.Preview, listener.Addr().String(), connection.Model.Name)
	if err != nil {
		_ = listener.Close()
		return err
	}
	announce(o.Stdout, listener.Addr().String(), connection.Model)
	return together(ctx,
		func(ctx context.Context) error { return serve(ctx, listener, page.handler()) },
		func(ctx context.Context) error { return o.Start(ctx, connection) },
	)
}

func announce(w io.Writer, address string, model Model) {
	fmt.Fprintf(w, "http://%s\n\nOpen this page to talk to heddle. Ctrl-C ends it; nothing is kept.\n", address)
	if model.Name == standInName {
		fmt.Fprint(w, "No model is set: a stand-in says what it was given. Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.\n")
		return
	}
	fmt.Fprintf(w, "Answers come from %s at %s.\n", model.Name, model.URL)
}

// listen opens a loopback address, and refuses any other.
func listen(ctx context.Context, address string) (net.Listener, error) {
	if address == "" {
		if listener, err := new(net.ListenConfig).Listen(ctx, "tcp", UsualAddress); err == nil {
			return listener, nil
		}
		address = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, refusedError(fmt.Sprintf("the page's address %q is not like 127.0.0.1:8080", address))
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, refusedError(fmt.Sprintf("the page's address %q is not a loopback address like 127.0.0.1:8080: the playground is for this machine alone", address))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, refusedError("another program uses " + address + "; choose another address, or leave it out and a free one is taken")
	}
	if err != nil {
		return nil, fmt.Errorf("open the page's address: %w", err)
	}
	return listener, nil
}

// serve answers requests until ctx is cancelled, which ends open streams too.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

// together runs parts until ctx is cancelled or one of them returns. It then cancels
// the others and waits for them. It returns the first error that a part returned before
// it was cancelled.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var first error
	var once sync.Once
	for _, part := range parts {
		group.Go(func() {
			err := part(ctx)
			if err != nil && ctx.Err() == nil {
				once.Do(func() { first = err })
			}
			cancel()
		})
	}
	group.Wait()
	return first
}
