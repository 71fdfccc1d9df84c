package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"syscall"
	"time"

	"heddle/config"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/redis"
)

// logQuarantine returns what logs that a damaged file of the store was quarantined.
func logQuarantine(log *slog.Logger) func(bolt.Quarantine) {
	return func(r bolt.Quarantine) {
		log.Error("the store's file is damaged and was quarantined; heddle goes on with an empty one",
			"file", r.File, "quarantine", r.Moved, "error", r.Cause)
	}
}

// openStore opens Redis where one is named, and the embedded store elsewhere. A
// damaged file of that is begun anew where quarantined is there to be told.
func openStore(c config.Config, log *slog.Logger, quarantined func(bolt.Quarantine)) (*store.Store, error) {
	engine, err := openEngine(c, quarantined)
	if err != nil {
		return nil, err
	}
	return store.New(engine, store.Options{Lifetimes: lifetimes(c), Log: log}), nil
}

// pendingLeast is how long a mention waits in the store at least.
const pendingLeast = time.Hour

// lifetimes are how long what is stored is kept: what nobody chooses as the store has
// it, and a mention that waits for as long as it would be caught up.
func lifetimes(c config.Config) store.Lifetimes {
	return store.Lifetimes{Response: c.CacheTTL, Pending: max(pendingLeast, c.CatchUp)}
}

// storeSetting names the variable that says where things are stored.
func storeSetting(c config.Config) string {
	if c.RedisURL != "" {
		return "REDIS_URL"
	}
	return "DATA_DIR"
}

func openEngine(c config.Config, quarantined func(bolt.Quarantine)) (store.Engine, error) { //nolint:ireturn // one of two, by configuration
	if url := c.RedisURL.Reveal(); url != "" {
		engine, err := redis.Open(redis.Options{URL: url, Timeout: c.RedisTimeout})
		if err != nil {
			return nil, misuseError{fmt.Errorf("REDIS_URL: %w", err)}
		}
		return engine, nil
	}
	engine, err := bolt.Open(bolt.Options{Dir: c.DataDir, Quarantined: quarantined})
	if err != nil {
		return nil, storeFailure(storeSetting(c), err)
	}
	return engine, nil
}

// storeFailure wraps the error of a store that cannot be used with the setting that
// names it, and with a remedy where the store gives none.
func storeFailure(setting string, err error) error {
	is := func(causes ...error) bool {
		for _, cause := range causes {
			if errors.Is(err, cause) {
				return true
			}
		}
		return false
	}
	switch {
	case is(fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR):
		return misuseError{fmt.Errorf("%s: %w; name a folder that heddle may write in", setting, err)}
	case is(store.ErrSchema):
		return misuseError{fmt.Errorf("%s: %w; run that version, or name a store of its own for this one", setting, err)}
	case is(store.ErrCorrupt):
		return misuseError{fmt.Errorf("%s: %w", setting, err)}
	default: // locked, full or unreachable: that may pass
		return fmt.Errorf("%s: %w", setting, err)
	}
}
