package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"heddle/config"
	"heddle/internal/health"
)

// askHealth asks the heddle that runs on this machine whether it answers. It is the
// health check of the container image, which holds no other program.
func askHealth(ctx context.Context, args []string, p Process) error {
	if _, err := parseFlags(new(flag.FlagSet), "health", args, 0, p); err != nil {
		return err
	}
	c, err := p.load()
	if err != nil {
		return err
	}
	if c.HealthAddr == "" {
		return misuseError{errors.New("HEALTH_ADDR is not set, so heddle does not serve its health; set it for this command and for heddle, such as to 127.0.0.1:8086")}
	}
	if err := health.Ask(ctx, string(c.HealthAddr)); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, "heddle is ready")
	return nil
}

var (
	errAway    = errors.New("heddle is not connected to Discord")
	errNoStore = errors.New("the store does not work, nothing is remembered")
)

// serveHealth serves the health of a bot, if HEALTH_ADDR is set, until the function
// that it returns is called.
func serveHealth(ctx context.Context, c config.Config, log *slog.Logger, of metrics) (end func() error, err error) {
	if c.HealthAddr == "" {
		return func() error { return nil }, nil
	}
	checks := []health.Check{
		func(context.Context) error {
			if !of.heddle.Connected() {
				return errAway
			}
			return nil
		},
		func(ctx context.Context) error {
			if of.stored.Ping(ctx) != nil { // the store logs the error
				return errNoStore
			}
			return nil
		},
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		of, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	served, err := health.Start(ctx, string(c.HealthAddr), checks, registry)
	if err != nil {
		return nil, misuseError{fmt.Errorf("HEALTH_ADDR: %w", err)}
	}
	log.InfoContext(ctx, "serving health and metrics", "address", served.Address())
	return served.Close, nil
}
