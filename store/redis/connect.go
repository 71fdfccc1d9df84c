package redis

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

var errURL = errors.New("the address of Redis must look like redis://user:password@host:6379/0, " +
	"with rediss: for TLS, redis+cluster: for a Cluster or redis+sentinel: for Sentinels")

// quiet stops go-redis from writing to standard error. Every failure that it would
// write there is also returned by a call.
//
//nolint:gochecknoglobals // go-redis has one logger for the process
var quiet = sync.OnceFunc(func() { goredis.SetLogger(silence{}) })

type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// hasten makes a client give up soon, honour contexts, and not probe for features that
// Valkey and older servers lack. It repeats nothing by itself, because it would repeat
// the end of a transaction on a connection that watches nothing.
func hasten(o *goredis.UniversalOptions, options Options) {
	patience := options.Timeout / 2
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	o.MaxRetries, o.DialerRetries = -1, 1
	o.OnConnect = refuseOld
	o.ContextTimeoutEnabled = true
	o.PipelinePoolSize = -1 // with two pools one might find Redis back and the other not
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// Check returns an error that says what is wrong with an address of Redis. It does not
// connect, and its error does not repeat a password.
func Check(address string) error {
	_, err := parse(address)
	return err
}

// parse returns the options that an address of Redis stands for.
func parse(address string) (*goredis.UniversalOptions, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errURL // the parser's error might contain the password
	}
	scheme, kind, _ := strings.Cut(u.Scheme, "+")
	u.Scheme = scheme
	o, err := options(*u, kind)
	if password, ok := u.User.Password(); err != nil && ok && strings.Contains(err.Error(), password) {
		return nil, errURL
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errURL, err)
	}
	return o, nil
}

var (
	errMaster = errors.New("for Sentinel it needs ?master_name=… in the address")
	errKind   = errors.New("what follows the + is neither cluster nor sentinel")
)

// options returns the options that an address stands for: that of a server, or of a kind of
// several. go-redis parses that of a server, which has none of the parameters of the others. The
// account in the address of a Sentinel is that of the Sentinel.
func options(u url.URL, kind string) (*goredis.UniversalOptions, error) {
	query := u.Query()
	take := func(name string) string {
		defer query.Del(name)
		return query.Get(name)
	}
	all := &goredis.UniversalOptions{IsClusterMode: kind == "cluster"}
	if kind != "" {
		all.Addrs = query["addr"]
		query.Del("addr")
	}
	switch kind {
	case "", "cluster":
	case "sentinel":
		all.MasterName, all.Username, all.Password = take("master_name"), take("username"), take("password")
		if all.MasterName == "" {
			return nil, errMaster
		}
	default:
		return nil, errKind
	}
	u.RawQuery = query.Encode()
	o, err := goredis.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	if kind == "sentinel" {
		all.SentinelUsername, all.SentinelPassword = o.Username, o.Password
	} else {
		all.Username, all.Password = o.Username, o.Password
	}
	if kind != "" && o.TLSConfig != nil {
		o.TLSConfig.ServerName = "" // each connection checks the name of the node that it dials
	}
	all.Addrs, all.TLSConfig, all.DB = append(all.Addrs, o.Addr), o.TLSConfig, o.DB
	all.ClientName, all.Protocol, all.PoolSize, all.ReadTimeout = o.ClientName, o.Protocol, o.PoolSize, o.ReadTimeout
	return all, nil
}

// oldError means that the server is older than heddle needs. Before 6.0.9 an entry that
// expires ends every transaction that has looked at it. It wraps nothing; see refusedError.
type oldError struct{ version string }

func (e oldError) Error() string {
	return "the server is too old; heddle needs Redis 6.0.9 or newer, or Valkey: it is Redis " + e.version
}

// refuseOld returns an oldError if a new connection leads to an old server. A server that does
// not tell its version is not refused. A connection on which no answer came is: the answer would
// be read as that to the next command.
func refuseOld(ctx context.Context, c *goredis.Conn) error {
	info, err := c.Info(ctx, "server").Result()
	if _, answered := errors.AsType[goredis.Error](err); answered {
		return nil // not everybody may ask
	}
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(info, "redis_version:")
	version, _, _ := strings.Cut(rest, "\r\n")
	if isOld(version) {
		return oldError{version}
	}
	return nil
}

// isOld reports whether a version of Redis is below 6.0.9.
func isOld(version string) bool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n == 0 {
		return false
	}
	return major < 6 || major == 6 && minor == 0 && patch < 9
}
