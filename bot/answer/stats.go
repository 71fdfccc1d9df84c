package answer

import (
	"log/slog"
	"sync/atomic"

	"heddle/llm"
	"heddle/store"
)

// Stats counts the requests, which are the questions whose conversation could be read,
// and where their answers came from: each request is one of the others.
type Stats struct {
	Requests  int64
	Hits      int64 // a stored answer to an equal path was given again
	Misses    int64 // none was stored that the asker may be given, and the model was asked
	Coalesced int64 // the answer came from somebody who asked the same at the time
	Bypassed  int64 // the store was not looked at: a fresh answer was wanted, or the store was away
	Rejected  int64 // what was stored is damaged, and the model was asked

	// Of the paths that the model was asked about, Continued go on from an earlier one,
	// and Extended of these begin with all of it, byte for byte.
	Continued, Extended int64
	// PromptTokens were charged for requests, CachedTokens of them at the price of
	// what the provider had read before.
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

// counts are Stats in the making.
type counts struct {
	requests, hits, misses, coalesced, bypassed, rejected atomic.Int64

	continued, extended, promptTokens, cachedTokens atomic.Int64
}

// sought counts what came of looking for a stored answer.
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

// asked counts what the model was asked about a path.
func (c *counts) asked(p *Prepared, usage llm.Usage) {
	if p.before != (store.ResponseID{}) {
		c.continued.Add(1)
	}
	if p.extends {
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
