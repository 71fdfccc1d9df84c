package llm

import (
	"net/http"
	"slices"
	"strings"
)

// feature is a set of optional parts of a request that some providers reject.
type feature uint32

const (
	featureLogprobs feature = 1 << iota
	featureUsage
	featureTools
	featureImages
	featureTemperature
	featureStop
	featureMaxTokens           // if dropped, the limit is sent as max_completion_tokens
	featureMaxCompletionTokens // if dropped as well, no limit is sent
	featureCacheKey
	featureBeside     // what came with calls, see Beside
	featureUnreasoned // if dropped, each of the model's turns says that its reasoning is empty
)

// rejectable is a feature with the words that name it in rejections.
type rejectable struct {
	feature feature
	name    string // as the request calls it
	words   []string
}

// rejectables returns every feature, those with the most specific words first.
func rejectables() []rejectable {
	return []rejectable{
		{featureCacheKey, "prompt_cache_key", []string{"prompt_cache_key"}},
		{featureUnreasoned, "turns without reasoning", []string{"passed back", "missing `reasoning_content`", "missing reasoning_content"}},
		{featureBeside, "reasoning", []string{"reasoning", "thought", "thinking", "signature", "extra_content", "provider_specific_fields"}},
		{featureLogprobs, "logprobs", []string{"logprobs", "log probabilities"}},
		{featureUsage, "stream_options", []string{"stream_options", "include_usage"}},
		{featureMaxTokens, "max_tokens", []string{"max_tokens"}},
		{featureMaxCompletionTokens, "max_completion_tokens", []string{"max_completion_tokens"}},
		{featureTemperature, "temperature", []string{"temperature"}},
		{featureStop, "stop", []string{"'stop'", `"stop"`, "`stop`", "stop sequence"}},
		{featureImages, FeatureImages, []string{"image", "vision", "multimodal", "content must be a string"}},
		{featureTools, FeatureTools, []string{"tool", "function call"}},
	}
}

// The features that callers distinguish, with their names in Answer.Dropped and
// Client.Rejected.
const (
	FeatureTools  = "tools"
	FeatureImages = "images"
)

// named returns the features with these names. It ignores unknown names.
func named(names []string) feature {
	var set feature
	for _, r := range rejectables() {
		if slices.Contains(names, r.name) {
			set |= r.feature
		}
	}
	return set
}

// rejection returns which of the sent features a problem is about, or 0 if it is about
// something else. It reports whether the provider rejects that in every request.
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
		if sent&r.feature == 0 || p.param != "" && p.param != r.name && named([]string{p.param}) != 0 {
			continue
		}
		if p.param == r.name || containsAny(p.text, r.words...) {
			return r.feature, holdsForAll(r.feature, p)
		}
	}
	return 0, false
}

// holdsForAll reports whether a feature is rejected in every request. A model without
// vision rejects every picture; a picture that cannot be read is rejected alone.
func holdsForAll(f feature, p problem) bool {
	return f != featureImages || strings.Contains(p.text, "support") &&
		!containsAny(p.text, "unsupported image", "format", "file type", "mime")
}

// refusals returns the words with which providers reject a field. They describe a wrong
// value in other words.
func refusals() []string {
	return []string{
		"support", "not allowed", "is allowed", "not permitted", "not available", "not enabled", "not implemented",
		"unknown", "unrecognized", "unrecognised", "unexpected", "extra", "no endpoints", "only the default",
		"must be omitted", "passed back", "missing `reasoning_content`", "missing reasoning_content", "deprecated", "requires", "must be a string", "image",
	}
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}
