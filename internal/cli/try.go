package cli

import (
	"context"
	"flag"
	"fmt"
	"os"

	"heddle/config"
	"heddle/internal/playground"
	"heddle/store/encrypted"
)

// try runs the real bot on a Discord server of our own, with a page to chat in.
// Everything that it stores is removed when it ends.
func try(ctx context.Context, args []string, p Process) error {
	flags := new(flag.FlagSet)
	address := flags.String("address", "", "loopback address (`HOST:PORT`) to serve the page on, such as 127.0.0.1:8080; empty picks a free port")
	if _, err := parseFlags(flags, "try", args, 0, p); err != nil {
		return err
	}
	c, err := p.load()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "heddle-try-")
	if err != nil {
		return fmt.Errorf("make a folder for the store: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder

	return playground.Run(ctx, playground.Options{
		Address: *address,
		Model:   chosenModel(c),
		Stdout:  p.Stdout,
		Start: func(ctx context.Context, to playground.Connection) error {
			c, p := c, p
			c.DiscordAPIURL, c.DiscordToken = config.URL(to.DiscordURL), config.Secret(to.Token)
			c.OpenAIBaseURL, c.OpenAIAPIKey, c.LLMModel = config.URL(to.Model.URL), config.Secret(to.Model.Key), to.Model.Name
			c.DataDir, c.RedisURL, c.HealthAddr = dir, "", ""
			c.StoreKey = config.Secret(encrypted.NewMaster().Text()) // nobody has to keep it
			p.Observer = to.Observer
			return runBot(ctx, c, newLogger(c, p.Stderr), p)
		},
	})
}

// chosenModel returns the configured model, or none, for which the playground has a
// stand-in.
func chosenModel(c config.Config) playground.Model {
	if !c.HasModel() {
		return playground.Model{}
	}
	return playground.Model{URL: string(c.OpenAIBaseURL), Key: c.OpenAIAPIKey.Reveal(), Name: c.LLMModel}
}
