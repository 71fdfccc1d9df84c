package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind classifies an Error for callers.
type Kind uint8

// The kinds of errors.
const (
	Unreachable    Kind = iota + 1 // no connection, or it broke before an answer began
	Auth                           // the key is missing, wrong, or may not do this
	NotFound                       // no such model, or no such API at the address
	RateLimited                    // too many requests; RetryAfter may name a wait
	Quota                          // the account is used up
	ContextTooLong                 // the request is larger than the model or the server accepts
	Refused                        // the provider's filter refused the request or ended the answer
	BadRequest                     // the provider does not accept the request
	Server                         // the provider failed
	Stalled                        // nothing came for too long
	Cut                            // the answer ended in the middle
	Malformed                      // what came is not an answer of this API, or not in the form that was asked for
	Empty                          // the answer is complete and has no text
	Cancelled                      // the caller's context ended
	Limited                        // the caller's own limits do not allow the request
	Away                           // no request was made, as recent ones failed or hang
)

// String returns the kind in words.
func (k Kind) String() string {
	return [...]string{
		0: "unknown failure", Unreachable: "unreachable", Auth: "not authorized", NotFound: "model or address not found", RateLimited: "rate limited",
		Quota: "quota used up", ContextTooLong: "context too long", Refused: "refused by the provider",
		BadRequest: "request not accepted", Server: "provider failed", Stalled: "stalled", Cut: "answer cut short",
		Malformed: "answer malformed", Empty: "answer empty", Cancelled: "cancelled", Limited: "over a limit", Away: "away",
	}[k]
}

// Error is a failed request to a model. It never contains people's text, the provider's
// words, an address or a key.
type Error struct {
	Kind   Kind
	Status int // HTTP status; 0 where there was none
	// Code is the provider's code, such as "context_length_exceeded"; "" if there is
	// none that is safe to show.
	Code string
	// RetryAfter is the wait that the provider asks for; 0 if it asks for none.
	RetryAfter time.Duration
	// Retryable is set if the same request may succeed later. The client has already
	// made the configured retries.
	Retryable bool

	cause    error   // a context's or the network's error, else nil
	rejected feature // what the provider rejects of the request, else 0
	remember bool    // it rejects that in every request
}

// Error returns a short description for logs.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("model request: " + e.Kind.String())
	if e.Status != 0 {
		fmt.Fprintf(&b, ", status %d", e.Status)
	}
	if e.Code != "" {
		b.WriteString(", code " + e.Code)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", retry after %s", e.RetryAfter)
	}
	if e.cause != nil {
		b.WriteString(": " + e.cause.Error())
	}
	return b.String()
}

// IsOverload reports whether the provider says that it has too much to do.
func (e *Error) IsOverload() bool {
	const overloaded = 529 // as Anthropic answers
	return e.Kind == RateLimited || e.Status == http.StatusServiceUnavailable || e.Status == overloaded || strings.Contains(e.Code, "overload")
}

// KindOf returns the kind of the *Error in err, or 0 if there is none.
func KindOf(err error) Kind {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Kind
	}
	return 0
}

// Unwrap returns the error of the context or the network, or nil.
func (e *Error) Unwrap() error { return e.cause }

// errStalled is the cause of a context that the watch ended.
var errStalled = errors.New("nothing came for too long")

// cancelled returns the Error of a request whose caller gave up. It wraps the context's
// error and cause.
func cancelled(ctx context.Context) *Error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(cause, err) {
		err = errors.Join(err, cause)
	}
	return &Error{Kind: Cancelled, cause: err}
}

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
	dns, unresolved := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	lasts := unresolved && dns.IsNotFound || untrusted || errors.Is(err, http.ErrSchemeMismatch)
	return &Error{Kind: Unreachable, Retryable: !lasts, cause: err}
}
