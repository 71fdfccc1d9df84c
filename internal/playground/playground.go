package playground

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"heddle/bot/answer"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/telemetry"
	"heddle/internal/terminal"
	"heddle/internal/why"
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
	Recent     *answer.Recent // gets what answers are made from
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
	Preview why.Bot  // by which the page shows what a message would be answered from
	Ollama  string   // where to look for an Ollama to offer; "" is where it usually is
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
	defer listener.Close()                                                      //nolint:errcheck // it may be closed already
	discord := discordtest.New(discordtest.Options{AnswerWithin: answerWithin}) //nolint:contextcheck // it lives until its Close
	defer discord.Close()
	connection := Connection{DiscordURL: discord.URL(), Model: o.Model}
	if o.Model.URL == "" {
		model, err := openaitest.Start(openaitest.Config{Models: []string{standInName}, Script: standIn}) //nolint:contextcheck // it lives until its Close
		if err != nil {
			return fmt.Errorf("start the simulated model: %w", err)
		}
		defer model.Close() //nolint:errcheck,contextcheck // nothing is lost with it
		connection.Model = Model{URL: model.URL(), Key: "demo", Name: standInName}
	}
	world, err := newWorld(discord, time.Now())
	if err != nil {
		return fmt.Errorf("fill the playground: %w", err)
	}
	if err := world.loadFiles(ctx, o.Exports); err != nil {
		return err
	}
	p := page{world: world, contexts: newContexts(discord.Chat, answer.NewRecent()), preview: o.Preview, mind: &mind{ollama: cmp.Or(o.Ollama, usualOllama), model: connection.Model, end: func() {}}}
	handler, err := p.handler()
	if err != nil {
		return err
	}
	connection.Token, connection.Recent = world.bot.Token, p.contexts.recent
	following, leave := context.WithCancel(ctx)
	var follows sync.WaitGroup
	follows.Go(func() { p.contexts.follow(following) })
	defer follows.Wait()
	defer leave()
	announce(o.Stdout, listener.Addr().String(), connection.Model)
	server := telemetry.ServeOn(listener, listener.Addr().String(), handler)
	err = p.mind.run(ctx, connection, o.Start)
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, server.Close())
}

func announce(w io.Writer, address string, model Model) {
	fmt.Fprintf(w, "http://%s\n\nOpen this page to talk to heddle. Ctrl-C ends it; nothing is kept.\n", address)
	if model.Name == standInName {
		fmt.Fprint(w, "No model is set, so a demo answers and shows what a model would read. The page says how to connect a real one.\n")
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
	if !isLoopback(address) {
		return nil, terminal.Errorf("the page's address %q is not a loopback address like 127.0.0.1:8080: the playground is for this machine alone", address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, terminal.Errorf("another program uses %s; choose another address, or leave it out and a free one is taken", address)
	}
	if err != nil {
		return nil, fmt.Errorf("open the page's address: %w", err)
	}
	return listener, nil
}
