package cli

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/internal/telemetry"
	"heddle/llm"
)

// modelWatch notes how the exchanges with the model end.
type modelWatch struct {
	meter *telemetry.Meter
	first string // the model that is asked first

	mu       sync.Mutex
	failures map[llm.Kind]int64
	last     llm.Kind // of the newest request; 0: it was answered
	when     time.Time
}

func newModelWatch(meter *telemetry.Meter, first string) *modelWatch {
	return &modelWatch{meter: meter, first: first, failures: make(map[llm.Kind]int64)}
}

// of returns what takes the ends of requests to a model.
func (w *modelWatch) of(model string) func(llm.Usage, llm.Kind) {
	return func(usage llm.Usage, kind llm.Kind) { w.ended(model, usage, kind) }
}

// ended takes the end of a request. One that people or heddle gave up, or that the
// provider refused for its content, tells nothing about the model.
func (w *modelWatch) ended(model string, usage llm.Usage, kind llm.Kind) {
	if usage != (llm.Usage{}) {
		w.meter.Tokens(model, usage.Prompt, usage.Cached, usage.Completion)
	}
	if kind == llm.Cancelled {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if kind != 0 {
		w.failures[kind]++
	}
	if kind == 0 || isAbsence(kind) {
		w.last, w.when = kind, time.Now()
	}
}

// isAbsence reports whether an error of this kind is to be expected of the next request,
// too.
func isAbsence(kind llm.Kind) bool {
	return slices.Contains([]llm.Kind{llm.Unreachable, llm.Auth, llm.NotFound, llm.Quota, llm.Server, llm.Stalled, llm.Away}, kind)
}

var errModelAway = errors.New("the model does not answer")

// check returns an error if the newest request to the model failed.
func (w *modelWatch) check() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s, %s ago", errModelAway, w.last, time.Since(w.when).Round(time.Second))
}

// failed returns how often requests failed, by kind.
func (w *modelWatch) failed() map[string]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[string]int64, len(w.failures))
	for kind, n := range w.failures {
		all[kind.String()] = n
	}
	return all
}
