package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"heddle/config"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/encrypted"
	"heddle/store/redis"
	"heddle/store/shared"
)

// logQuarantine returns a function that logs that a damaged file was quarantined.
func logQuarantine(log *slog.Logger) func(bolt.Quarantine) {
	return func(r bolt.Quarantine) {
		log.Error("the store's file is damaged and was quarantined; heddle goes on with an empty one",
			"file", r.File, "quarantine", r.Moved, "error", r.Cause)
	}
}

// openStore opens Redis if REDIS_URL is set, and the embedded store otherwise, to answer
// from. clock tells Discord's time; see store.Options. It makes a key for an embedded store without one, and encrypts what was stored
// before there was a key. A damaged file of the embedded store is quarantined and
// replaced by an empty one.
func openStore(ctx context.Context, c config.Config, clock func() time.Time, log *slog.Logger) (*store.Store, error) {
	engine, err := openEngine(c, logQuarantine(log))
	if err != nil {
		return nil, err
	}
	engine = shareWithCommands(ctx, c, log, engine)
	key, err := masterToServe(ctx, c, log, engine)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return storeWith(ctx, engine, key, c, clock, log)
}

// lookIntoStore is openStore for commands that look into a store. They begin no store,
// make no key, and leave a store as it is. A damaged file is an error. An embedded store is
// used through the heddle that holds it, if one runs.
func lookIntoStore(ctx context.Context, c config.Config, log *slog.Logger) (*store.Store, error) {
	engine, err := openBeside(ctx, c)
	if err != nil {
		return nil, err
	}
	return storeToLookInto(ctx, engine, c, log)
}

// storeOrBegin is lookIntoStore for commands that write. They begin an embedded store if
// none is in its folder.
func storeOrBegin(ctx context.Context, c config.Config, log *slog.Logger) (*store.Store, error) {
	engine, err := openBeside(ctx, c)
	if missing, ok := errors.AsType[*noStoreError](err); ok && missing.file != "" {
		engine, err = openEngine(c, nil)
	}
	if err != nil {
		return nil, err
	}
	return storeToLookInto(ctx, engine, c, log)
}

// storeToLookInto returns a store over an engine, with the key that there is for it. It
// closes the engine if there is none.
func storeToLookInto(ctx context.Context, engine encrypted.Inner, c config.Config, log *slog.Logger) (*store.Store, error) {
	key, err := masterToLook(ctx, c, engine)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return storeWith(ctx, engine, key, c, nil, log)
}

// storeWith returns a store over an engine, encrypted with a key unless that is nil. It
// closes the engine if the key does not fit.
func storeWith(ctx context.Context, engine encrypted.Inner, key *encrypted.Master, c config.Config, clock func() time.Time, log *slog.Logger) (*store.Store, error) {
	over := encryptedWith(engine, key, log)
	if err := over.Fits(ctx); errors.Is(err, store.ErrKey) {
		return nil, errors.Join(storeFailure(storeSetting(c), err), over.Close())
	}
	return store.New(over, store.Options{Lifetimes: lifetimes(c), Shared: c.RedisURL != "", Log: log, Clock: clock}), nil
}

// socketFile returns the name of the socket at which a heddle that runs shares the
// embedded store with commands.
func socketFile(c config.Config) string { return filepath.Join(c.DataDir, "heddle.sock") }

// shareWithCommands shares an embedded store with commands. If that fails, they can use it once
// heddle has ended.
func shareWithCommands(ctx context.Context, c config.Config, log *slog.Logger, engine encrypted.Inner) encrypted.Inner { //nolint:ireturn // one of two
	if c.RedisURL != "" {
		return engine
	}
	server, err := shared.Serve(ctx, engine, socketFile(c))
	if err != nil {
		log.InfoContext(ctx, "commands cannot use the store while heddle runs", "error", err)
		return engine
	}
	return server
}

// openBeside opens the configured store, if need be through the heddle that holds it. It
// begins no store.
func openBeside(ctx context.Context, c config.Config) (encrypted.Inner, error) { //nolint:ireturn // one of three
	if c.RedisURL == "" {
		if client, err := shared.Dial(ctx, socketFile(c)); err == nil {
			return client, nil
		}
	}
	if err := needStore(c); err != nil {
		return nil, err
	}
	return openEngine(c, nil)
}

// noStoreError means that there is no embedded store. Either its folder is missing, or the
// file in it.
type noStoreError struct{ folder, file string }

func (e *noStoreError) Error() string {
	if e.file == "" {
		return fmt.Sprintf("DATA_DIR: the folder %q does not exist, so nothing is stored there", e.folder)
	}
	return fmt.Sprintf("DATA_DIR: no store is in the folder %q, so nothing is stored there; heddle makes %s when it first starts", e.folder, e.file)
}

// needStore returns a noStoreError if there is no embedded store. Opening one explains
// other errors.
func needStore(c config.Config) error {
	if c.RedisURL != "" {
		return nil
	}
	if _, err := os.Stat(c.DataDir); errors.Is(err, fs.ErrNotExist) {
		return misuseError{&noStoreError{folder: c.DataDir}}
	}
	if _, err := os.Stat(filepath.Join(c.DataDir, bolt.FileName)); errors.Is(err, fs.ErrNotExist) {
		return misuseError{&noStoreError{c.DataDir, bolt.FileName}}
	}
	return nil
}

// fitting is an engine that reports whether its key fits.
type fitting interface {
	store.Engine
	Fits(ctx context.Context) error
}

// encryptedWith returns an engine that encrypts with a key, or, without one, does not.
func encryptedWith(engine encrypted.Inner, key *encrypted.Master, log *slog.Logger) fitting { //nolint:ireturn // one of two
	if key == nil {
		return encrypted.NewUnencrypted(engine, nil)
	}
	return encrypted.New(engine, encrypted.Options{Master: key, Log: log})
}

// pendingLeast is the shortest time for which waiting mentions are stored.
const pendingLeast = time.Hour

// lifetimes returns how long entries of the store are kept. A mention that waits is
// kept for as long as it would be caught up on.
func lifetimes(c config.Config) store.Lifetimes {
	return store.Lifetimes{Response: c.CacheTTL, Pending: max(pendingLeast, c.CatchUp), Edited: c.EditedTTL}
}

// storeSetting returns the name of the variable that chooses the store.
func storeSetting(c config.Config) string {
	if c.RedisURL != "" {
		return "REDIS_URL"
	}
	return "DATA_DIR"
}

func openEngine(c config.Config, quarantined func(bolt.Quarantine)) (encrypted.Inner, error) { //nolint:ireturn // one of two, by configuration
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
	case is(store.ErrForeign):
		return misuseError{fmt.Errorf("%s: %w; name a folder of heddle's own", setting, err)}
	case is(fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR):
		return misuseError{fmt.Errorf("%s: %w; name a folder that heddle may write in", setting, err)}
	case is(store.ErrKey):
		return misuseError{fmt.Errorf("STORE_KEY: %w", err)}
	case is(store.ErrSchema):
		return misuseError{fmt.Errorf("%s: %w; run that version, or name a store of its own for this one", setting, err)}
	case is(store.ErrCorrupt):
		return misuseError{fmt.Errorf("%s: %w", setting, err)}
	default: // locked, full or unreachable: that may pass
		return fmt.Errorf("%s: %w", setting, err)
	}
}
