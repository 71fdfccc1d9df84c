package cli

import (
	"github.com/prometheus/client_golang/prometheus"

	"heddle/bot"
	"heddle/bot/gateway"
	"heddle/store"
)

// metrics collects the metrics of a running heddle.
type metrics struct {
	heddle  *bot.Bot
	stored  *store.Store
	gateway *gateway.Gateway
}

// Describe implements prometheus.Collector.
func (m metrics) Describe(all chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, all) }

// Collect implements prometheus.Collector.
func (m metrics) Collect(all chan<- prometheus.Metric) {
	count := func(name, help string, value int64) {
		all <- prometheus.MustNewConstMetric(prometheus.NewDesc("heddle_"+name, help, nil, nil), prometheus.CounterValue, float64(value))
	}
	connected := 0.0
	if m.heddle.Connected() {
		connected = 1
	}
	all <- prometheus.MustNewConstMetric(prometheus.NewDesc("heddle_connected", "1 while connected to Discord, else 0.", nil, nil), prometheus.GaugeValue, connected)
	count("gateway_dropped_total", "Gateway payloads that could not be read.", int64(m.gateway.Dropped())) //nolint:gosec // it fits
	answered := m.heddle.Stats()
	count("requests_total", "Mentions whose conversation was read.", answered.Requests)
	ways := prometheus.NewDesc("heddle_answers_total", "Requests by where their answers came from.", []string{"way"}, nil)
	for way, value := range map[string]int64{
		"hit": answered.Hits, "miss": answered.Misses, "coalesced": answered.Coalesced, "bypassed": answered.Bypassed, "rejected": answered.Rejected,
	} {
		all <- prometheus.MustNewConstMetric(ways, prometheus.CounterValue, float64(value), way)
	}
	count("follow_ups_total", "Paths that continue an earlier one.", answered.Continued)
	count("follow_ups_extending_total", "Follow-ups whose path begins with the whole earlier path.", answered.Extended)
	count("prompt_tokens_total", "Tokens sent to the model.", answered.PromptTokens)
	count("prompt_tokens_cached_total", "Tokens sent to the model that its provider had cached.", answered.CachedTokens)

	kept := m.stored.Stats()
	count("store_responses_total", "Responses stored.", kept.Saved)
	count("store_erased_total", "Stored responses erased because of a deletion.", kept.Erased)
	count("store_damaged_total", "Damaged entries of the store that were skipped.", kept.Damaged)
	count("store_quarantined_total", "Damaged files of the store that were quarantined and replaced.", kept.Quarantined)
	count("store_failures_total", "Failed calls of the store.", kept.Failed)
}
