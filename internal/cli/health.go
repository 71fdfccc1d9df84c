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

// checks returns what heddle works with. It is ready without the model: it can tell
// people that the model is away, and starting it again would not help.
func (w watched) checks() []health.Check {
	return []health.Check{
		{Name: "gateway", Required: true, Ask: func(context.Context) error {
			switch status := w.gateway.Status(); {
			case status.Apart == 0:
				return nil
			case status.Connected == 0:
				return errAway
			default:
				return fmt.Errorf("%w with %d of %d shards", errAway, status.Apart, status.Apart+status.Connected)
			}
		}},
		{Name: "store", Required: true, Ask: func(ctx context.Context) error {
			if w.stored.Ping(ctx) != nil { // the store logs the error
				return errNoStore
			}
			return nil
		}},
		{Name: "model", Ask: func(context.Context) error { return w.model.check() }},
	}
}

// serveHealth serves the health of a bot and Go's profiles, as far as HEALTH_ADDR and
// PPROF_ADDR are set, until the function that it returns is called.
func serveHealth(ctx context.Context, c config.Config, log *slog.Logger, of watched) (end func() error, err error) {
	var served []*health.Server
	end = func() error {
		var faults []error
		for _, s := range served {
			faults = append(faults, s.Close())
		}
		return errors.Join(faults...)
	}
	if c.HealthAddr != "" {
		registry := prometheus.NewRegistry()
		registry.MustRegister(
			metrics{of}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		)
		s, err := health.Start(ctx, string(c.HealthAddr), of.checks(), registry)
		if err != nil {
			return nil, misuseError{fmt.Errorf("HEALTH_ADDR: %w", err)}
		}
		served = append(served, s)
		log.InfoContext(ctx, "serving health and metrics", "address", s.Address())
	}
	if c.PprofAddr != "" {
		s, err := health.StartProfiles(ctx, string(c.PprofAddr))
		if err != nil {
			return nil, errors.Join(misuseError{fmt.Errorf("PPROF_ADDR: %w", err)}, end())
		}
		served = append(served, s)
		log.InfoContext(ctx, "serving profiles", "address", s.Address())
	}
	return end, nil
}
