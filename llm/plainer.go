package llm

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
)

// The features of a request that some providers refuse, by the names that Answer.Without
// and Client.Rejected give them.
const (
	FeatureTools    = "tools"
	FeatureImages   = "images"
	FeatureOneImage = "images but one" // without: only the newest picture

	featureStream              = "stream" // without: the answer comes whole
	featureRoles               = "roles"  // without: see alternating
	featureLogprobs            = "logprobs"
	featureUsage               = "stream_options"
	featureTemperature         = "temperature"
	featureStop                = "stop"
	featureMaxTokens           = "max_tokens"            // without: the limit is sent as max_completion_tokens
	featureMaxCompletionTokens = "max_completion_tokens" // without as well: no limit is sent
	featureCacheKey            = "prompt_cache_key"
	featureBeside              = "reasoning"               // what came with calls, see Beside
	featureUnreasoned          = "turns without reasoning" // without: each turn of the model says that its reasoning is empty
	featureTool                = "tool:"                   // with a tool's name: that tool
)

// IsOfImages reports whether a request without the feature lacks pictures.
func IsOfImages(feature string) bool { return feature == FeatureImages || feature == FeatureOneImage }

// rejectable is a feature with the words that name it in refusals.
type rejectable struct {
	feature string
	words   []string
}

// rejectables returns the features that a refusal can name, those with the most specific
// words first.
func rejectables() []rejectable {
	return []rejectable{
		{featureCacheKey, []string{"prompt_cache_key"}},
		{featureUnreasoned, []string{"passed back", "missing `reasoning_content`", "missing reasoning_content"}},
		{featureBeside, []string{"reasoning", "thought", "thinking", "signature", "extra_content", "provider_specific_fields"}},
		{featureLogprobs, []string{"logprobs", "log probabilities"}},
		{featureUsage, []string{"stream_options", "include_usage"}},
		{featureMaxTokens, []string{"max_tokens"}},
		{featureMaxCompletionTokens, []string{"max_completion_tokens"}},
		{featureTemperature, []string{"temperature"}},
		{featureStop, []string{"'stop'", `"stop"`, "`stop`", "stop sequence"}},
		{featureStream, []string{"to stream this", "streaming", "'stream'", `"stream"`, "`stream`"}},
		{featureRoles, []string{
			"alternat", "system role", "role system", "role 'system'", "'system' role", "got system", "messages[0].role", "system message", "system prompt",
			"developer instruction", "successive", "consecutive", "roles in a row", "only user and assistant", "only user, assistant", "unexpected role",
			"expected last role", "first message", "last message", "start with a user", "user query",
		}},
		{FeatureOneImage, []string{"at most 1 image", "at most one image", "only one image", "single image", "multiple images", "too many images", "number of images", "one image per"}},
		{FeatureImages, []string{"image", "vision", "multimodal", "multi-modal", "only text", "text-only", "content must be a string"}},
		{FeatureTools, []string{"tool", "function call"}},
		{featureRoles, []string{"jinja", "chat template", "chat_template", "template error", "templateerror", "raise_exception"}},
	}
}

// optional returns the features that an answer never needs. The first plainer request is
// made without them.
func optional() []string {
	return []string{
		featureLogprobs, featureUsage, featureCacheKey, featureTemperature, featureStop, featureMaxTokens, featureMaxCompletionTokens, featureBeside, featureRoles,
	}
}

// useful returns the features that the plainest request is made without as well.
func useful() []string { return []string{FeatureTools, FeatureImages, featureStream} }

// sent is what a request was made of.
type sent struct {
	needed   []string    // the features that it has or would have
	without  []string    // the features that it had to do without
	tools    []path.Tool // those that it offered
	messages []openai.ChatCompletionMessage
}

// texts returns what everybody says in the request, in lower case.
func (s *sent) texts() []string {
	var texts []string
	for _, m := range s.messages {
		for _, piece := range pieces(m) {
			texts = append(texts, strings.ToLower(piece.Text))
		}
		for _, call := range m.ToolCalls {
			texts = append(texts, strings.ToLower(call.Function.Arguments))
		}
	}
	return texts
}

// wants notes that the request needs a feature, and reports whether it may be sent.
func (s *sent) wants(feature string) bool {
	if !slices.Contains(s.needed, feature) {
		s.needed = append(s.needed, feature)
	}
	return !slices.Contains(s.without, feature)
}

// sends reports whether the request had a feature.
func (s *sent) sends(feature string) bool {
	return slices.Contains(s.needed, feature) && !slices.Contains(s.without, feature)
}

// names returns the features that a provider's refusal of a request names, and reports
// whether the provider refuses these in every request.
func (p problem) names(status int, request *sent) (features []string, always bool) {
	refuses := containsAny(p.text, refusals()...)
	switch status {
	case 0, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusFailedDependency:
	case http.StatusForbidden, http.StatusInternalServerError, http.StatusNotImplemented:
		if !refuses && !p.isOfTemplate() {
			return nil, false
		}
	case http.StatusNotFound: // else it is the model that is not found
		if !strings.Contains(p.text, "support") {
			return nil, false
		}
	default:
		return nil, false
	}
	if request.sends(FeatureTools) {
		offered := slices.DeleteFunc(slices.Clone(request.tools), func(t path.Tool) bool { return !request.sends(featureTool + t.Name) })
		if refused := p.toolsNamed(offered); refused != nil {
			return refused, true
		}
	}
	for _, r := range rejectables() {
		other := slices.ContainsFunc(rejectables(), func(o rejectable) bool { return o.feature == p.param && o.feature != r.feature })
		if !request.sends(r.feature) || other {
			continue
		}
		if p.param == r.feature || containsAny(p.text, r.words...) {
			return []string{r.feature}, r.feature == featureRoles || refuses && !p.isOfOnePicture(r.feature)
		}
	}
	return nil, false
}

// isOfTemplate reports whether a chat template refused the request, which some servers
// answer with status 500 (llama.cpp).
func (p problem) isOfTemplate() bool {
	return containsAny(p.text, "jinja", "chat template", "chat_template", "template error", "templateerror", "raise_exception", "roles must alternate", "role not supported")
}

// isOfOnePicture reports whether the picture is refused rather than pictures: one that
// cannot be read, or of a type that the provider does not know.
func (p problem) isOfOnePicture(feature string) bool {
	return feature == FeatureImages && (!containsAny(p.text, "support", "unknown variant", "only text", "text-only", "must be a string") ||
		containsAny(p.text, "unsupported image", "format", "file type", "mime"))
}

// toolAt finds the place of a tool in a list, as in tools[3], tools.3 and
// tools[0].function_declarations[3].
var toolAt = regexp.MustCompile(`(?:function_?declarations|tools)[\[.](\d+)`)

// toolsNamed returns the features of the tools whose schema or name a refusal is about: of
// a tool of a server, those of all tools of that server (atlas-ui-3#727). It returns nil if
// the refusal is not about one tool's schema or name.
func (p problem) toolsNamed(tools []path.Tool) []string {
	if !containsAny(p.text, "schema", "declaration", "parameters", "properties", "function name", ".name", "function.name", "tool name", "input_schema", "invalid function", "duplicate") {
		return nil
	}
	named := slices.IndexFunc(tools, func(t path.Tool) bool { return containsWord(p.text, strings.ToLower(t.Name)) })
	if found := toolAt.FindAllStringSubmatch(p.text+" "+p.param, -1); named < 0 && found != nil {
		if at, err := strconv.Atoi(found[len(found)-1][1]); err == nil && at < len(tools) {
			named = at
		}
	}
	if named < 0 {
		return nil
	}
	var features []string
	for i, tool := range tools {
		if i == named || tool.Server != "" && tool.Server == tools[named].Server {
			features = append(features, featureTool+tool.Name)
		}
	}
	return features
}

// containsWord reports whether a text contains a word that is no part of a longer one.
func containsWord(text, word string) bool {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; {
		found := strings.Index(text[at:], word)
		if found < 0 {
			return false
		}
		from, to := at+found, at+found+len(word)
		before := strings.LastIndexFunc(text[:from], inWord) != from-1 || from == 0
		if before && strings.IndexFunc(text[to:], inWord) != 0 {
			return true
		}
		at = to
	}
}

// refusals returns the words with which providers reject a field. They describe a wrong
// value in other words.
func refusals() []string {
	return []string{
		"support", "not allowed", "is allowed", "not permitted", "not available", "not enabled", "not implemented",
		"unknown", "unrecognized", "unrecognised", "unexpected", "extra", "no endpoints", "only the default",
		"must be omitted", "passed back", "missing `reasoning_content`", "missing reasoning_content", "deprecated", "requires", "must be a string", "image", "must be verified", "invalid schema", "too large",
	}
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// plan is how a question is put to a provider: whole at first, and plainer after each
// refusal.
type plan struct {
	without   []string // what the next request leaves out
	restored  string   // of what is doubted, the one that the next request has again; "" for none
	confirmed string   // what was restored and refused again
	named     []string // what refusals named and the provider refuses in every request
	guessed   []string // what was left out as a refusal named nothing
	misshaped int      // calls of tools that the model made badly
}

// plainer makes the plan plainer after a failure of a request, and reports whether there is
// anything left to try. Refusals that name something lead to it directly. After others the
// request is made without everything optional, and then without everything that can be left
// out.
func (p *plan) plainer(failure *Error, request *sent) bool {
	add := func(features ...string) bool {
		before := len(p.without)
		for _, f := range features {
			if !slices.Contains(p.without, f) {
				p.without = append(p.without, f)
			}
		}
		return slices.ContainsFunc(p.without[before:], func(f string) bool { return slices.Contains(request.needed, f) })
	}
	switch {
	case failure.misshaped:
		p.misshaped++
		return p.misshaped == 1 || p.misshaped == 2 && add(FeatureTools)
	case failure.streamOnly && slices.Contains(p.without, featureStream):
		p.without = slices.DeleteFunc(p.without, func(f string) bool { return f == featureStream })
		p.guessed = slices.DeleteFunc(p.guessed, func(f string) bool { return f == featureStream })
		return true
	case failure.rejected == nil && !failure.refused:
		return false
	case p.restored != "" && request.sends(p.restored) && (failure.rejected == nil || slices.Contains(failure.rejected, p.restored)):
		p.confirmed, p.restored = p.restored, ""
		return add(p.confirmed)
	case failure.rejected != nil && add(failure.rejected...):
		if failure.always {
			p.named = append(p.named, failure.rejected...)
		}
		return true
	}
	for _, rung := range [][]string{optional(), useful()} {
		p.guessed = append(p.guessed, rung...)
		if add(rung...) {
			return true
		}
	}
	return false
}
