package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/pflag"

	"heddle/config"
	"heddle/internal/playground"
	"heddle/internal/why"
	"heddle/llm"
	"heddle/store/seal"
)

// try runs the real bot on a Discord server of our own, with a page to chat in.
// Everything that it stores is removed when it ends.
func try(flags *pflag.FlagSet) action {
	address := flags.String("address", "", "loopback address (`HOST:PORT`) to serve the page on, such as 127.0.0.1:8080; empty is "+playground.UsualAddress+", or a free port if that is taken")
	return func(ctx context.Context, args []string, p Process) error {
		c, preview, err := p.loadPreviewed()
		if err != nil {
			return err
		}
		dir, err := os.MkdirTemp("", "heddle-try-")
		if err != nil {
			return fmt.Errorf("make a folder for the store: %w", err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder

		var model playground.Model // none: the playground has a demo
		if c.HasModel() {
			model = playground.Model{URL: string(c.OpenAIBaseURL), Key: c.OpenAIAPIKey.Reveal(), Name: c.LLMModel}
		}
		key := config.Secret(seal.NewKey().Text()) // of every bot that is begun on the store; nobody has to keep it
		return playground.Run(ctx, playground.Options{
			Exports: args,
			Preview: preview,
			Address: *address,
			Model:   model,
			Stdout:  p.Stdout,
			Start: func(ctx context.Context, to playground.Connection) error {
				c := c
				if c.LogLevel == slog.LevelInfo {
					c.LogLevel = slog.LevelWarn // the page shows what happens; debug still logs it
				}
				c.DiscordAPIURL, c.DiscordToken = config.URL(to.DiscordURL), config.Secret(to.Token)
				c.OpenAIBaseURL, c.OpenAIAPIKey, c.LLMModel = config.URL(to.Model.URL), config.Secret(to.Model.Key), to.Model.Name
				c.DataDir, c.RedisURL, c.HealthAddr, c.DashboardAddr = dir, "", "", ""
				c.StoreKey = key
				p.Recent = to.Recent
				return runBot(ctx, c, p.logger(c), p)
			},
		})
	}
}

// loadPreviewed reads the settings, and returns the bot of them as previews show it.
func (p Process) loadPreviewed() (config.Config, why.Bot, error) {
	c, err := p.load()
	if err != nil {
		return c, why.Bot{}, err
	}
	chosen, err := settings(c, p, llm.NewCounter(c.LLMModel).Turn)
	b := why.Bot{Settings: chosen.Conversation}
	for _, tool := range toolset(c, nil, nil) {
		b.Tools = append(b.Tools, tool.Spec())
	}
	return c, b, err
}
