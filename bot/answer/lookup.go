package answer

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/sources"
	"heddle/llm"
	"heddle/store"
)

// Stats counts requests by where their answers came from. A request is a question whose
// conversation could be read. It counts in Requests and in exactly one of the three fields
// after it.
type Stats struct {
	Requests int64
	Hits     int64 // a stored answer to an equal path was given again
	Misses   int64 // no stored answer could be given, and the model was asked
	Bypassed int64 // the store was not asked: a fresh answer was wanted, or the store was away

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
		slog.Int64("bypassed", s.Bypassed),
		slog.Int64("continued", s.Continued), slog.Int64("extended", s.Extended),
		slog.Int64("prompt_tokens", s.PromptTokens), slog.Int64("cached_tokens", s.CachedTokens),
	)
}

// lookup finds the stored answer to an equal path.
//
// mu guards stats; it is never held over I/O.
type lookup struct {
	responses *store.Responses
	rule      *sources.Rule
	model     string
	reuseFor  time.Duration // how long an answer may be given again; 0: never

	mu    sync.Mutex
	stats Stats
}

// find returns a stored answer that the asker may be given; nil if there is none, or if the
// question is to have an answer of its own.
func (l *lookup) find(ctx context.Context, log *slog.Logger, p *Prepared) (found *store.Response) {
	from := &l.stats.Bypassed
	if !p.Fresh && l.reuseFor > 0 {
		stored, ok, err := l.responses.Find(ctx, store.Want{
			Scope: p.Place.Scope, PathHash: p.Hash(), FactsHash: p.Facts(), Model: cmp.Or(p.Model, l.model), MaxAge: l.reuseFor,
		})
		asker := p.AskedBy(p.Person())
		asker.Own = p.Sources()
		switch {
		case err != nil: // an outage, which the store has logged
			log.DebugContext(ctx, "stored answers could not be looked up, the model is asked", "error", err)
		case ok && l.rule.MayUse(ctx, asker, stored.Sources):
			found, from = &stored, &l.stats.Hits
		default:
			from = &l.stats.Misses
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Requests++
	*from++
	return found
}

// asked counts a request to the model.
func (l *lookup) asked(p *Prepared, usage llm.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	continues, extends := p.Continues()
	if continues {
		l.stats.Continued++
	}
	if extends {
		l.stats.Extended++
	}
	l.stats.PromptTokens += int64(usage.Prompt)
	l.stats.CachedTokens += int64(usage.Cached)
}

// counted returns the counts so far.
func (l *lookup) counted() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}
