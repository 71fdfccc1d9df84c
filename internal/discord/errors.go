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

// Error codes of Discord's that callers act on (Discord API reference, "JSON
// Error Codes").
const (
	CodeUnknownChannel     = 10003
	CodeUnknownMessage     = 10008
	CodeUnknownInteraction = 10062 // or one that was answered too late
	CodeTooManyOldEdits    = 30046 // edits of messages older than an hour
	CodeAnswered           = 40060 // an interaction has its first answer
	codeUnauthorized       = 40001
	codeInvalidToken       = 50014
	CodeMissingAccess      = 50001
	CodeCannotDM           = 50007
	CodeMissingPermissions = 50013
	CodeArchivedThread     = 50083
	CodeReplyNeedsHistory  = 160002
)

// ErrTooManyRefusals is returned without asking Discord while so many requests
// were refused (401, 403, 429) in the last ten minutes that Discord would soon
// shut this address out for an hour.
var ErrTooManyRefusals = errors.New("too many requests were refused by Discord; holding back for some minutes")

// ErrWaitTooLong is returned at once where Discord's limits ask for a wait that
// would outlast the context. It is a context.DeadlineExceeded.
var ErrWaitTooLong = fmt.Errorf("discord asks to wait for longer than there is time: %w", context.DeadlineExceeded)

// Error is an answer of Discord's that is not a success.
type Error struct {
	Method, Route string        // the route with its ids left out
	Status        int           // HTTP status
	Code          int           // Discord's code, 0 where it sent none
	RetryAfter    time.Duration // from a 429, 0 where it said nothing
	Global        bool          // a 429 that holds for every route
	Shared        bool          // a 429 that other bots caused
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
		CodeUnknownChannel: "unknown channel", CodeUnknownMessage: "unknown message", CodeUnknownInteraction: "unknown interaction",
		CodeTooManyOldEdits: "too many edits of old messages", codeUnauthorized: "unauthorized", CodeAnswered: "interaction already acknowledged",
		CodeMissingAccess: "missing access", CodeCannotDM: "cannot send messages to this user", CodeMissingPermissions: "missing permissions",
		codeInvalidToken: "invalid token", CodeArchivedThread: "thread is archived", CodeReplyNeedsHistory: "cannot reply without reading history",
	}[code]
}

// IsNotFound says that the thing asked for does not exist, or no longer.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsForbidden says that the bot may not do this.
func IsForbidden(err error) bool { return hasStatus(err, http.StatusForbidden) }

// IsUnauthorized reports whether the token was refused: by the status that stands for
// it, or by a code of Discord's under another status.
func IsUnauthorized(err error) bool {
	return hasStatus(err, http.StatusUnauthorized) || HasCode(err, codeUnauthorized, codeInvalidToken)
}

// HasCode says that err is an answer of Discord's with one of these codes.
func HasCode(err error, codes ...int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(codes, e.Code)
}

func hasStatus(err error, status int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == status
}

// errorBody is what Discord sends with a refusal. Numbers may come as strings
// from servers that only resemble Discord.
type errorBody struct {
	Code       looseNumber `json:"code"`
	RetryAfter looseNumber `json:"retry_after"`
	Global     bool        `json:"global"`
}

// newError reads an unsuccessful answer. A body that is no JSON (a proxy's HTML
// page, say) only leaves Code at 0.
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

// looseNumber is a JSON number or the same in a string; anything else reads as 0.
type looseNumber float64

// UnmarshalJSON never fails: an odd number must not hide the rest of the answer.
func (n *looseNumber) UnmarshalJSON(data []byte) error {
	value, err := strconv.ParseFloat(strings.Trim(string(data), `" `), 64)
	if err == nil {
		*n = looseNumber(value)
	}
	return nil
}

// seconds is a duration of s seconds, bounded to a day; odd values are 0.
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

// routeError names the route, without ids and secrets, in front of err.
func routeError(method, route string, err error) error {
	return fmt.Errorf("%s %s: %w", method, route, err)
}
