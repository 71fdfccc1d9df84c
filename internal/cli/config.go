package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"heddle/bot/conversation"
	"heddle/config"
	"heddle/internal/telemetry"
	"heddle/store"
	"heddle/store/bolt"
)

// load reads the settings, and warns on p.Stderr of those that should be put right.
func (p Process) load() (config.Config, error) {
	c, warnings, err := config.Load(p.Environ, p.Read)
	for _, w := range warnings {
		fmt.Fprintf(p.Stderr, "heddle: warning: %s\n", w)
	}
	return c, err
}

// logger returns the logger that everything uses, with the configured level and format.
func (p Process) logger(c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(telemetry.Handler{Handler: slog.NewJSONHandler(p.Stderr, options)})
	}
	return slog.New(telemetry.Handler{Handler: slog.NewTextHandler(p.Stderr, options)})
}

// showConfig prints the table of all variables, and then what is wrong with them.
func showConfig(ctx context.Context, _ []string, p Process) error {
	c, err := p.load()
	fmt.Fprint(p.Stdout, c.Table())
	if err != nil {
		return err
	}
	showOverrides(ctx, c, p)
	return nil
}

// mostByAdmins bounds what admins may set MAX_TOTAL to, as the operator pays for it: twice
// the default.
const mostByAdmins = 60

// overriding returns what admins may choose in place of c, and what holds otherwise.
func overriding(c config.Config) conversation.OverrideSettings {
	s := conversation.OverrideSettings{
		MinLinear: c.MinLinear, MaxTotal: c.MaxTotal, TimeThreshold: c.Text("TIME_THRESHOLD"), Model: c.LLMModel,
		Context: slices.Contains(c.Overrides, "context"), Persona: slices.Contains(c.Overrides, "persona"),
		MostTotal: max(mostByAdmins, c.MaxTotal), Price: priced(c), Currency: c.LLMPrices.Currency,
	}
	if slices.Contains(c.Overrides, "model") {
		s.Models = c.Models
	}
	return s
}

// showOverrides prints what admins chose on Discord, as lines for .env, as far as the store
// can be read.
func showOverrides(ctx context.Context, c config.Config, p Process) {
	if p.held == nil && lacks(c, bolt.FileName) {
		return // nothing was ever stored
	}
	all, err := p.readOverrides(ctx, c)
	if err != nil {
		fmt.Fprintf(p.Stderr, "heddle: what admins chose on Discord could not be read from the store: %v\n", err)
		return
	}
	if len(all) == 0 {
		return
	}
	fmt.Fprint(p.Stdout, "\nWhat admins chose on Discord. In .env, the lines would hold everywhere.\n")
	for i := range all {
		o := &all[i]
		where := "server " + o.Guild.String()
		switch {
		case o.Guild == 0:
			where = "direct messages in channel " + o.Channel.String()
		case o.Channel != 0:
			where += ", channel " + o.Channel.String()
		}
		fmt.Fprintf(p.Stdout, "\n# %s\n%s", where, asEnv(&c, &o.Override))
	}
}

func (p Process) readOverrides(ctx context.Context, c config.Config) (all []store.Overridden, err error) {
	stored, err := p.openStore(ctx, c, toLook, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	return stored.store.Overrides.All(ctx)
}

// asEnv returns an override as lines for .env.
func asEnv(c *config.Config, o *store.Override) string {
	var b strings.Builder
	line := func(name, value string) {
		if strings.ContainsAny(value, " #'\"\n$\\") {
			value = strconv.Quote(value)
		}
		fmt.Fprintf(&b, "%s=%s\n", name, value)
	}
	if o.MinLinear != nil {
		line("MIN_LINEAR", strconv.Itoa(*o.MinLinear))
	}
	if o.MaxTotal != nil {
		line("MAX_TOTAL", strconv.Itoa(*o.MaxTotal))
	}
	if o.TimeThreshold != "" {
		line("TIME_THRESHOLD", o.TimeThreshold)
	}
	if o.Model != "" {
		line("LLM_MODEL", o.Model)
	}
	if o.Persona != "" {
		line("SYSTEM_PROMPT", c.SystemPrompt+"\n\n"+o.Persona)
	}
	return b.String()
}
