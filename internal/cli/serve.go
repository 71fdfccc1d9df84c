package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"heddle/bot"
	"heddle/bot/gateway"
	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/config"
	"heddle/fetch"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/redis"
)

// serve answers on Discord until ctx is cancelled.
func serve(ctx context.Context, args []string, p Process) error {
	if _, err := parseFlags(new(flag.FlagSet), serveCommand, args, 0, p); err != nil {
		return err
	}
	c, err := config.LoadBot(p.Environ, p.Read)
	if err != nil {
		return err //nolint:wrapcheck // a configuration's faults speak for themselves
	}
	return answer(ctx, c, newLogger(c, p.Stderr), p.Observer)
}

// answer runs the bot that c describes. observer may be nil.
func answer(ctx context.Context, c config.Config, log *slog.Logger, observer bot.Observer) (err error) {
	stored, err := openStore(c, log, tellRenewed(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	if err := stored.Ping(ctx); err != nil && !errors.Is(err, store.ErrUnavailable) {
		return storeFailure(storeSetting(c), err)
	}

	rest, err := discord.NewREST(discord.RESTConfig{BaseURL: string(c.DiscordAPIURL), Token: c.DiscordToken.Reveal(), Log: log})
	if err != nil {
		return fmt.Errorf("DISCORD_API_URL: %w", err)
	}
	connection, err := gateway.New(gateway.Config{Token: c.DiscordToken.Reveal(), REST: rest, Log: log})
	if err != nil {
		return fmt.Errorf("set up the gateway: %w", err)
	}
	history, err := fetch.NewHistory(rest, fetch.Options{Log: log})
	if err != nil {
		return fmt.Errorf("set up the history: %w", err)
	}
	defer history.Close()
	model, err := llm.New(llm.Config{
		BaseURL: string(c.OpenAIBaseURL), APIKey: c.OpenAIAPIKey.Reveal(), Model: c.LLMModel,
		FirstByte: c.LLMTimeout, Idle: c.LLMTimeout,
	})
	if err != nil {
		return err //nolint:wrapcheck // names what is wrong
	}
	defer model.Close()

	chosen, err := settings(c)
	if err != nil {
		return err
	}
	files := fetch.NewFiles(history, fetch.FilesOptions{Hosts: fileHosts(string(c.DiscordAPIURL))})
	heddle, err := bot.New(bot.Deps{
		REST: rest, Gateway: connection, History: history, Outbox: outbox.New(rest, outbox.Config{Log: log}), Model: model,
		Store: stored, Sight: model, Files: files, Tools: toolset(c, history, model), Settings: chosen, Observer: observer, Log: log,
	})
	if err != nil {
		return fmt.Errorf("set up the bot: %w", err)
	}
	end, err := tellHealth(ctx, c, log, heddle, stored)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return runWithStore(ctx, heddle, stored)
}

// runWithStore runs the bot, and the store's upkeep for as long.
func runWithStore(ctx context.Context, heddle *bot.Bot, stored *store.Store) error {
	upkeep, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { _ = stored.Run(upkeep) }) // nil when it is stopped
	defer running.Wait()
	defer stop()
	return hopeless(heddle.Run(ctx))
}

// tellRenewed tells the operator that the store's file was damaged.
func tellRenewed(log *slog.Logger) func(bolt.Renewed) {
	return func(r bolt.Renewed) {
		log.Error("the store's file is damaged: it is set aside under another name and an empty one takes its place, so that what was asked before is answered afresh",
			"file", r.File, "aside", r.Aside, "error", r.Cause)
	}
}

// openStore opens Redis where one is named, and the embedded store elsewhere. A
// damaged file of that is begun anew where renewed is there to be told.
func openStore(c config.Config, log *slog.Logger, renewed func(bolt.Renewed)) (*store.Store, error) {
	engine, err := openEngine(c, renewed)
	if err != nil {
		return nil, err
	}
	return store.New(engine, store.Options{Lifetimes: lifetimes(c), Log: log}), nil
}

// pendingLeast is how long a mention waits in the store at least.
const pendingLeast = time.Hour

// lifetimes are how long what is stored is kept: what nobody chooses as the store has
// it, and a mention that waits for as long as it would be caught up.
func lifetimes(c config.Config) store.Lifetimes {
	return store.Lifetimes{Response: c.CacheTTL, Pending: max(pendingLeast, c.CatchUp)}
}

// storeSetting names the variable that says where things are stored.
func storeSetting(c config.Config) string {
	if c.RedisURL != "" {
		return "REDIS_URL"
	}
	return "DATA_DIR"
}

func openEngine(c config.Config, renewed func(bolt.Renewed)) (store.Engine, error) { //nolint:ireturn // one of two, by configuration
	if url := c.RedisURL.Reveal(); url != "" {
		engine, err := redis.Open(redis.Options{URL: url, Timeout: c.RedisTimeout})
		if err != nil {
			return nil, misuseError{fmt.Errorf("REDIS_URL: %w", err)}
		}
		return engine, nil
	}
	engine, err := bolt.Open(bolt.Options{Dir: c.DataDir, Renewed: renewed})
	if err != nil {
		return nil, storeFailure(storeSetting(c), err)
	}
	return engine, nil
}

// sight is what is known of whether the model can be shown pictures.
func sight(c config.Config) llm.Sight {
	switch c.Vision {
	case config.VisionOn:
		return llm.SightYes
	case config.VisionOff:
		return llm.SightNo
	case config.VisionAuto:
	}
	return llm.SightOf(c.LLMModel)
}

// edits is what is done where a question is edited.
func edits(answer config.EditAnswer) bot.Edits {
	switch answer {
	case config.EditAnswerOn:
		return bot.EditsAnswered
	case config.EditAnswerOffer:
		return bot.EditsOffered
	case config.EditAnswerOff:
	}
	return bot.EditsIgnored
}

// settings are what the operator chose, as the bot wants it.
func settings(c config.Config) (bot.Settings, error) {
	expand, err := expansion(c)
	if err != nil {
		return bot.Settings{}, err
	}
	curves, err := readCurves(c.Calibration)
	if err != nil {
		return bot.Settings{}, err
	}
	counter := llm.NewCounter(c.LLMModel)
	return bot.Settings{
		Calibrated: curves.At,
		Expand:     expand,
		System:     c.SystemPrompt,
		Options:    path.Options{Temperature: c.Temperature, MaxTokens: c.MaxTokens},
		Budget:     c.TokenBudget,
		Count:      counter.Turn,
		Estimated:  !counter.Exact(),
		Sight:      sight(c),
		Tools:      tools.Limits{Rounds: c.ToolRounds, Tokens: toolTokens + 8*c.TokenBudget},
		Retention: path.Retention{
			Base: c.RetainBase, Recent: c.RetainRecent, Always: c.RetainAlways, Spaced: c.RetainSpaced,
			Every: path.DefaultRetention().Every, Step: path.DefaultRetention().Step,
		},
		ArtifactWindow: c.ArtifactWindow,
		Summaries:      bool(c.Summaries),
		ReuseFor:       c.ReuseTTL,
		CatchUp:        c.CatchUp,
		Edits:          edits(c.EditAnswer),
		EditWindow:     c.EditWindow,
		Lease:          c.ClaimLease,
		Grace:          c.ShutdownGrace,
		Flush:          c.LastWords,
	}, nil
}
