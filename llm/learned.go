package llm

import (
	"slices"
	"sync"
	"time"
)

// learned is what a provider was found to refuse of requests to one model. Its methods may
// be called from any goroutine.
type learned struct {
	mu      sync.Mutex
	refused map[string]time.Time // features, and until when requests do without them
	doubted []string             // features that requests do without until each was tried again
	told    []string             // features that were logged
}

// refusedFor is how long requests do without a feature that was refused. Then the next
// request has it again, as providers and their settings change.
const refusedFor = time.Hour

// plan returns how the next question is put: without what is refused and, but for one
// feature, without what is doubted.
func (l *learned) plan(now time.Time) *plan {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &plan{without: l.refusedLocked(now)}
	if len(l.doubted) > 0 {
		p.restored = l.doubted[0]
		p.without = append(p.without, l.doubted[1:]...)
	}
	return p
}

// refusedLocked returns the features that are refused now, in the order of their names.
func (l *learned) refusedLocked(now time.Time) []string {
	var features []string
	for feature, until := range l.refused {
		if now.Before(until) {
			features = append(features, feature)
		} else {
			delete(l.refused, feature)
		}
	}
	slices.Sort(features)
	return features
}

// settle learns from a plan by which a request was answered. It returns the features that
// were never named before and are to be logged.
//
// What refusals named is refused for an hour, if nothing else had to be left out. Otherwise
// nobody knows what it was: all of it is doubted, and each later question restores one
// thing. What is then refused a second time is refused for an hour, too (DESIGN, 8.10).
func (l *learned) settle(p *plan, request *sent, now time.Time) (news []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	refused, doubted := p.named, []string(nil)
	switch {
	case len(p.guessed) > 0:
		refused, doubted = nil, slices.Concat(refused, p.guessed)
	case p.confirmed != "":
		refused, doubted = []string{p.confirmed}, p.named
	}
	keep := func(feature string) {
		l.doubted = slices.DeleteFunc(l.doubted, func(f string) bool { return f == feature })
	}
	for _, feature := range refused {
		if l.refused == nil {
			l.refused = map[string]time.Time{}
		}
		l.refused[feature] = now.Add(refusedFor)
		keep(feature)
	}
	for _, feature := range doubted {
		if feature == featureMaxCompletionTokens {
			continue // needed only while max_tokens is left out
		}
		if slices.Contains(request.needed, feature) && !slices.Contains(l.doubted, feature) && l.refused[feature].IsZero() {
			l.doubted = append(l.doubted, feature)
		}
	}
	if p.restored != "" && slices.Contains(l.doubted, p.restored) {
		keep(p.restored)
		if !slices.Contains(request.needed, p.restored) { // it was not tried
			l.doubted = append(l.doubted, p.restored)
		}
	}
	for _, feature := range slices.Concat(refused, doubted) {
		if slices.Contains(request.needed, feature) && !slices.Contains(l.told, feature) {
			l.told = append(l.told, feature)
			news = append(news, feature)
		}
	}
	return news
}

// Rejected returns the names of what the provider is known to refuse, such as "tools" or
// "images". Requests are sent without it.
func (c *Client) Rejected() []string {
	c.learned.mu.Lock()
	defer c.learned.mu.Unlock()
	return c.learned.refusedLocked(time.Now())
}

// Doubted returns the names of what requests are sent without because the provider refused
// a request and did not say why. Each later question restores one of them.
func (c *Client) Doubted() []string {
	c.learned.mu.Lock()
	defer c.learned.mu.Unlock()
	return slices.Clone(c.learned.doubted)
}
