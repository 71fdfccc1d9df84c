package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"heddle/bot/gateway"
	"heddle/config"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/doctor"
	"heddle/internal/health"
	"heddle/llm"
	"heddle/store"
)

// The statuses of heddle doctor, by the worst that it found.
const (
	StatusWarned  = 1 // heddle answers, but not everywhere or not as well as it could
	StatusFaulted = 2 // heddle cannot answer
)

// examine checks everything that heddle needs and prints what is to be mended.
func examine(ctx context.Context, args []string, p Process) error {
	var flags flag.FlagSet
	guild := flags.String("guild", "", "`ID` of the one server whose channels are looked at; empty for the first twenty")
	if _, err := parseFlags(&flags, "doctor", args, 0, p); err != nil {
		return err
	}
	var only uint64
	if *guild != "" {
		var err error
		if only, err = strconv.ParseUint(*guild, 10, 64); err != nil || only == 0 {
			return misuseError{fmt.Errorf("--guild %q is not the id of a server on Discord: a number, which Discord shows with Developer Mode on", *guild)}
		}
	}
	c, warnings, err := config.LoadBot(p.Environ, p.Read)
	var report doctor.Report
	if err := reportSettings(&report, warnings, p.withReferences(c, err)); err != nil {
		return err
	}
	examineDiscord(ctx, c, graph.GuildID(only), &report)
	examineModel(ctx, c, &report)
	examineStore(ctx, c, &report)
	examineHealth(ctx, c, &report)
	report.Print(p.Stdout)
	return statusOf(report.Worst())
}

// statusOf returns the error that makes heddle exit with the status of a level.
func statusOf(worst doctor.Level) error {
	switch worst {
	case doctor.Warning:
		return statusError(StatusWarned)
	case doctor.Fault:
		return statusError(StatusFaulted)
	case doctor.Fine:
	}
	return nil
}

// reportSettings adds what is wrong with the settings. It returns any error that is
// not about them.
func reportSettings(to *doctor.Report, warnings []config.Fault, err error) error {
	var invalid config.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	for _, f := range invalid.Faults {
		to.Add(doctor.Finding{Level: doctor.Fault, About: "settings", Found: f.Variable + " " + f.Problem, Remedy: f.Remedy})
	}
	for _, w := range warnings {
		to.Add(doctor.Finding{Level: doctor.Warning, About: "settings", Found: w.Variable + " " + w.Problem, Remedy: w.Remedy})
	}
	if len(invalid.Faults) == 0 && len(warnings) == 0 {
		to.Fine("settings", "can all be used")
	}
	return nil
}

// examineDiscord adds what is wrong with Discord. It adds nothing if the settings to
// reach Discord are missing.
func examineDiscord(ctx context.Context, c config.Config, only graph.GuildID, to *doctor.Report) {
	if c.DiscordToken == "" || c.DiscordAPIURL == "" {
		return // the settings' faults say so
	}
	const patience = 15 * time.Second
	rest, err := discord.NewREST(discord.RESTConfig{
		BaseURL: string(c.DiscordAPIURL), Token: c.DiscordToken.Reveal(), HTTP: &http.Client{Timeout: patience},
	})
	if err != nil {
		to.Add(doctor.Finding{Level: doctor.Fault, About: "address", Found: err.Error(), Remedy: "set DISCORD_API_URL right"})
		return
	}
	connection, err := gateway.New(gateway.Config{Token: c.DiscordToken.Reveal(), REST: rest})
	if err != nil {
		to.Add(doctor.Finding{Level: doctor.Fault, About: "gateway", Found: err.Error(), Remedy: "set DISCORD_TOKEN right"})
		return
	}
	doctor.Discord{REST: rest, Gateway: connection, Clock: rest.Clock(), Guild: only}.Examine(ctx, to)
}

func examineModel(ctx context.Context, c config.Config, to *doctor.Report) {
	if !c.HasModel() {
		return // the settings' faults say so
	}
	main := config.Provider{Model: c.LLMModel, BaseURL: c.OpenAIBaseURL, Key: c.OpenAIAPIKey}
	examineProvider(ctx, &c, main, "OPENAI_BASE_URL, OPENAI_API_KEY and LLM_MODEL", to)
	for _, p := range c.Fallbacks() {
		examineProvider(ctx, &c, p, "LLM_FALLBACK_1 to _3", to)
	}
	for _, name := range c.Models.All() {
		main.Model = name
		examineProvider(ctx, &c, main, "MODELS", to)
	}
}

// examineProvider asks a model what it can do. It is set by settings.
func examineProvider(ctx context.Context, c *config.Config, p config.Provider, settings string, to *doctor.Report) {
	const once = -1
	client, err := llm.New(llm.Config{
		BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model, FirstByte: c.LLMTimeout, Idle: c.LLMTimeout, Retries: once,
	})
	if err != nil {
		to.Add(doctor.Finding{Level: doctor.Fault, About: "model", Found: err.Error(), Remedy: "set " + settings + " right"})
		return
	}
	defer client.Close()
	doctor.Model{
		Client: client, Name: p.Model, Address: string(p.BaseURL), Tools: len(c.Tools.Names()) > 0, Vision: c.Vision == config.VisionOn,
	}.Examine(ctx, to)
}

// examineStore opens the store and reads its schema. It begins no embedded store: one
// begun by another user than heddle's would be closed to heddle.
func examineStore(ctx context.Context, c config.Config, to *doctor.Report) {
	err := pingStore(ctx, c)
	missing, none := errors.AsType[*noStoreError](err)
	if none && missing.file == "" {
		to.Fine("store", "the folder %q does not exist yet; heddle makes it", c.DataDir)
		return
	}
	if none {
		err = tryFolder(c)
	}
	switch {
	case err == nil && none:
		to.Fine("store", "the folder %q can be used; heddle makes its store there", c.DataDir)
	case err == nil && c.RedisURL != "" && c.StoreKey == "":
		to.Add(doctor.Finding{Level: doctor.Warning, About: "store", Found: "Redis answers, and what heddle stores there can be read by whoever reads Redis", Remedy: "set STORE_KEY to have it encrypted"})
	case err == nil && c.RedisURL != "":
		to.Fine("store", "Redis answers, and what it holds fits this version or is new")
	case err == nil:
		to.Fine("store", "the folder %q can be used, and what it holds fits this version or is new", c.DataDir)
	case errors.Is(err, store.ErrLocked):
		to.Fine("store", "in use by a heddle that runs, and not looked into")
	case errors.Is(err, store.ErrCorrupt): // heddle would quarantine it; the error says what to do
		to.Add(doctor.Finding{Level: doctor.Warning, About: "store", Found: err.Error()})
	case errors.Is(err, store.ErrKey):
		to.Add(doctor.Finding{Level: doctor.Fault, About: "store", Found: err.Error(), Remedy: "set STORE_KEY to the key that the store was encrypted with"})
	case errors.Is(err, store.ErrUnavailable):
		to.Add(doctor.Finding{Level: doctor.Warning, About: "store", Found: err.Error(), Remedy: "check " + storeSetting(c) + " and that the server runs; until then heddle remembers nothing"})
	default:
		to.Add(doctor.Finding{Level: doctor.Fault, About: "store", Found: err.Error(), Remedy: "mend " + storeSetting(c) + ", or name another store"})
	}
}

// tryFolder returns an error if no store can be made in its folder. It leaves nothing
// there.
func tryFolder(c config.Config) error {
	probe, err := os.CreateTemp(c.DataDir, "heddle-doctor-")
	if err != nil {
		return storeFailure(storeSetting(c), fmt.Errorf("%w: nothing can be written there: %w", store.ErrUnavailable, err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// pingStore opens the store, reads its schema and closes it.
func pingStore(ctx context.Context, c config.Config) (err error) {
	stored, err := lookIntoStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	return stored.Ping(ctx)
}

// examineHealth checks that health can be served, or is.
func examineHealth(ctx context.Context, c config.Config, to *doctor.Report) {
	if c.HealthAddr == "" {
		to.Fine("health", "HEALTH_ADDR is not set, so that neither health nor metrics are served")
		return
	}
	address := string(c.HealthAddr)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		_ = listener.Close()
		to.Fine("health", "%s is free for it", address)
		return
	}
	switch asked := health.Ask(ctx, address); {
	case asked == nil:
		to.Fine("health", "a heddle serves it at %s and is ready", address)
	case errors.Is(asked, health.ErrNotReady):
		to.Add(doctor.Finding{Level: doctor.Warning, About: "health", Found: "the heddle at " + address + " is not ready: " + asked.Error(), Remedy: "mend what the other findings name, and read its log"})
	default:
		to.Add(doctor.Finding{Level: doctor.Fault, About: "health", Found: err.Error(), Remedy: "name another address in HEALTH_ADDR, or end what listens there"})
	}
}
