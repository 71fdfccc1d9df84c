package cli

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"heddle/bot"
	"heddle/bot/gateway"
	"heddle/bot/limits"
	"heddle/llm"
	"heddle/store"
)

// watched is what the metrics and the health of a running heddle are read from.
type watched struct {
	heddle   *bot.Bot
	stored   *store.Store
	gateway  *gateway.Shards
	model    *llm.Client
	probe    *probe
	build    Build
	registry *prometheus.Registry
}

// metrics collects what heddle counts anyway when it is asked for. What happens between is
// counted by internal/telemetry.
type metrics struct{ watched }

// Describe implements prometheus.Collector.
func (m metrics) Describe(all chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, all) }

// Collect implements prometheus.Collector.
func (m metrics) Collect(all chan<- prometheus.Metric) {
	to := sink{all}
	to.send("build_info", "Always 1; the labels are what heddle was built from.", prometheus.GaugeValue, 1, labels{"version": m.build.Version, "commit": m.build.Commit})
	m.connection(to)
	m.answers(to)
	m.storage(to)
	for model, features := range m.model.Refusals() {
		for _, feature := range features {
			to.send("model_refuses", "1 for what a provider refuses, so that requests are sent without it for an hour.", prometheus.GaugeValue, 1, labels{"model": model, "feature": feature})
		}
	}
}

// labels tell apart the values of one metric.
type labels = prometheus.Labels

// sink receives metrics.
type sink struct{ all chan<- prometheus.Metric }

func (s sink) send(name, help string, kind prometheus.ValueType, value float64, by labels) {
	s.all <- prometheus.MustNewConstMetric(prometheus.NewDesc("heddle_"+name, help, nil, by), kind, value)
}

func (s sink) count(name, help string, value int64) {
	s.send(name, help, prometheus.CounterValue, float64(value), nil)
}

func (s sink) gauge(name, help string, value float64) {
	s.send(name, help, prometheus.GaugeValue, value, nil)
}

// connection collects how heddle is connected to Discord.
func (m metrics) connection(to sink) {
	connected, status := 0.0, m.gateway.Status()
	if status.Apart == 0 {
		connected = 1
	}
	to.gauge("connected", "1 while every shard that falls to this process is connected to Discord, else 0.", connected)
	const help = "Shards of this process by whether their events flow."
	to.send("gateway_shards", help, prometheus.GaugeValue, float64(status.Connected), labels{"state": "connected"})
	to.send("gateway_shards", help, prometheus.GaugeValue, float64(status.Apart), labels{"state": "apart"})
	to.gauge("gateway_backoff_seconds", "The longest wait of a shard before it connects again; 0 while none waits.", status.Backoff.Seconds())
	to.count("gateway_dropped_total", "Gateway payloads that could not be read.", int64(m.gateway.Dropped())) //nolint:gosec // nobody counts that far
}

// answers collects where answers came from.
func (m metrics) answers(to sink) {
	a := m.heddle.Stats()
	to.count("requests_total", "Mentions whose conversation was read.", a.Requests)
	for way, value := range map[string]int64{
		"hit": a.Hits, "miss": a.Misses, "coalesced": a.Coalesced, "bypassed": a.Bypassed,
	} {
		to.send("answers_total", "Requests by where their answers came from.", prometheus.CounterValue, float64(value), labels{"way": way})
	}
	to.count("follow_ups_total", "Paths that continue an earlier one.", a.Continued)
	to.count("follow_ups_extending_total", "Follow-ups whose path begins with the whole earlier path.", a.Extended)
	to.count("prompt_tokens_total", "Tokens sent to the model for answers.", a.PromptTokens)
	to.count("prompt_tokens_cached_total", "Tokens sent to the model for answers that its provider had cached.", a.CachedTokens)
}

// storage collects what the store did.
func (m metrics) storage(to sink) {
	kept := m.stored.Stats()
	to.count("store_responses_total", "Responses stored.", kept.Saved)
	to.count("store_erased_total", "Stored responses erased because of a deletion.", kept.Erased)
	to.count("store_damaged_total", "Damaged entries of the store that were skipped.", kept.Damaged)
	to.count("store_quarantined_total", "Damaged files of the store that were quarantined and replaced.", kept.Quarantined)
	to.count("store_failures_total", "Failed calls of the store.", kept.Failed)
}

// modelWatch notes how the exchanges with models end, and publishes it.
type modelWatch struct {
	price                  limits.Price
	tokens, cost, failures *prometheus.CounterVec

	mu       sync.Mutex
	failed   int       // requests in a row that failed in a way that the next one may, too
	answerAt time.Time // when the newest request was answered; zero: none was
}

// newModelWatch returns a modelWatch whose figures are registered. first is the model that
// is asked first, currency that of price, or empty if none is named.
func newModelWatch(registry prometheus.Registerer, price limits.Price, currency, first string) *modelWatch {
	to := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return to.NewCounterVec(prometheus.CounterOpts{Namespace: "heddle", Name: name, Help: help}, labels)
	}
	w := &modelWatch{
		price:    price,
		tokens:   counter("model_tokens_total", "Tokens that the provider charged for all requests.", "model", "kind"),
		cost:     counter("model_cost_total", "What the tokens cost at LLM_PRICES.", "model", "currency").MustCurryWith(prometheus.Labels{"currency": currency}),
		failures: counter("model_failures_total", "Failed requests to the model.", "kind"),
	}
	w.cost.WithLabelValues(first)
	to.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "heddle", Name: "model_up", Help: "0 if the newest three requests to models failed, else 1."}, func() float64 {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.failed >= downAfter {
			return 0
		}
		return 1
	})
	return w
}

// ended takes the end of a request. One that people or heddle gave up, or that the
// provider refused for its content, tells nothing about the model.
func (w *modelWatch) ended(model string, usage llm.Usage, kind llm.Kind) {
	if usage != (llm.Usage{}) {
		for of, n := range map[string]int{"prompt": usage.Prompt - usage.Cached, "cached": usage.Cached, "completion": usage.Completion} {
			w.tokens.WithLabelValues(model, of).Add(float64(max(n, 0)))
		}
		cost, _ := w.price(model, usage)
		w.cost.WithLabelValues(model).Add(max(cost, 0))
	}
	if kind == llm.Cancelled {
		return
	}
	if kind != 0 {
		w.failures.WithLabelValues(kind.String()).Inc()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case kind == 0:
		w.failed, w.answerAt = 0, time.Now()
	case kind.IsOfProvider():
		w.failed++
	}
}

// downAfter is the number of failed requests in a row after which the model counts as down.
const downAfter = 3

// answered reports whether a request was answered since a time, and none failed after it.
func (w *modelWatch) answered(since time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed == 0 && w.answerAt.After(since)
}
