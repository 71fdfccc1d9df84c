package answer

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// Stats counts requests by where their answers came from. A request is a question whose
// conversation could be read. It counts in Requests and in exactly one of the four fields
// after it.
type Stats struct {
	Requests  int64
	Hits      int64 // a stored answer to an equal path was given again
	Misses    int64 // no stored answer could be given, and the model was asked
	Coalesced int64 // the answer was shared by somebody who asked the same at the time
	Bypassed  int64 // the store was not asked: a fresh answer was wanted, or the store was away

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
		slog.Int64("coalesced", s.Coalesced), slog.Int64("bypassed", s.Bypassed),
		slog.Int64("continued", s.Continued), slog.Int64("extended", s.Extended),
		slog.Int64("prompt_tokens", s.PromptTokens), slog.Int64("cached_tokens", s.CachedTokens),
	)
}

// lookup finds the stored answer to an equal path, or one that this process is making.
//
// mu guards the fields below it; it is never held over I/O.
type lookup struct {
	responses *store.Responses
	rule      *conversation.Rights
	model     string
	reuseFor  time.Duration // how long an answer may be given again; 0: never

	mu    sync.Mutex
	calls map[store.Want]*call
	stats Stats
}

// call is a look-up, and the request to the model that follows if nothing is stored. Others
// with an equal want wait for it. Once done is closed, response may be read; it is nil if
// there is nothing to share. The call stays in progress until its answer is recorded.
type call struct {
	lookup   *lookup
	want     store.Want
	done     chan struct{}
	response *store.Response
}

// call returns the call of a question. It returns none if the question is to have an answer of its
// own.
func (a *prepared) call() (mine, others *call) {
	if a.fresh || a.reuseFor <= 0 {
		return nil, nil
	}
	return a.lookup.begin(a.Prepared, a.q.Place.Scope)
}

// begin begins the call of a question, which must be ended, or returns the equal one that is in
// progress.
func (l *lookup) begin(p *conversation.Prepared, scope store.Scope) (mine, others *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	want := store.Want{Scope: scope, PathHash: p.Hash, FactsHash: p.Facts(), Model: cmp.Or(p.Model, l.model), MaxAge: l.reuseFor}
	if others = l.calls[want]; others != nil {
		return nil, others
	}
	mine = &call{lookup: l, want: want, done: make(chan struct{})}
	l.calls[want] = mine
	return mine, nil
}

// find returns a stored answer that the asker may be given, or one that an equal call in
// progress comes to; nil if there is none. It counts the request.
func (l *lookup) find(ctx context.Context, log *slog.Logger, asker conversation.Asker, mine, others *call) (found *store.Response) {
	from := &l.stats.Hits
	switch {
	case others != nil:
		from = &l.stats.Coalesced
		select {
		case <-others.done:
			found = others.response
		case <-ctx.Done():
		}
	case mine != nil:
		stored, ok, err := l.responses.Find(ctx, mine.want)
		if err != nil { // an outage, which the store has logged
			log.DebugContext(ctx, "stored answers could not be looked up, the model is asked", "error", err)
			from = &l.stats.Bypassed
		} else if ok {
			found = &stored
			mine.share(found) // whoever waits is checked for permission, too
		}
	default:
		from = &l.stats.Bypassed
	}
	if found != nil && !l.rule.MayUse(ctx, asker, found.Sources) {
		found = nil
	}
	if found == nil && from != &l.stats.Bypassed {
		from = &l.stats.Misses
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Requests++
	*from++
	return found
}

// reuse returns a stored answer to an equal path, or one that another call comes to; nil if there
// is none that may be given.
func (a *prepared) reuse(ctx context.Context, mine, others *call) *made {
	asker := a.q.AskedBy(a.Person)
	asker.Own = a.Sources
	looked := telemetry.Stage(ctx, telemetry.LookUp)
	stored := a.find(ctx, a.log, asker, mine, others)
	looked()
	if stored == nil {
		return nil
	}
	a.Account.RefundRequest(ctx)
	m := &made{response: a.again(stored), notice: stored.Notice, ended: Reused}
	if m.text = m.response.Text; stored.Trigger != a.q.ID { // otherwise this is the same answer, delivered again or after the question was edited back
		m.notice = phrases.Lines(reply.Notice(a.language(), &m.response), a.noHistory())
	}
	a.log.InfoContext(ctx, "answered again", "path", a.Hash, "messages", len(a.Built.Messages), "took", time.Since(a.started))
	return m
}

// share passes a response to those who wait for the call, and to those who come before it
// ends. It does nothing on nil, and once something was shared.
func (c *call) share(response *store.Response) {
	if c != nil && c.response == nil {
		c.response = response
		close(c.done)
	}
}

// end ends a call. If nothing was shared, whoever waits gets nothing. end does nothing on
// nil.
func (c *call) end() {
	if c == nil {
		return
	}
	c.lookup.mu.Lock()
	defer c.lookup.mu.Unlock()
	delete(c.lookup.calls, c.want)
	if c.response == nil {
		close(c.done)
	}
}

// reusable reports whether an answer may be given to others who ask the same.
func reusable(r *store.Response) bool {
	return r.FinishReason == llm.FinishStop && r.Text != "" && !r.TimeBound
}

// asked counts a request to the model.
func (l *lookup) asked(p *conversation.Prepared, usage llm.Usage) {
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

// Stats returns the counts so far. A request is counted once its look-up has ended.
func (l *lookup) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}
