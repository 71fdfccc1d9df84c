package cli

import (
	"context"
	"errors"
	"log/slog"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"heddle/bot"
	"heddle/bot/answer"
	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/config"
	"heddle/fetch"
	"heddle/internal/discord"
	"heddle/internal/playground"
	"heddle/internal/telemetry"
	"heddle/internal/terminal"
	"heddle/llm"
	"heddle/store"
)

// serve answers on Discord until ctx is cancelled.
func serve(ctx context.Context, _ []string, p Process) error {
	signal.Ignore(syscall.SIGPIPE) // otherwise a log line that nobody reads any more would end heddle
	c, warnings, err := config.LoadBot(p.Environ, p.Read)
	log := p.logger(c)
	for _, w := range warnings {
		log.WarnContext(ctx, "a setting should be changed", "variable", w.Variable, "problem", w.Problem, "remedy", w.Remedy)
	}
	if err != nil {
		return err
	}
	return runBot(ctx, c, log, p)
}

// runBot runs the bot that c describes until ctx is cancelled.
func runBot(ctx context.Context, c config.Config, log *slog.Logger, p Process) (err error) {
	registry := prometheus.NewRegistry()
	meter := telemetry.New(registry)
	ctx = telemetry.With(ctx, meter)
	clock := new(discord.Clock)
	stored, closeStore, err := p.useStore(ctx, c, clock.Now, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	announce(ctx, c, p.Build.described(), log)
	rest, connection := toDiscord(c, discord.RESTConfig{Log: log, Observe: meter.Request, Clock: clock}, stored)
	history := fetch.NewHistory(rest, log)
	watch := newModelWatch(registry, priced(c), c.LLMPrices.Currency, c.LLMModel)
	counter, servers := llm.NewCounter(c.LLMModel), tools.NewServers(serversOf(c, p.Environ), log)
	known := guilds.New(rest)
	bounds := limits.New(stored.Budgets, known, priced(c), counter.Request, limitsOf(c), clock, log)
	model, reader, err := newModels(&c, p.Timings.usually(c.LLMTimeout).Patience, bounds, counter, watch, log)
	if err != nil {
		return err
	}
	defer model.Close()
	transcriber, unclear := newTranscriber(&c, bounds)
	chosen, err := settings(c, p, counter.Turn)
	if err = errors.Join(err, unclear); err != nil {
		return err
	}
	if reader != nil {
		defer reader.Close()
	}
	chosen.Conversation.Reader, chosen.Conversation.Transcriber = reader, transcriber
	var shown *playground.Live // the dashboard, if there is one
	if c.DashboardAddr != "" {
		p.Recent = answer.NewRecent()
		shown = playground.NewLive(chosen.Conversation, p.Recent)
	}
	replies := reply.New(rest, stored.Responses, reply.Pace, log)
	replies.NoButtons = !bool(c.Buttons)
	heddle := bot.New(bot.Deps{
		REST: rest, Gateway: connection, Guilds: known, History: history, Replies: replies, Model: model,
		Store: stored, Limits: bounds, Files: fetch.NewFiles(history, fileHosts(&c)...), Tools: toolset(c, model, known), Servers: servers, Recent: p.Recent, Log: log,
	}, chosen)
	endPages, err := servePages(ctx, c, log, shown, watched{
		heddle: heddle, stored: stored, gateway: connection, model: model, probe: &probe{config: c, watch: watch, turn: make(chan struct{}, 1)}, build: p.Build.described(), registry: registry,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, endPages()) }()
	return runWithStore(ctx, heddle, model, stored, servers, shown, log)
}

// runWithStore runs the bot and, for as long, the maintenance of the store, the MCP servers and the
// dashboard, if there is one.
func runWithStore(ctx context.Context, heddle *bot.Bot, model *llm.Client, stored *store.Store, servers *tools.Servers, shown *playground.Live, log *slog.Logger) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { tryModel(beside, model, log) })
	running.Go(func() { servers.Run(beside) })
	if shown != nil {
		running.Go(func() { shown.Run(beside) })
	}
	running.Go(func() { _ = stored.Run(beside) }) // it ends without an error when it is stopped
	defer running.Wait()
	defer stop()
	return permanent(heddle.Run(ctx))
}

// toDiscord returns what speaks to Discord as the bot of c: over REST, as of describes, and
// over the gateway. Processes that share a Redis share Discord's limit of requests, and take
// turns to identify.
func toDiscord(c config.Config, of discord.RESTConfig, stored *store.Store) (*discord.REST, *gateway.Shards) {
	of.BaseURL, of.Token = string(c.DiscordAPIURL), c.DiscordToken.Reveal()
	var run gateway.ShardsConfig
	if c.RedisURL != "" {
		of.Shared, run.Turns = sharedLimit{stored.Budgets}, stored.Claims
	}
	if c.Shards == "leased" {
		run.Registry = stored.Shards
	}
	rest := discord.NewREST(of)
	run.Gateway = gateway.Config{Token: of.Token, REST: rest, Log: of.Log}
	return rest, gateway.NewShards(run)
}

// useStore opens the store to answer from, and takes commands of other processes on it,
// until the returned function closes it. A store that is away for now is no error.
func (p Process) useStore(ctx context.Context, c config.Config, clock func() time.Time, log *slog.Logger) (*store.Store, func() error, error) {
	open, err := p.openStore(ctx, c, toAnswer, clock, log)
	if err != nil {
		return nil, nil, err
	}
	if err := open.store.Ping(ctx); err != nil && !errors.Is(err, store.ErrUnavailable) {
		return nil, nil, errors.Join(storeFailure(c, err), open.Close())
	}
	end := takeCommands(ctx, c, log, p.Build, open)
	return open.store, func() error {
		end()
		return open.Close()
	}, nil
}

// permanent marks as misuse what Discord will refuse again however often heddle is
// started, such as a wrong token.
func permanent(err error) error {
	for _, cause := range []error{gateway.ErrToken, gateway.ErrIntents, gateway.ErrRefused, gateway.ErrAddress} {
		if errors.Is(err, cause) {
			return terminal.Errorf("%w", err)
		}
	}
	return err
}

// announce logs what starts.
func announce(ctx context.Context, c config.Config, build Build, log *slog.Logger) {
	stored := "a file in " + c.DataDir
	if c.RedisURL != "" {
		stored = "Redis"
	}
	log.InfoContext(ctx, "heddle starts", "version", build.Version, "model", c.LLMModel, "store", stored, "discord", c.DiscordAPIURL)
}

// tryModel warns if the model's API cannot be reached, as otherwise the first who asked would
// be the first to know.
func tryModel(ctx context.Context, model *llm.Client, log *slog.Logger) {
	if err := model.Reach(ctx); err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the model cannot be reached, people who ask are told so until it is back; check OPENAI_BASE_URL and the network", "model", model.Model(), "error", err)
	}
}
