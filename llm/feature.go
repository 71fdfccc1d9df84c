package llm

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// feature is a set of optional things in a request, which some providers reject.
type feature uint16

const (
	featureLogprobs feature = 1 << iota
	featureUsage
	featureTools
	featureImages
	featureTemperature
	featureSeed
	featureStop
	featureMaxTokens           // given up: the limit is sent as max_completion_tokens
	featureMaxCompletionTokens // given up as well: no limit is sent
	featureSystem              // given up: the system prompt is a user's message
	featureRepeat              // given up: neighbours of one role are joined
	featureCacheKey
)

// rejectable is a feature with the words by which a rejection names it.
type rejectable struct {
	feature feature
	name    string // as the request calls it
	words   []string
}

// rejectables lists every feature, those first whose names are the most telling.
func rejectables() []rejectable {
	return []rejectable{
		{featureCacheKey, "prompt_cache_key", []string{"prompt_cache_key"}},
		{featureLogprobs, "logprobs", []string{"logprobs", "log probabilities"}},
		{featureUsage, "stream_options", []string{"stream_options", "include_usage"}},
		{featureMaxTokens, "max_tokens", []string{"max_tokens"}},
		{featureMaxCompletionTokens, "max_completion_tokens", []string{"max_completion_tokens"}},
		{featureTemperature, "temperature", []string{"temperature"}},
		{featureSeed, "seed", []string{"seed"}},
		{featureStop, "stop", []string{"'stop'", `"stop"`, "`stop`", "stop sequence"}},
		{featureImages, FeatureImages, []string{"image", "vision", "multimodal", "content must be a string"}},
		{featureRepeat, "repeated roles", []string{"alternate"}},
		{featureSystem, "system role", []string{"system role", "role system", "role: system", "'system' role", "role 'system'"}},
		{featureTools, FeatureTools, []string{"tool", "function call"}},
	}
}

// The features that callers tell apart, as Answer.Dropped and Client.Rejected name them.
const (
	FeatureTools  = "tools"
	FeatureImages = "images"
)

// selection is which features a request holds, and which it would have held.
type selection struct {
	dropped feature // not to be sent
	sent    feature
	missed  feature
}

// wants says whether a feature that the request has a use for may be sent, and
// notes it.
func (s *selection) wants(f feature) bool {
	if s.dropped&f != 0 {
		s.missed |= f
		return false
	}
	s.sent |= f
	return true
}

// missing lists what the request asked for and was left out.
func (s *selection) missing() []string {
	// Nobody asked for the former three, and the latter two cost nothing that is said.
	missed := s.missed &^ (featureLogprobs | featureUsage | featureCacheKey | featureSystem | featureRepeat)
	if s.sent&featureMaxCompletionTokens != 0 {
		missed &^= featureMaxTokens // the same by its newer name
	}
	return names(missed)
}

// names lists features by their names.
func names(of feature) []string {
	var names []string
	for _, r := range rejectables() {
		if of&r.feature != 0 {
			names = append(names, r.name)
		}
	}
	return names
}

// named is the set of features with these names. A name that is not known is none.
func named(names []string) feature {
	var set feature
	for _, r := range rejectables() {
		if slices.Contains(names, r.name) {
			set |= r.feature
		}
	}
	return set
}

// features remembers for a client what its provider rejects.
type features struct {
	mu      sync.Mutex
	dropped feature
	keyed   bool // a request with a cache key was answered
}

func (f *features) get() feature {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dropped
}

// doubtful says whether a request that was refused without a word why may have been
// so for its cache key: strict providers refuse fields that they do not know, and no
// request with one was answered yet.
func (f *features) doubtful(refused *Error, dropped feature, key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return key != "" && refused.Kind == BadRequest && dropped&featureCacheKey == 0 && !f.keyed
}

// answered notes that a request was answered, with a cache key or not.
func (f *features) answered(dropped feature, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if key == "" {
		return
	}
	f.dropped |= dropped & featureCacheKey
	f.keyed = f.keyed || dropped&featureCacheKey == 0
}

func (f *features) drop(rejected feature) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped |= rejected
}

// initialFeatures is what go-openai refuses to send for a model, and its provider
// with it: reasoning models take neither a temperature nor log-probabilities, and
// want the limit by its newer name.
func initialFeatures(model string) feature {
	const reasoning = featureLogprobs | featureTemperature | featureMaxTokens
	switch {
	case strings.HasPrefix(model, "gpt-6"):
		return reasoning | featureTools
	case strings.HasPrefix(model, "o1"), strings.HasPrefix(model, "o3"), strings.HasPrefix(model, "o4"),
		strings.HasPrefix(model, "gpt-5"):
		return reasoning
	default:
		return 0
	}
}

// rejection finds which of the features sent a provider's complaint is about, and
// whether it holds for every request. It is 0 where the complaint is about
// something else.
func rejection(status int, p problem, sent feature) (rejected feature, remember bool) {
	switch status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented:
		if !containsAny(p.text, refusals()...) {
			return 0, false
		}
	case http.StatusNotFound: // else it is the model that is not found
		if !strings.Contains(p.text, "support") {
			return 0, false
		}
	default:
		return 0, false
	}
	for _, r := range rejectables() {
		if sent&r.feature == 0 || p.param != "" && p.param != r.name && isName(p.param) {
			continue
		}
		if p.param == r.name || containsAny(p.text, r.words...) {
			return r.feature, holdsForAll(r.feature, p)
		}
	}
	return 0, false
}

// holdsForAll tells a model that cannot see from a picture that cannot be read.
func holdsForAll(f feature, p problem) bool {
	return f != featureImages || strings.Contains(p.text, "support") &&
		!containsAny(p.text, "unsupported image", "format", "file type", "mime")
}

func isName(param string) bool {
	for _, r := range rejectables() {
		if r.name == param {
			return true
		}
	}
	return false
}

// refusals are the ways in which providers say that they do not know or want a
// field. A field whose value is at fault is worded otherwise.
func refusals() []string {
	return []string{
		"support", "not allowed", "is allowed", "not permitted", "not available", "not enabled", "not implemented",
		"unknown", "unrecognized", "unrecognised", "unexpected", "extra", "no endpoints", "only the default",
		"must be omitted", "deprecated", "requires", "must be a string", "must alternate", "image",
	}
}

func containsAny(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
