package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The error codes that callers act on. See "JSON Error Codes" in Discord's API reference.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownGuild       = 10004
	CodeUnknownMessage     = 10008
	CodeUnknownInteraction = 10062 // or one that was answered too late
	CodeTooManyOldEdits    = 30046 // edits of messages older than an hour
	CodeTooLarge           = 40005 // of a request
	CodeAnswered           = 40060 // an interaction has its first answer
	codeUnauthorized       = 40001
	codeInvalidToken       = 50014
	CodeMissingAccess      = 50001
	CodeCannotDM           = 50007
	CodeMissingPermissions = 50013
	CodeArchivedThread     = 50083
	CodeReplyNeedsHistory  = 160002
	CodeThreadExists       = 160004
)

// ErrTooManyRefusals is returned without a request if so many requests were refused
// (401, 403, 429) in the last ten minutes that Discord would soon ban this address.
var ErrTooManyRefusals = errors.New("too many requests were refused by Discord; holding back for some minutes")

// ErrCrowdedOut is returned without a request for an expendable call that would take the
// place of another one.
var ErrCrowdedOut = errors.New("left out, as other requests to Discord come first")

// ErrWaitTooLong is returned without waiting if Discord's limits ask for a wait that
// would outlast the context. It wraps context.DeadlineExceeded.
var ErrWaitTooLong = fmt.Errorf("discord asks to wait for longer than there is time: %w", context.DeadlineExceeded)

// Error is a response of Discord's other than success.
type Error struct {
	Method, Route string        // the route with its ids left out
	Status        int           // HTTP status
	Code          int           // Discord's code, 0 where it sent none
	RetryAfter    time.Duration // from a 429, 0 where it said nothing
	Global        bool          // a 429 that holds for every route
	Shared        bool          // a 429 that other bots caused
}

// counted reports whether Discord counts the response towards a ban of the address.
func (e *Error) counted() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		(e.Status == http.StatusTooManyRequests && !e.Shared)
}

// Error names route, status and code. Discord's own words are left out: nobody knows
// what a server puts there.
func (e *Error) Error() string {
	text := e.Method + " " + e.Route + ": HTTP " + strconv.Itoa(e.Status)
	if e.Code != 0 {
		text += ", code " + strconv.Itoa(e.Code)
	}
	if name := nameOf(e.Code); name != "" {
		text += " (" + name + ")"
	}
	return text
}

// nameOf returns what a code means, or "" for one that heddle does not act on.
func nameOf(code int) string {
	return map[int]string{
		CodeUnknownChannel: "unknown channel", CodeUnknownGuild: "unknown guild", CodeUnknownMessage: "unknown message", CodeUnknownInteraction: "unknown interaction",
		CodeTooManyOldEdits: "too many edits of old messages", codeUnauthorized: "unauthorized", CodeTooLarge: "request too large", CodeAnswered: "interaction already acknowledged",
		CodeMissingAccess: "missing access", CodeCannotDM: "cannot send messages to this user", CodeMissingPermissions: "missing permissions",
		codeInvalidToken: "invalid token", CodeArchivedThread: "thread is archived", CodeReplyNeedsHistory: "cannot reply without reading history",
	}[code]
}

// IsNotFound reports whether what was asked for does not exist.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsForbidden reports whether the bot lacks a permission.
func IsForbidden(err error) bool { return hasStatus(err, http.StatusForbidden) }

// IsUnauthorized reports whether the token was refused: by the status that stands for
// it, or by a code of Discord's under another status.
func IsUnauthorized(err error) bool {
	return hasStatus(err, http.StatusUnauthorized) || HasCode(err, codeUnauthorized, codeInvalidToken)
}

// HasCode reports whether err is a response of Discord's with one of these codes.
func HasCode(err error, codes ...int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(codes, e.Code)
}

func hasStatus(err error, status int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == status
}

// errorBody is the body of an error. Servers that resemble Discord may send its numbers
// as strings.
type errorBody struct {
	Code       looseNumber `json:"code"`
	RetryAfter looseNumber `json:"retry_after"`
	Global     bool        `json:"global"`
}

// newError returns the error of an unsuccessful response. If the body is not JSON, such
// as a proxy's HTML page, Code stays 0.
func newError(method, route string, status int, header http.Header, body []byte) *Error {
	e := &Error{Method: method, Route: route, Status: status}
	var b errorBody
	if json.Unmarshal(body, &b) == nil {
		e.Code = int(b.Code)
	}
	if status != http.StatusTooManyRequests {
		return e
	}
	e.RetryAfter = seconds(float64(b.RetryAfter))
	if e.RetryAfter == 0 {
		e.RetryAfter = headerSeconds(header, "Retry-After")
	}
	scope := strings.ToLower(header.Get("X-RateLimit-Scope"))
	e.Shared = scope == "shared"
	e.Global = b.Global || scope == "global" || strings.EqualFold(header.Get("X-RateLimit-Global"), "true")
	return e
}

// looseNumber is a JSON number, quoted or not. Anything else reads as 0.
type looseNumber float64

// UnmarshalJSON never fails, so that an odd number does not hide the other fields.
func (n *looseNumber) UnmarshalJSON(data []byte) error {
	value, err := strconv.ParseFloat(strings.Trim(string(data), `" `), 64)
	if err == nil {
		*n = looseNumber(value)
	}
	return nil
}

// seconds returns s seconds, at most a day, or 0 if s is not positive.
func seconds(s float64) time.Duration {
	const day = 24 * 60 * 60
	if !(s > 0) { // NaN too
		return 0
	}
	return time.Duration(min(s, day) * float64(time.Second))
}

func headerSeconds(header http.Header, name string) time.Duration {
	value, err := strconv.ParseFloat(strings.TrimSpace(header.Get(name)), 64)
	if err != nil {
		return 0
	}
	return seconds(value)
}

// routeError wraps err with the route, which holds neither ids nor secrets.
func routeError(method, route string, err error) error {
	return fmt.Errorf("%s %s: %w", method, route, err)
}
