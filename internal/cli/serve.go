package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os/signal"
	"sync"
	"syscall"

	"heddle/bot"
	"heddle/bot/gateway"
	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/config"
	"heddle/fetch"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/internal/tracing"
	"heddle/llm"
	"heddle/store"
)

// serve answers on Discord until ctx is cancelled.
func serve(ctx context.Context, args []string, p Process) error {
	if _, err := parseFlags(new(flag.FlagSet), serveCommand, args, 0, p); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // otherwise a log line that nobody reads any more would end heddle
	c, warnings, err := config.LoadBot(p.Environ, p.Read)
	level := new(slog.LevelVar)
	level.Set(c.LogLevel)
	p, end := p.unstalled(ctx, c.LogFormat)
	defer end()
	log := loggerAt(level, c.LogFormat, p.Stderr)
	for _, w := range warnings {
		log.WarnContext(ctx, "a setting should be changed", "variable", w.Variable, "problem", w.Problem, "remedy", w.Remedy)
	}
	if err := p.withReferences(c, err); err != nil {
		return err
	}
	reloading, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.reload(reloading, c, level, log) })
	defer running.Wait()
	defer stop()
	return runBot(ctx, c, log, p)
}

// runBot runs the bot that c describes until ctx is cancelled, and sends its traces if they
// are wanted.
func runBot(ctx context.Context, c config.Config, log *slog.Logger, p Process) error {
	meter, end, err := newMeter(ctx, c, log, p.Build.described())
	if err != nil {
		return err
	}
	defer end()
	return runMetered(telemetry.With(ctx, meter), c, meter, log, p)
}

// newMeter returns a meter of what heddle does, which sends traces if they are wanted, and
// the function that ends it.
func newMeter(ctx context.Context, c config.Config, log *slog.Logger, build Build) (meter *telemetry.Meter, end func(), err error) {
	meter = telemetry.New()
	if c.TracesEndpoint == "" {
		return meter, func() {}, nil
	}
	tracer, err := tracing.New(ctx, tracing.Config{
		Endpoint: string(c.TracesEndpoint), Headers: c.TracesHeaders.Reveal(), Version: build.Version, Log: log,
	})
	if err != nil {
		return nil, nil, misuseError{fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %w", err)}
	}
	meter.Trace(tracer)
	return meter, tracer.Close, nil
}

// runMetered runs the bot that c describes until ctx is cancelled. It counts with meter.
func runMetered(ctx context.Context, c config.Config, meter *telemetry.Meter, log *slog.Logger, p Process) (err error) {
	clock := new(discord.Clock)
	stored, err := openStore(ctx, c, clock.Now, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	if err := reach(ctx, c, p, stored); err != nil {
		return err
	}
	rest, err := discord.NewREST(discord.RESTConfig{BaseURL: string(c.DiscordAPIURL), Token: c.DiscordToken.Reveal(), Log: log, Observe: meter.Request, Clock: clock, Shared: newSharedLimit(c, stored)})
	if err != nil {
		return fmt.Errorf("DISCORD_API_URL: %w", err)
	}
	connection, err := newShards(c, gateway.Config{Token: c.DiscordToken.Reveal(), REST: rest, Log: log}, stored)
	if err != nil {
		return fmt.Errorf("set up the gateway: %w", err)
	}
	history, err := fetch.NewHistory(rest, fetch.Options{Log: log})
	if err != nil {
		return fmt.Errorf("set up the history: %w", err)
	}
	defer history.Close()
	watch := newModelWatch(meter, c.LLMModel)
	counter := llm.NewCounter(c.LLMModel)
	count := llm.Cached(counter.Turn)
	bounds := limits.New(stored.Budgets, limits.NewLedger(stored.Spending(), priced(c), log), count.Request, limitsOf(c), clock.Now, log)
	asked, err := newModels(c, bounds, watch, log)
	if err != nil {
		return err
	}
	defer asked.Close()

	chosen, err := settings(c, p, counter, count)
	if err != nil {
		return err
	}
	files := fetch.NewFiles(history, fetch.FilesOptions{Hosts: fileHosts(&c)})
	shown := newDashboard(ctx, c, chosen, count)
	heddle, err := bot.New(bot.Deps{
		REST: rest, Gateway: connection, History: history, Outbox: outbox.New(rest, outbox.Config{Log: log}), Model: asked.chat,
		Store: stored, Limits: bounds, Files: files, Tools: toolset(c, history, asked.chat), Observer: observersOf(p.Observer, shown), Log: log,
	}, asked.into(chosen))
	if err != nil {
		return fmt.Errorf("set up the bot: %w", err)
	}
	endPages, err := servePages(ctx, c, log, shown, history, watched{
		heddle: heddle, stored: stored, gateway: connection, meter: meter, model: watch, prices: c.LLMPrices, build: p.Build.described(),
		lostRecords: p.lostRecords,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, endPages()) }()
	return runWithStore(ctx, heddle, stored)
}

// reach checks that a store can be used, unless it is away for now, and tells p what answers
// are in it.
func reach(ctx context.Context, c config.Config, p Process, stored *store.Store) error {
	if err := stored.Ping(ctx); err != nil && !errors.Is(err, store.ErrUnavailable) {
		return storeFailure(storeSetting(c), err)
	}
	if p.Opened != nil {
		p.Opened(stored.Responses)
	}
	return nil
}

// runWithStore runs the bot and, for as long, the maintenance of the store.
func runWithStore(ctx context.Context, heddle *bot.Bot, stored *store.Store) error {
	maintenance, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { _ = stored.Run(maintenance) }) // it ends without an error when it is stopped
	defer running.Wait()
	defer stop()
	return permanent(heddle.Run(ctx))
}
