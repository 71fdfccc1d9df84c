package answer

import (
	"log/slog"
	"sync/atomic"

	"heddle/llm"
	"heddle/store"
)

// Stats counts requests by where their answers came from. A request is a question whose
// conversation could be read. It counts in Requests and in exactly one of the five fields
// after it.
type Stats struct {
	Requests  int64
	Hits      int64 // a stored answer to an equal path was given again
	Misses    int64 // no stored answer could be given, and the model was asked
	Coalesced int64 // the answer was shared by somebody who asked the same at the time
	Bypassed  int64 // the store was not asked: a fresh answer was wanted, or the store was away
	Rejected  int64 // the stored answer was damaged, and the model was asked

	// Continued counts those paths sent to the model that continue an earlier one, and
	// Extended those of them that begin with all of it, byte for byte.
	Continued, Extended int64
	// PromptTokens is the number of tokens charged for requests, CachedTokens the part
	// of them that the provider read from its cache.
	PromptTokens, CachedTokens int64
}

// LogValue returns the counts as a group.
func (s Stats) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int64("requests", s.Requests), slog.Int64("hits", s.Hits), slog.Int64("misses", s.Misses),
		slog.Int64("coalesced", s.Coalesced), slog.Int64("bypassed", s.Bypassed), slog.Int64("rejected", s.Rejected),
		slog.Int64("continued", s.Continued), slog.Int64("extended", s.Extended),
		slog.Int64("prompt_tokens", s.PromptTokens), slog.Int64("cached_tokens", s.CachedTokens),
	)
}

// counts are Stats that can be updated.
type counts struct {
	requests, hits, misses, coalesced, bypassed, rejected atomic.Int64

	continued, extended, promptTokens, cachedTokens atomic.Int64
}

// sought counts the outcome of looking for a stored answer.
func (c *counts) sought(sought store.Sought, err error) {
	switch {
	case err != nil:
		c.bypassed.Add(1)
	case sought.Found && sought.Waited:
		c.coalesced.Add(1)
	case sought.Found:
		c.hits.Add(1)
	case sought.Damaged > 0:
		c.rejected.Add(1)
	default:
		c.misses.Add(1)
	}
}

// asked counts a request to the model.
func (c *counts) asked(p *Prepared, usage llm.Usage) {
	if p.Continues != (store.ResponseID{}) {
		c.continued.Add(1)
	}
	if p.Extends {
		c.extended.Add(1)
	}
	c.promptTokens.Add(int64(usage.Prompt))
	c.cachedTokens.Add(int64(usage.Cached))
}

func (c *counts) stats() Stats {
	return Stats{
		Requests: c.requests.Load(), Hits: c.hits.Load(), Misses: c.misses.Load(),
		Coalesced: c.coalesced.Load(), Bypassed: c.bypassed.Load(), Rejected: c.rejected.Load(),
		Continued: c.continued.Load(), Extended: c.extended.Load(),
		PromptTokens: c.promptTokens.Load(), CachedTokens: c.cachedTokens.Load(),
	}
}
