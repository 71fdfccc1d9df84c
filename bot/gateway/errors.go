package gateway

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"heddle/internal/discord"
)

// The errors for which retrying does not help. They end Run.
var (
	ErrToken   = errors.New("discord refuses the bot token: check DISCORD_TOKEN, or reset the token on the Bot page of https://discord.com/developers/applications")
	ErrIntents = errors.New("discord refuses the Message Content intent: switch on \"Message Content Intent\" on the Bot page of https://discord.com/developers/applications and start again")
	ErrShard   = errors.New("discord wants more shards than when heddle started: start it again, and it asks how many")
	ErrRefused = errors.New("discord refuses the way this bot connects")
	// ErrAddress is returned only before the bot has identified once. After that the
	// cause may be a proxy that fails for a while.
	ErrAddress = errors.New("the server at DISCORD_API_URL is not Discord's API: set it to the base of one, such as https://discord.com/api")
)

// The other reasons why a connection ends. Run connects again after them.
var (
	errReconnect = errors.New("discord asked to reconnect")
	errInvalid   = errors.New("discord ended the session")
	errAgain     = errors.New("discord invalidated the session, which may be resumed")
	errDeaf      = errors.New("heartbeats were answered, and no events came")
	errSilent    = errors.New("discord did not answer in time")
	errStalled   = errors.New("heartbeats were no longer answered")
	errReady     = errors.New("discord's READY could not be used")
	errHello     = errors.New("discord's greeting could not be used")
	errLate      = errors.New("discord's greeting came after the turn to identify")
	errEnded     = errors.New("the connection was lost")
	errUnreached = errors.New("the gateway's address could not be asked for")
)

// CloseError is a close code that Discord sent.
type CloseError struct{ Code int }

// Error returns the code, with its meaning if that is known.
func (e *CloseError) Error() string {
	if err := e.Unwrap(); err != nil {
		return fmt.Sprintf("%v (close code %d)", err, e.Code)
	}
	return fmt.Sprintf("discord closed the connection with code %d", e.Code)
}

// Unwrap returns the exported error that the code stands for, or nil if connecting
// again may help.
func (e *CloseError) Unwrap() error {
	switch e.Code {
	case 4004:
		return ErrToken
	case 4010, 4012, 4013:
		return ErrRefused
	case 4011:
		return ErrShard
	case 4014:
		return ErrIntents
	default:
		return nil
	}
}

// IsFatal reports whether err is one for which retrying does not help.
func IsFatal(err error) bool {
	for _, known := range []error{ErrToken, ErrIntents, ErrShard, ErrRefused, ErrAddress} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// resumable reports whether Discord may keep the session after err.
func resumable(err error) bool {
	if closed, ok := errors.AsType[*CloseError](err); ok {
		return closed.Code != 4007 && closed.Code != 4009
	}
	return !errors.Is(err, errInvalid) && !errors.Is(err, errDeaf)
}

// isStrange reports whether err is a response that Discord never sends to a request for
// its gateway, such as a missing page, a redirect or a page of another server.
func isStrange(err error) bool {
	if errors.Is(err, discord.ErrMalformed) {
		return true
	}
	refusal, ok := errors.AsType[*discord.Error](err)
	if !ok {
		return false
	}
	switch refusal.Status {
	case http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false // Discord or a proxy may send these for a while
	}
	return refusal.Status < http.StatusInternalServerError
}

// backoff returns how long to wait after connecting failed a number of times in a row.
// There is no wait after a connection that worked.
func (g *Gateway) backoff(failures int) time.Duration {
	if failures == 0 {
		return 0
	}
	pause := g.cfg.MostBackoff
	if failures < 16 {
		pause = min(pause, g.cfg.FirstBackoff<<(failures-1))
	}
	return pause/2 + rand.N(pause/2+1) //nolint:gosec // jitter needs no secrecy
}
