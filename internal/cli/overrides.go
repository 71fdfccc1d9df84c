package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"heddle/bot/overrides"
	"heddle/config"
	"heddle/graph"
	"heddle/store"
)

// overriding returns what admins may choose in place of c, and what holds otherwise.
func overriding(c config.Config) overrides.Settings {
	s := overrides.Settings{
		MinLinear: c.MinLinear, MaxTotal: c.MaxTotal, TimeThreshold: c.TimeThreshold.String(), Model: c.LLMModel,
		Context: c.Overrides.Has(config.ChoiceContext), Persona: c.Overrides.Has(config.ChoicePersona),
		MostTotal: max(c.OverrideMaxTotal, c.MaxTotal),
	}
	if c.Overrides.Has(config.ChoiceModel) {
		s.Models = c.Models.All()
	}
	return s
}

// operators returns the people who run heddle.
func operators(ids config.IDs) []graph.UserID {
	var people []graph.UserID
	for _, id := range ids.All() {
		people = append(people, graph.UserID(id))
	}
	return people
}

// showOverrides prints what admins chose on Discord, as lines for .env, as far as the store
// can be read.
func showOverrides(ctx context.Context, c config.Config, p Process) {
	if needStore(c) != nil {
		return // nothing was ever stored
	}
	all, err := readOverrides(ctx, c)
	if err != nil {
		tell(p.Stderr, "heddle: what admins chose on Discord could not be read from the store: %v", err)
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

func readOverrides(ctx context.Context, c config.Config) (all []store.Overridden, err error) {
	stored, err := lookIntoStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	return stored.Overrides().All(ctx)
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
