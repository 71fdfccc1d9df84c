package cli

import (
	"github.com/prometheus/client_golang/prometheus"

	"heddle/bot"
	"heddle/bot/shards"
	"heddle/config"
	"heddle/internal/telemetry"
	"heddle/store"
)

// watched is what the metrics and the health of a running heddle are read from.
type watched struct {
	heddle  *bot.Bot
	stored  *store.Store
	gateway *shards.Shards
	meter   *telemetry.Meter
	model   *modelWatch
	prices  config.Prices
	build   Build
	// lostRecords returns how many records of the log were lost.
	lostRecords func() int64
}

// metrics collects the metrics of a running heddle.
type metrics struct{ watched }

// Describe implements prometheus.Collector.
func (m metrics) Describe(all chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, all) }

// Collect implements prometheus.Collector.
func (m metrics) Collect(all chan<- prometheus.Metric) {
	to := sink{all}
	to.gauge("build_info", "Always 1; the labels are what heddle was built from.", 1, "version", m.build.Version, "commit", m.build.Commit)
	m.connection(to)
	m.answers(to)
	m.storage(to)
	m.asked(to)
	m.figures(to)
	to.count("log_lost_total", "Records of the log that were lost because nobody read it.", float64(m.lostRecords()))
}

// sink receives metrics. Labels are names and values in turn.
type sink struct{ all chan<- prometheus.Metric }

func (s sink) send(name, help string, kind prometheus.ValueType, value float64, labels []string) {
	var names, values []string
	for i := 0; i+1 < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	s.all <- prometheus.MustNewConstMetric(prometheus.NewDesc("heddle_"+name, help, names, nil), kind, value, values...)
}

func (s sink) count(name, help string, value float64, labels ...string) {
	s.send(name, help, prometheus.CounterValue, value, labels)
}

func (s sink) gauge(name, help string, value float64, labels ...string) {
	s.send(name, help, prometheus.GaugeValue, value, labels)
}

func (s sink) histogram(name, help, label string, h telemetry.Histogram) {
	desc := prometheus.NewDesc("heddle_"+name, help, []string{label}, nil)
	s.all <- prometheus.MustNewConstHistogram(desc, h.Count, h.Seconds, h.Within, h.Label)
}

// connection collects how heddle is connected to Discord.
func (m metrics) connection(to sink) {
	connected, status := 0.0, m.gateway.Status()
	if status.Apart == 0 {
		connected = 1
	}
	to.gauge("connected", "1 while every shard that falls to this process is connected to Discord, else 0.", connected)
	const help = "Shards of this process by whether their events flow."
	to.gauge("gateway_shards", help, float64(status.Connected), "state", "connected")
	to.gauge("gateway_shards", help, float64(status.Apart), "state", "apart")
	to.gauge("gateway_backoff_seconds", "The longest wait of a shard before it connects again; 0 while none waits.", status.Backoff.Seconds())
	to.count("gateway_dropped_total", "Gateway payloads that could not be read.", float64(m.gateway.Dropped()))
}

// answers collects where answers came from.
func (m metrics) answers(to sink) {
	a := m.heddle.Stats()
	to.count("requests_total", "Mentions whose conversation was read.", float64(a.Requests))
	for way, value := range map[string]int64{
		"hit": a.Hits, "miss": a.Misses, "coalesced": a.Coalesced, "bypassed": a.Bypassed, "rejected": a.Rejected,
	} {
		to.count("answers_total", "Requests by where their answers came from.", float64(value), "way", way)
	}
	to.count("follow_ups_total", "Paths that continue an earlier one.", float64(a.Continued))
	to.count("follow_ups_extending_total", "Follow-ups whose path begins with the whole earlier path.", float64(a.Extended))
	to.count("prompt_tokens_total", "Tokens sent to the model for answers.", float64(a.PromptTokens))
	to.count("prompt_tokens_cached_total", "Tokens sent to the model for answers that its provider had cached.", float64(a.CachedTokens))
}

// storage collects what the store did.
func (m metrics) storage(to sink) {
	kept := m.stored.Stats()
	to.count("store_responses_total", "Responses stored.", float64(kept.Saved))
	to.count("store_erased_total", "Stored responses erased because of a deletion.", float64(kept.Erased))
	to.count("store_damaged_total", "Damaged entries of the store that were skipped.", float64(kept.Damaged))
	to.count("store_quarantined_total", "Damaged files of the store that were quarantined and replaced.", float64(kept.Quarantined))
	to.count("store_failures_total", "Failed calls of the store.", float64(kept.Failed))
}

// asked collects how the model does.
func (m metrics) asked(to sink) {
	up := 1.0
	if m.model.check() != nil {
		up = 0
	}
	to.gauge("model_up", "0 if the newest request to the model failed, else 1.", up)
	for kind, n := range m.model.failed() {
		to.count("model_failures_total", "Failed requests to the model.", float64(n), "kind", kind)
	}
}

// figures collects what the packages noted in the meter.
func (m metrics) figures(to sink) {
	f := m.meter.Figures()
	for _, e := range f.Events {
		to.count("mentions_total", "What became of mentions and their answers apart from the usual.", e.Value, "event", e.Labels[0])
	}
	for _, r := range f.Ratings {
		to.count("ratings_total", "Ratings of answers that people gave, including those that they took back later.", r.Value, "rating", r.Labels[0])
	}
	for _, q := range f.Queued {
		to.gauge("waiting", "Work that waits now, by what for.", q.Value, "cause", q.Labels[0])
	}
	for _, w := range f.Waits {
		to.histogram("wait_seconds", "How long work waited, by what for.", "cause", w)
	}
	for _, s := range f.Stages {
		to.histogram("stage_seconds", "How long each stage of a mention took.", "stage", s)
	}
	limited := map[string]float64{"user": 0, "global": 0, "shared": 0}
	for _, r := range f.REST {
		method, route, status, scope := r.Labels[0], r.Labels[1], r.Labels[2], r.Labels[3]
		to.count("rest_requests_total", "Requests to Discord, by the class of the response's status.", r.Value, "method", method, "route", route, "status", status, "scope", scope)
		if scope != "" {
			limited[scope] += r.Value
		}
	}
	for scope, n := range limited {
		to.count("rest_limited_total", "Requests that Discord refused as too many.", n, "scope", scope)
	}
	m.spending(to, f.Tokens)
}

// spending collects what models took and what that cost.
func (m metrics) spending(to sink, tokens []telemetry.Sum) {
	cost := map[string]float64{m.model.first: 0}
	for _, t := range tokens {
		model, kind := t.Labels[0], t.Labels[1]
		to.count("model_tokens_total", "Tokens that the provider charged for all requests.", t.Value, "model", model, "kind", kind)
		of := map[string]float64{kind: t.Value}
		cost[model] += m.prices.Of(model, of["prompt"], of["cached"], of["completion"])
	}
	for model, sum := range cost {
		to.count("model_cost_total", "What the tokens cost at LLM_PRICES, in the currency of these.", sum, "model", model)
	}
}
