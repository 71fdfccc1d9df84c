package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// problem is a provider's error, decoded. Its text is used only to classify it.
type problem struct {
	status int    // named by the error itself, else 0
	code   string // its code, else its type
	param  string
	text   string // the provider's words, in lower case, each string in quotes
}

// readProblem decodes a body or an event of any of the shapes that providers use:
// {"error":{…}}, {"error":"…"}, [{"error":{…}}], {"object":"error",…}, {"base_resp":{…}},
// or no JSON. texts are those of the request, in lower case. Their lines are removed from
// the provider's words, as many providers quote the request (ollama-js#213).
func readProblem(body []byte, texts ...string) problem {
	p := problem{text: strings.ToLower(string(body))}
	body = bytes.Trim(body, "[] \t\r\n")
	var whole any
	if json.Unmarshal(body, &whole) == nil {
		var words strings.Builder
		writeWords(&words, whole)
		p.text = strings.ToLower(words.String())
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(strings.Fields(line)) > 2 {
				p.text = strings.ReplaceAll(p.text, line, " ")
			}
		}
	}
	var outer struct {
		Error json.RawMessage `json:"error"`
		Base  json.RawMessage `json:"base_resp"` // MiniMax
	}
	inner := body
	if json.Unmarshal(body, &outer) == nil && len(outer.Error)+len(outer.Base) > 0 {
		inner = slices.Concat(outer.Error, outer.Base)
	}
	var fields struct {
		Code  json.RawMessage `json:"code"`
		Type  json.RawMessage `json:"type"`
		Param json.RawMessage `json:"param"`
	}
	if json.Unmarshal(inner, &fields) != nil {
		return p
	}
	code := scalar(fields.Code)
	if status, err := strconv.Atoi(code); err == nil {
		code = ""
		if status >= 400 && status < 600 {
			p.status = status
		}
	}
	p.code, p.param = code, scalar(fields.Param)
	if p.code == "" {
		p.code = scalar(fields.Type)
	}
	return p
}

// writeWords writes the strings and numbers of a JSON value, each in quotes, with the names
// of their fields. It leaves out the fields in which servers echo what they were sent.
func writeWords(b *strings.Builder, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if !slices.Contains([]string{"input", "failed_generation", "metadata", "request", "messages", "prompt", "body"}, key) {
				b.WriteString(key + ": ")
				writeWords(b, value[key])
			}
		}
	case []any:
		for _, item := range value {
			writeWords(b, item)
		}
	case string:
		b.WriteString(`"` + withoutEcho(value) + "\"\n")
	case float64:
		b.WriteString(`"` + strconv.FormatFloat(value, 'f', -1, 64) + "\"\n")
	}
}

// withoutEcho returns a message up to where Python's validators begin to print the input
// that they refused (vLLM prints their errors as text).
func withoutEcho(message string) string {
	for _, mark := range []string{"'input':", `"input":`, "input_value="} {
		message, _, _ = strings.Cut(message, mark)
	}
	return message
}

// scalar returns a JSON string or number as text, and "" for anything else.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// classify returns the Error of a provider's problem with a request.
func classify(status int, header http.Header, p problem, request *sent) *Error {
	failure := &Error{Status: status, Code: safeCode(p.code), RetryAfter: retryAfter(header, p.text, time.Now())}
	if status == 0 {
		failure.Status = p.status // an error inside a stream names its own
	}
	failure.Kind = p.kind(failure.Status, failure.RetryAfter)
	failure.Retryable = failure.Kind == RateLimited ||
		failure.Kind == Server && failure.Status != http.StatusNotImplemented
	failure.misshaped = containsAny(p.text, "tool_use_failed", "failed to call a function", "parse tool call", "parsing tool call", "malformed_function_call", "malformed function call", "invalid tool call")
	failure.streamOnly = containsAny(p.text, "only support stream", "only supports stream", "non-streaming", "stream=true", "stream mode")
	if failure.misshaped {
		failure.Kind, failure.Retryable = Malformed, false
	}
	if slices.Contains([]Kind{BadRequest, NotFound, Server, Auth}, failure.Kind) {
		failure.rejected, failure.always = p.names(failure.Status, request)
		failure.refused = failure.Kind == BadRequest || failure.Kind == NotFound && strings.Contains(p.text, "no endpoints found that") // OpenRouter
	}
	return failure
}

// wording is a kind of error with the words in which providers tell it.
type wording struct {
	kind  Kind
	words []string
}

// wordings returns the kinds of errors that words tell more surely than the status does, as
// providers use statuses loosely: money is 400, 403, 412 and 429, a filter is 400, 403 and
// 451. The first that fits counts.
func wordings() []wording {
	return []wording{
		{Refused, []string{
			"content_filter", "content filter", "content_policy", "content policy", "content-policy", "responsibleaipolicy", "content management policy",
			"moderation", "data_inspection", "datainspection", "inappropriate content", "content exists risk", "considered high risk", "safety system",
			"safety_check", "usage policy", "usage policies", "usage guidelines", "flagged as", "been flagged", "was flagged", "sensitive content",
			"sensitive_content", "sensitivecontent", "sensitive word", "sensitive information", "new_sensitive", "censorship", "prohibited_content",
			"prohibited content", "prohibited use", "guardrail", "unsafe content", "harmful content", "unsafe or sensitive", "blocked by our", "block_reason",
			"blockreason", "invalid_prompt", "敏感", "违规", "不安全",
		}},
		{ContextTooLong, []string{
			"context_length", "context length", "context size", "context window", "context limit", "maximum context", "context overflow", "exceed_context",
			"larger than the context", "prompt is too long", "prompt too long", "input is too long", "input too long", "too many tokens", "too many input tokens",
			"maximum prompt length", "maximum model length", "longer than the maximum", "reduce the length", "reduce your prompt", "reduce your input",
			"reduce your message", "exceeds the maximum number of tokens", "exceeds max length", "exceeds the maximum length", "input tokens exceed",
			"maximum number of input tokens", "max_prompt_tokens", "exceeds the limit of", "exceeded model token limit", "input length", "prompt length",
			"tokens + `max_new_tokens`", "too large for model", "request too large", "string_above_max_length", "超长", "超过最大长度",
		}},
		{Quota, []string{
			"insufficient_quota", "insufficient balance", "insufficient_balance", "insufficient credit", "insufficient_credit", "insufficient funds",
			"balance is insufficient", "balance is too low", "balance too low", "credit balance", "more credits", "any credits", "no credits", "out of credits",
			"not enough credits", "available credits", "included credits", "add credits", "prepaid", "arrear", "overdue", "good standing", "spending limit",
			"spend limit", "spend_limit", "api usage limits", "usage_limit_reached", "usage limit has been reached", "billing_hard_limit", "hard limit",
			"billing_not_active", "account is not active", "account is suspended", "account suspended", "payment required", "余额", "欠费", "充值",
		}},
		{Auth, []string{
			"api key not valid", "invalid api key", "invalid_api_key", "api_key_invalid", "incorrect api key", "api key not found", "api key expired",
			"api key is invalid", "invalid x-api-key", "api key was reported", "no api key", "missing api key", "api key is missing", "api key is required",
			"provide an api key", "provide a valid api key", "api key is disabled", "invalid token", "token expired", "token has expired", "token is expired",
			"authentication fail", "authentication_error", "no auth credentials", "令牌", "身份验证",
		}},
		{NotFound, []string{
			"model_not_found", "model not found", "modelnotfound", "model not exist", "model_not_exist", "not a valid model", "invalid model name",
			"invalid model id", "unknown model", "no such model", "model_decommissioned", "decommissioned", "unsupported model", "unsupported_model",
			"model_not_supported", "try pulling it", "not a chat model", "only supported in v1/responses", "is not found for api version", "no endpoints found for",
		}},
	}
}

// kind goes by the provider's words first, because statuses are used loosely. wait is how
// long the provider asks to wait.
func (p problem) kind(status int, wait time.Duration) Kind {
	paced := status == http.StatusTooManyRequests && (wait > 0 || containsAny(p.text, "rate limit", "rate_limit", "per minute", "too many requests"))
	switch {
	case containsAny(p.text, "max_tokens", "max_completion_tokens") && containsAny(p.text, "is too large", "too high", "must be less than"):
		return BadRequest // not the prompt: the limit of the answer
	case p.isOfTemplate() && (status >= 400 || status == 0):
		return BadRequest
	}
	for _, w := range wordings() {
		if containsAny(p.text, w.words...) {
			return w.kind
		}
	}
	switch {
	case status == http.StatusPaymentRequired, !paced && containsAny(p.text, "exceeded your current quota", "billing", "quota exceeded", "exceeded_current_quota"):
		return Quota
	case strings.Contains(p.text, "model") && containsAny(p.text, "does not exist", "do not have access"):
		return NotFound
	case status < http.StatusInternalServerError && containsAny(p.text, "overloaded", "overload", "high demand", "server is busy", "system is busy",
		"rate limit", "rate_limit", "too many requests", "throttl", "capacity", "繁忙", "负载"):
		return RateLimited
	default:
		return kindOfStatus(status, p)
	}
}

// kindOfStatus returns the kind of error that an HTTP status stands for. Status 0 is
// an error inside a stream, for which the problem's code stands.
func kindOfStatus(status int, p problem) Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Auth
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return NotFound
	case http.StatusRequestEntityTooLarge:
		return ContextTooLong
	case http.StatusUnavailableForLegalReasons: // StepFun's filter
		return Refused
	case http.StatusTooManyRequests:
		return RateLimited
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return Server
	case 0:
		return kindOfCode(p.code)
	}
	switch {
	case status >= http.StatusInternalServerError:
		return Server
	case status < http.StatusBadRequest: // it moved elsewhere
		return NotFound
	default:
		return BadRequest
	}
}

// kindOfCode returns the kind of an error inside a stream that names no status.
func kindOfCode(code string) Kind {
	switch {
	case strings.Contains(code, "rate_limit"):
		return RateLimited
	case strings.HasPrefix(code, "invalid_request"), code == "bad_request":
		return BadRequest
	case strings.HasPrefix(code, "authentication"), strings.HasPrefix(code, "permission"):
		return Auth
	default:
		return Server
	}
}

// safeCode returns a code of at most 64 lower-case letters and underscores, and "" for
// any other, which may contain a key or a sentence.
func safeCode(code string) string {
	const longest = 64
	if len(code) > longest || strings.ContainsFunc(code, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		return ""
	}
	return code
}

// retryAfter returns the wait that a server asks for: OpenAI's header in milliseconds,
// else Retry-After in seconds or as a date, else what the error says (python-genai#2114).
func retryAfter(header http.Header, said string, now time.Time) time.Duration {
	var wait time.Duration
	text := strings.TrimSpace(header.Get("Retry-After"))
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		wait = seconds(ms / 1000)
	} else if s, err := strconv.ParseFloat(text, 64); err == nil {
		wait = seconds(s)
	} else if date, err := http.ParseTime(text); err == nil {
		wait = date.Sub(now)
	} else {
		wait = waitIn(said)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// seconds returns s seconds, at most maxRetryAfter, or 0 if s is not positive.
func seconds(s float64) time.Duration {
	if !(s > 0) { // NaN as well
		return 0
	}
	return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
}

// maxRetryAfter bounds the wait that a provider may ask for, so that no number overflows.
const maxRetryAfter = 24 * time.Hour

// asksToWait finds a wait in the words of an error: "retry in 34.07s", "try again in 1m26.4s",
// retryDelay: "34s", retry_after: 5.
var asksToWait = regexp.MustCompile(`(retry|try again|wait)([^0-9\n]{0,20})((?:[0-9]+(?:\.[0-9]+)?\s*[a-z]*\s*)+)`)

// amount finds a number with its unit.
var amount = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)`)

// waitIn returns the wait that an error's words ask for, or 0. A number without a unit counts
// only in a field such as retry_after.
func waitIn(said string) time.Duration {
	for _, found := range asksToWait.FindAllStringSubmatch(said, -1) {
		var wait time.Duration
		for _, part := range amount.FindAllStringSubmatch(found[3], -1) {
			n, _ := strconv.ParseFloat(part[1], 64) // it is a number
			unit := part[2]
			switch inField := containsAny(found[2], "after", "delay"); {
			case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"), unit == "" && strings.Contains(found[2], "ms"):
				wait += seconds(n / 1000)
			case strings.HasPrefix(unit, "s"), unit == "" && inField:
				wait += seconds(n)
			case strings.HasPrefix(unit, "m"):
				wait += seconds(60 * n)
			case strings.HasPrefix(unit, "h"):
				wait += seconds(3600 * n)
			}
		}
		if wait > 0 {
			return wait
		}
	}
	return 0
}
