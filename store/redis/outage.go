package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"

	"heddle/internal/wait"
	"heddle/store"
)

// breakerSettings returns the settings of a circuit breaker. After three calls in a row
// without an answer it opens for pause, in which calls fail at once. Then one call
// tests whether Redis is back.
func breakerSettings(pause time.Duration) gobreaker.Settings {
	const patience = 3
	return gobreaker.Settings{
		Timeout:      pause,
		ReadyToTrip:  func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= patience },
		IsSuccessful: func(err error) bool { return err == nil || answered(err) },
		IsExcluded:   func(err error) bool { return errors.Is(err, errEnded) },
	}
}

// answered reports whether an error is one that Redis returned, which is an answer.
func answered(err error) bool {
	_, refusal := errors.AsType[goredis.Error](err)
	return refusal
}

// errEnded means that the context of the caller ended before Redis answered. That says
// nothing about Redis.
var errEnded = errors.New("the caller waits no longer")

// ended returns why ctx has ended, and nil as long as it has not. A connection that
// shares the deadline of ctx may fail a moment before ctx says that it has ended.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// errCluster means that a single server was expected at the address of a Cluster.
var errCluster = errors.New("the server belongs to a Cluster: REDIS_URL must begin with redis+cluster:, or with rediss+cluster: for TLS")

// errClosed is what may have happened if Redis closed a new connection. It says why before it
// is asked anything, which go-redis does not hear.
var errClosed = errors.New("it closed the connection: it may want TLS (rediss:), be in protected mode without a password, have too many clients, or be restarting")

// remedies returns what to do about refusals, by how Redis begins them.
func remedies() [][2]string {
	const account = "check the user and the password in REDIS_URL"
	return [][2]string{
		{"WRONGPASS", account},
		{"NOAUTH", account},
		{"AUTH", account},
		{"invalid password", account},
		{"NOPERM", "the user in REDIS_URL lacks a right: give it all keys that begin with heddle: and +@read +@write +@transaction +@connection +time +info +scan"},
		{"DB index", "the server has fewer databases: name a lower one in REDIS_URL"},
		{"SELECT is not allowed", "a Cluster has one database only: name none in REDIS_URL"},
		{"MISCONF", "the server cannot save to its disk and takes no writes: make room on its disk, or look into its log"},
		{"READONLY", "the server is a replica: name the one that takes writes in REDIS_URL, or its Sentinels"},
		{"NOREPLICAS", "the server misses replicas that it must have for writes: start them"},
		{"MASTERDOWN", "the server is a replica and has lost the one that it copies: name that in REDIS_URL"},
		{"LOADING", "the server reads its data from disk: wait until it is done"},
		{"BUSY", "a script blocks the server: wait for it, or end it by SCRIPT KILL"},
		{"This instance has cluster support disabled", "the server is no Cluster: begin REDIS_URL with redis: or rediss:"},
		{"CLUSTERDOWN", "the Cluster lacks nodes: look into it by redis-cli --cluster check"},
		{"max number of clients", "raise its maxclients, or end other clients"},
		{"unknown command", "heddle needs Redis or Valkey with transactions (WATCH, MULTI, EXEC), not a proxy without them"},
	}
}

// remedy returns what to do about a refusal of Redis, or "".
func remedy(err error) string {
	refusal, ok := errors.AsType[goredis.Error](err)
	switch {
	case !ok:
		return ""
	case errors.Is(err, goredis.Nil): // reads take that for an absent value
		return "the Sentinels know no such master: correct master_name in REDIS_URL"
	}
	text := refusal.Error()
	if _, cause, ok := strings.Cut(text, "discarded because of: "); ok { // the end of a transaction
		text = cause
	}
	text = strings.TrimPrefix(text, "ERR ")
	for _, r := range remedies() {
		if strings.HasPrefix(text, r[0]) {
			return r[1]
		}
	}
	return ""
}

// again is the pause before a call that got no answer is repeated.
const again = 4 * time.Millisecond

// call makes a call with a timeout, and repeats it once if it gets no answer. It classifies
// the error, which wraps store.ErrUnavailable both if Redis does not answer and if it answers
// with an error. It is that of ctx if ctx ended first.
func (d *DB) call(ctx context.Context, do func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	_, err := d.breaker.Execute(func() (any, error) {
		err := do(bounded)
		if err != nil && !answered(err) && wait.For(bounded, again) == nil { // every call can be repeated
			err = do(bounded)
		}
		if why := ended(ctx); err != nil && why != nil {
			return nil, fmt.Errorf("%w: %w", errEnded, why)
		}
		return nil, err
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errEnded):
		return fmt.Errorf("ask Redis: %w", err)
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return fmt.Errorf("%w: Redis: %w", store.ErrUntried, err)
	case goredis.IsOOMError(err):
		return fmt.Errorf("%w: Redis: %w", store.ErrFull, err)
	case goredis.HasErrorPrefix(err, "MOVED") && !d.clustered:
		return fmt.Errorf("%w: Redis: %w (%w)", store.ErrUnavailable, errCluster, err)
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: Redis: %w (%w)", store.ErrUnavailable, errClosed, err)
	case errors.Is(err, context.DeadlineExceeded) && d.secured:
		return fmt.Errorf("%w: Redis: %w (if it speaks no TLS, begin REDIS_URL with redis: instead of rediss:)", store.ErrUnavailable, err)
	}
	if what := remedy(err); what != "" {
		return fmt.Errorf("%w: Redis: %w (%s)", store.ErrUnavailable, err, what)
	}
	return fmt.Errorf("%w: Redis: %w", store.ErrUnavailable, err)
}
