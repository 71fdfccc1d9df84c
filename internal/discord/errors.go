package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
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
	CodeUnknownWebhook     = 10015 // also if an interaction was long ago
	CodeUnknownInteraction = 10062 // also if it is answered too late
	CodeTooManyOldEdits    = 30046 // edits of messages older than an hour
	CodeTooLarge           = 40005 // a request is too large
	CodeAnswered           = 40060 // the interaction already has its first answer
	codeUnauthorized       = 40001
	codeInvalidToken       = 50014
	CodeMissingAccess      = 50001
	CodeCannotDM           = 50007
	CodeMissingPermissions = 50013
	CodeInvalidWebhook     = 50027 // also if an interaction is too old to be answered
	CodeInvalidForm        = 50035 // also if the message to reply to was deleted
	CodeArchivedThread     = 50083
	CodeReplyNeedsHistory  = 160002
	CodeThreadExists       = 160004
)

// ErrTooManyRefusals is returned without a request being made if so many requests were
// refused with 401, 403 or 429 in the last ten minutes that Discord would soon ban this
// address.
var ErrTooManyRefusals = errors.New("too many requests were refused by Discord; holding back for some minutes")

// ErrNoAnswer is returned if a request was sent and Discord did not answer, or gave an
// answer that cannot be read.
var ErrNoAnswer = errors.New("no answer of Discord's")

// ErrWaitTooLong is returned at once if Discord's rate limits require a wait beyond the
// deadline of the context. It wraps context.DeadlineExceeded.
var ErrWaitTooLong = fmt.Errorf("discord asks to wait for longer than there is time: %w", context.DeadlineExceeded)

// Error is an unsuccessful response of Discord's.
type Error struct {
	Method, Route string        // Route is the route without its ids
	Status        int           // HTTP status
	Code          int           // Discord's error code; 0 if it sent none
	RetryAfter    time.Duration // wait that a 429 asks for; 0 if it names none
	Global        bool          // a 429 that applies to every route
	Shared        bool          // a 429 for a limit shared with other bots
	Faults        string        // the fields that Discord refuses, each with its path and the name of what is wrong
}

// counted reports whether Discord counts the response towards a ban of the IP address.
func (e *Error) counted() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		(e.Status == http.StatusTooManyRequests && !e.Shared)
}

// Error names the route, the status and the code. It leaves out the server's own text,
// which might contain anything.
func (e *Error) Error() string {
	text := e.Method + " " + e.Route + ": HTTP " + strconv.Itoa(e.Status)
	if e.Code != 0 {
		text += ", code " + strconv.Itoa(e.Code)
	}
	if name := nameOf(e.Code); name != "" {
		text += " (" + name + ")"
	}
	if e.Faults != "" {
		text += ": " + e.Faults
	}
	return text
}

// nameOf returns the meaning of a code, or "" for a code that heddle does not handle.
func nameOf(code int) string {
	return map[int]string{
		CodeUnknownChannel: "unknown channel", CodeUnknownGuild: "unknown guild", CodeUnknownMessage: "unknown message", CodeUnknownInteraction: "unknown interaction",
		CodeTooManyOldEdits: "too many edits of old messages", codeUnauthorized: "unauthorized", CodeTooLarge: "request too large", CodeAnswered: "interaction already acknowledged",
		CodeMissingAccess: "missing access", CodeCannotDM: "cannot send messages to this user", CodeMissingPermissions: "missing permissions", CodeInvalidWebhook: "invalid webhook token", CodeUnknownWebhook: "unknown webhook", CodeInvalidForm: "invalid form",
		codeInvalidToken: "invalid token", CodeArchivedThread: "thread is archived", CodeReplyNeedsHistory: "cannot reply without reading history",
	}[code]
}

// IsNotFound reports whether what was asked for does not exist.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// Passing reports whether the same request may be accepted at another time.
func (e *Error) Passing() bool {
	return e.isFailure() || e.Status == http.StatusTooManyRequests
}

// isFailure reports whether Discord failed, so that it may have carried out the request
// all the same. nirn-proxy says 408 if Discord does not answer in time.
func (e *Error) isFailure() bool {
	return e.Status >= http.StatusInternalServerError || e.Status == http.StatusRequestTimeout
}

// IsForbidden reports whether the bot lacks a permission.
func IsForbidden(err error) bool { return hasStatus(err, http.StatusForbidden) }

// IsUnauthorized reports whether the token was refused, by status 401 or by an error
// code under another status.
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

// faults returns the fields of a tree of errors with what is wrong with each. Names that
// cannot be Discord's are left out, as they might be anything.
func faults(path string, tree json.RawMessage) (found []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(tree, &fields) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var wrong []struct {
			Code string `json:"code"`
		}
		switch {
		case !faultName.MatchString(name):
		case name != "_errors":
			found = append(found, faults(strings.TrimPrefix(path+"."+name, "."), fields[name])...)
		case json.Unmarshal(fields[name], &wrong) == nil && len(wrong) > 0 && faultName.MatchString(wrong[0].Code):
			found = append(found, strings.TrimSpace(path+" "+wrong[0].Code))
		}
	}
	return found
}

// faultName is what names of fields and of faults look like.
var faultName = regexp.MustCompile(`^\w{1,64}$`)

// newError returns the error of an unsuccessful response. If the body is not JSON, such
// as a proxy's HTML page, Code stays 0.
func newError(method, route string, status int, header http.Header, body []byte) *Error {
	e := &Error{Method: method, Route: route, Status: status}
	said := parseObject(body)
	e.Code, e.Faults = int(integerOf(said["code"])), strings.Join(faults("", said["errors"]), ", ")
	if status != http.StatusTooManyRequests {
		return e
	}
	e.RetryAfter = seconds(floatOf(said["retry_after"]))
	if e.RetryAfter == 0 {
		e.RetryAfter = headerSeconds(header, "Retry-After")
	}
	scope := strings.ToLower(header.Get("X-RateLimit-Scope"))
	e.Shared = scope == "shared"
	e.Global = isTrue(said["global"]) || scope == "global" || strings.EqualFold(header.Get("X-RateLimit-Global"), "true")
	return e
}

// seconds returns a duration of s seconds, at most a day, or 0 if s is not positive.
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
