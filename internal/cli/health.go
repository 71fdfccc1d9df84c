package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"heddle/config"
	"heddle/internal/playground"
	"heddle/internal/telemetry"
	"heddle/internal/terminal"
)

// askHealth asks the heddle that runs on this machine whether it answers. It is the
// health check of the container image, which holds no other program.
func askHealth(ctx context.Context, _ []string, p Process) error {
	c, err := p.load()
	if err != nil {
		return err
	}
	if c.HealthAddr == "" {
		return terminal.Errorf("HEALTH_ADDR is not set, so heddle does not serve its health; set it for this command and for heddle, such as to 127.0.0.1:8086")
	}
	host, port, _ := net.SplitHostPort(string(c.HealthAddr)) // it was checked when it was read
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // a server on every address listens here
	}
	ctx, cancel := context.WithTimeout(ctx, 2*healthPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // through no proxy
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no heddle answers on %s; does it run, with the same HEALTH_ADDR?", c.HealthAddr)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	const most = 4 << 10
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	switch {
	case err != nil:
		return fmt.Errorf("ask for health: %w", err)
	case response.StatusCode == http.StatusOK && string(body) == "ok\n":
		fmt.Fprintln(p.Stdout, "heddle is ready")
		return nil
	case response.StatusCode == http.StatusServiceUnavailable:
		return fmt.Errorf("heddle is not ready: %s", strings.ReplaceAll(strings.TrimSpace(string(body)), "\n", "; "))
	default:
		return fmt.Errorf("the server on %s is not heddle", c.HealthAddr)
	}
}

// healthPatience bounds every question about health with its answer.
const healthPatience = 10 * time.Second

var (
	errAway    = errors.New("heddle is not connected to Discord")
	errNoStore = errors.New("the store does not work, nothing is remembered")
)

// gatewayWorks returns an error unless all shards of this process are connected.
func (w watched) gatewayWorks(context.Context) error {
	switch status := w.gateway.Status(); {
	case status.Apart == 0:
		return nil
	case status.Connected == 0:
		return errAway
	default:
		return fmt.Errorf("%w with %d of %d shards", errAway, status.Apart, status.Apart+status.Connected)
	}
}

func (w watched) storeWorks(ctx context.Context) error {
	if w.stored.Ping(ctx) != nil { // the store logs the error
		return errNoStore
	}
	return nil
}

// ready returns an error unless heddle can answer. It can without the model: it tells
// people that the model is away, and starting it again would not help.
func (w watched) ready(ctx context.Context) error {
	return errors.Join(w.gatewayWorks(ctx), w.storeWorks(ctx))
}

// serveHealth serves liveness, readiness and metrics if HEALTH_ADDR is set, until the
// function that it returns is called. To this machine alone it serves Go's profiles, too.
func serveHealth(ctx context.Context, c config.Config, log *slog.Logger, of watched) (end func() error, err error) {
	if c.HealthAddr == "" {
		return func() error { return nil }, nil
	}
	mux := http.NewServeMux()
	plain := func(check func(context.Context) error) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return "", check(ctx) }
	}
	for path, check := range map[string]func(context.Context) (said string, err error){
		"/livez":          func(context.Context) (string, error) { return "", nil },
		"/readyz":         plain(of.ready),
		"/readyz/gateway": plain(of.gatewayWorks),
		"/readyz/store":   plain(of.storeWorks),
		"/readyz/model":   func(ctx context.Context) (string, error) { return of.probe.check(ctx, of.model) },
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), healthPatience)
			defer cancel()
			said, fault := check(ctx)
			if fault != nil {
				http.Error(w, fault.Error(), http.StatusServiceUnavailable)
				return
			}
			_, _ = io.WriteString(w, strings.TrimSpace("ok "+said)+"\n") // the client may be gone
		})
	}
	of.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux.Handle("GET /metrics", promhttp.HandlerFor(of.registry, promhttp.HandlerOpts{}))
	if host, _, err := net.SplitHostPort(string(c.HealthAddr)); err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback()) {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	s, err := telemetry.Serve(ctx, string(c.HealthAddr), mux)
	if err != nil {
		return nil, terminal.Errorf("HEALTH_ADDR: %w", err)
	}
	log.InfoContext(ctx, "serving health and metrics", "address", s.Address())
	return s.Close, nil
}

// servePages serves what a running heddle shows of itself, health and dashboard, until the
// function that it returns is called.
func servePages(ctx context.Context, c config.Config, log *slog.Logger, shown *playground.Live, of watched) (end func() error, err error) {
	of.registry.MustRegister(metrics{of})
	endHealth, err := serveHealth(ctx, c, log, of)
	if err != nil || shown == nil {
		return endHealth, err
	}
	serving := playground.Serving{
		Address: string(c.DashboardAddr), Token: c.DashboardToken.Reveal(), Counts: promhttp.HandlerFor(of.registry, promhttp.HandlerOpts{}),
	}
	s, err := shown.Start(ctx, serving)
	switch {
	case errors.Is(err, playground.ErrOpen):
		err = fmt.Errorf("DASHBOARD_ADDR %s can be reached from other machines; set DASHBOARD_TOKEN, or an address of this machine like 127.0.0.1:8087", c.DashboardAddr)
	case err != nil:
		err = fmt.Errorf("DASHBOARD_ADDR: %w", err)
	}
	if err != nil {
		return nil, errors.Join(terminal.Errorf("%w", err), endHealth())
	}
	log.InfoContext(ctx, "serving the dashboard", "address", s.Address())
	return func() error { return errors.Join(s.Close(), endHealth()) }, nil
}
