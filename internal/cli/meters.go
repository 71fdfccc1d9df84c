package cli

import (
	"github.com/prometheus/client_golang/prometheus"

	"heddle/bot"
	"heddle/store"
)

// meters are what operators read of a running heddle.
type meters struct {
	heddle *bot.Bot
	stored *store.Store
}

// Describe implements prometheus.Collector: what is collected is described by itself.
func (m meters) Describe(all chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, all) }

// Collect implements prometheus.Collector.
func (m meters) Collect(all chan<- prometheus.Metric) {
	count := func(name, help string, value int64) {
		all <- prometheus.MustNewConstMetric(prometheus.NewDesc("heddle_"+name, help, nil, nil), prometheus.CounterValue, float64(value))
	}
	connected := 0.0
	if m.heddle.Connected() {
		connected = 1
	}
	all <- prometheus.MustNewConstMetric(prometheus.NewDesc("heddle_connected", "Whether events come from Discord.", nil, nil), prometheus.GaugeValue, connected)

	answered := m.heddle.Stats()
	count("requests_total", "Mentions whose conversation could be read.", answered.Requests)
	ways := prometheus.NewDesc("heddle_answers_total", "Where their answers came from; together they are the requests.", []string{"way"}, nil)
	for way, value := range map[string]int64{
		"hit": answered.Hits, "miss": answered.Misses, "coalesced": answered.Coalesced, "bypassed": answered.Bypassed, "rejected": answered.Rejected,
	} {
		all <- prometheus.MustNewConstMetric(ways, prometheus.CounterValue, float64(value), way)
	}
	count("follow_ups_total", "Paths that go on from one before.", answered.Continued)
	count("follow_ups_extending_total", "Follow-ups that begin with the whole path before them.", answered.Extended)
	count("prompt_tokens_total", "Tokens that were sent to the model.", answered.PromptTokens)
	count("prompt_tokens_cached_total", "Of these, those that its provider had read before.", answered.CachedTokens)

	kept := m.stored.Stats()
	count("store_responses_total", "Responses that were stored.", kept.Saved)
	count("store_erased_total", "Stored responses that a deletion reached.", kept.Erased)
	count("store_damaged_total", "Stored entries that were damaged and passed over.", kept.Damaged)
	count("store_renewed_total", "Times that the store's file was damaged, set aside and begun anew.", kept.Quarantined)
	count("store_failures_total", "Calls that the store failed.", kept.Failed)
}
