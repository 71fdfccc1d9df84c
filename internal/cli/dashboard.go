package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"heddle/bot"
	"heddle/bot/answer"
	"heddle/config"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/dashboard"
	"heddle/internal/drawing"
	"heddle/internal/playground"
	"heddle/llm"
	"heddle/store"
)

// newDashboard returns the dashboard that DASHBOARD_ADDR asks for, nil for none.
func newDashboard(ctx context.Context, c config.Config, chosen bot.Settings, count llm.CountFunc) *dashboard.Dashboard {
	if c.DashboardAddr == "" {
		return nil
	}
	return dashboard.New(drawing.Settings{
		Expand: chosen.Conversation.Expand, Budget: c.TokenBudget,
		Count: func(turn path.Turn) int { return count(ctx, turn) },
	})
}

// servePages serves what a running heddle shows of itself, health and dashboard, until the
// function that it returns is called.
func servePages(ctx context.Context, c config.Config, log *slog.Logger, shown *dashboard.Dashboard, history *fetch.History, of watched) (end func() error, err error) {
	endHealth, err := serveHealth(ctx, c, log, of)
	if err != nil {
		return nil, err
	}
	endDashboard, err := serveDashboard(ctx, c, log, shown, history, of)
	if err != nil {
		return nil, errors.Join(err, endHealth())
	}
	return func() error { return errors.Join(endDashboard(), endHealth()) }, nil
}

// serveDashboard serves a dashboard, if there is one, until the function that it returns is
// called.
func serveDashboard(ctx context.Context, c config.Config, log *slog.Logger, shown *dashboard.Dashboard, history *fetch.History, of watched) (end func() error, err error) {
	if shown == nil {
		return func() error { return nil }, nil
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics{of})
	serving := dashboard.Serving{
		Address: string(c.DashboardAddr), Token: c.DashboardToken.Reveal(), Pulse: func() []dashboard.Reading { return pulse(registry) }, Modules: playground.Web(),
	}
	if c.DashboardTexts {
		serving.Text = func(channel graph.ChannelID, id graph.MessageID) (text, name string, held bool) {
			m, held := history.Message(channel, id)
			return m.Text, m.Name, held
		}
	}
	s, err := shown.Start(ctx, serving)
	switch {
	case errors.Is(err, dashboard.ErrOpen):
		return nil, misuseError{fmt.Errorf("DASHBOARD_ADDR %s can be reached from other machines; set DASHBOARD_TOKEN, or an address of this machine like 127.0.0.1:8087", c.DashboardAddr)}
	case err != nil:
		return nil, misuseError{fmt.Errorf("DASHBOARD_ADDR: %w", err)}
	}
	log.InfoContext(ctx, "serving the dashboard", "address", s.Address())
	return s.Close, nil
}

// pulse returns heddle's counts and gauges. What cannot be gathered is left out.
func pulse(metrics prometheus.Gatherer) []dashboard.Reading {
	all := []dashboard.Reading{}
	families, _ := metrics.Gather() // what could be gathered is there beside the error
	for _, family := range families {
		name, own := strings.CutPrefix(family.GetName(), "heddle_")
		if !own || family.GetType() != dto.MetricType_COUNTER && family.GetType() != dto.MetricType_GAUGE {
			continue
		}
		for _, m := range family.GetMetric() {
			r := dashboard.Reading{Name: name, Value: m.GetCounter().GetValue() + m.GetGauge().GetValue()}
			for _, label := range m.GetLabel() {
				if r.Labels == nil {
					r.Labels = map[string]string{}
				}
				r.Labels[label.GetName()] = label.GetValue()
			}
			all = append(all, r)
		}
	}
	return all
}

// observersOf returns those of two observers that there are. Either may be nil.
func observersOf(first answer.Observer, shown *dashboard.Dashboard) observers {
	var all observers
	if first != nil {
		all = append(all, first)
	}
	if shown != nil {
		all = append(all, shown)
	}
	return all
}

// observers pass on what they learn to each of them in turn.
type observers []answer.Observer

// Begins tells all of them.
func (all observers) Begins(to graph.MessageID, g *graph.Graph, built path.Built) {
	for _, o := range all {
		o.Begins(to, g, built)
	}
}

// Made tells all of them.
func (all observers) Made(response *store.Response, g *graph.Graph, built path.Built) {
	for _, o := range all {
		o.Made(response, g, built)
	}
}

// Shows tells all of them.
func (all observers) Shows(messages []graph.MessageID, response store.ResponseID) {
	for _, o := range all {
		o.Shows(messages, response)
	}
}

// Recorded tells all of them.
func (all observers) Recorded(response store.ResponseID) {
	for _, o := range all {
		o.Recorded(response)
	}
}
