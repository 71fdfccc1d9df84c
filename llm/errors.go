package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
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

	cause error // a context's or the network's error, else nil

	// What plan.plainer goes by.
	rejected   []string // the features that the refusal names; nil for none
	always     bool     // they are refused in every request
	refused    bool     // the request was refused, for a reason that a plainer one may not have
	streamOnly bool     // the model answers only in streams
	misshaped  bool     // the model made a call that its provider cannot read
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
