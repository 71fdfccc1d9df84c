package llm

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds the wait that a provider may ask for, so that no number overflows.
const maxRetryAfter = 24 * time.Hour

// problem is a provider's error, decoded. Its text is used only to find the Kind.
type problem struct {
	status int    // named by the error itself, else 0
	code   string // its code, else its type
	param  string
	text   string // all of it, in lower case
}

// readProblem decodes a body or an event of any of the shapes that providers use:
// {"error":{…}}, {"error":"…"}, [{"error":{…}}], {"object":"error",…}, or no JSON.
func readProblem(body []byte) problem {
	p := problem{text: strings.ToLower(string(body))}
	body = bytes.Trim(body, "[] \t\r\n")
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	inner := body
	if json.Unmarshal(body, &outer) == nil && len(outer.Error) > 0 {
		inner = outer.Error
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

// classify returns the Error of a provider's problem. sent are the features of the
// request that may be left out.
func classify(status int, header http.Header, p problem, sent feature) *Error {
	failure := &Error{Status: status, Code: safeCode(p.code), RetryAfter: retryAfter(header, time.Now())}
	if status == 0 {
		failure.Status = p.status // an error inside a stream names its own
	}
	failure.Kind = kindOf(failure.Status, p)
	failure.Retryable = failure.Kind == RateLimited ||
		failure.Kind == Server && failure.Status != http.StatusNotImplemented
	if slices.Contains([]Kind{BadRequest, NotFound, Server, Auth}, failure.Kind) {
		failure.rejected, failure.remember = rejection(failure.Status, p, sent)
	}
	return failure
}

// kindOf goes by the provider's words first, because statuses are used loosely.
func kindOf(status int, p problem) Kind {
	switch {
	case containsAny(p.text, "context_length_exceeded", "context length", "context size", "context window",
		"maximum context", "prompt is too long", "input is too long", "reduce the length",
		"exceeds the maximum number of tokens", "request too large"):
		return ContextTooLong
	case containsAny(p.text, "content_filter", "content_policy", "responsibleaipolicy", "content management policy", "moderation"):
		return Refused
	case status == http.StatusPaymentRequired, p.code == "insufficient_quota",
		containsAny(p.text, "insufficient balance", "insufficient credit", "insufficient funds"):
		return Quota
	case containsAny(p.text, "api key not valid", "invalid api key", "invalid_api_key", "incorrect api key"):
		return Auth
	case containsAny(p.text, "model_not_found", "model not found"):
		return NotFound
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
	case status < http.StatusBadRequest: // it has moved elsewhere
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
// else Retry-After in seconds or as a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	var wait time.Duration
	text := strings.TrimSpace(header.Get("Retry-After"))
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		wait = seconds(ms / 1000)
	} else if s, err := strconv.ParseFloat(text, 64); err == nil {
		wait = seconds(s)
	} else if date, err := http.ParseTime(text); err == nil {
		wait = date.Sub(now)
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

// unreachable returns the Error of a failed connection. It omits the address, which may
// contain a secret.
func unreachable(err error) *Error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	failure := &Error{Kind: Unreachable, Retryable: true, cause: err}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		failure.Retryable = false
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		failure.Retryable = false
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		failure.Retryable = false
	}
	return failure
}
