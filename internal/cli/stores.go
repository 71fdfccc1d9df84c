package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"heddle/config"
	"heddle/internal/terminal"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/redis"
	"heddle/store/seal"
)

// opened is a store that is open.
type opened struct {
	store *store.Store
	key   *seal.Key // nil: it is not encrypted
	held  bool      // somebody else closes it
}

// Close closes the store.
func (o *opened) Close() error {
	if o.held {
		return nil
	}
	return o.store.Close()
}

// purpose is what a store is opened for.
type purpose uint8

const (
	toLook   purpose = iota // the store is there, and is left as it is
	toWrite                 // it is begun if its folder is there
	toAnswer                // it is begun; a damaged file is quarantined and replaced by an empty one
)

// openStore opens Redis if REDIS_URL is set, and the embedded store otherwise, unless the
// command runs in a heddle that holds it. clock tells Discord's time; see store.Options. A
// store that heddle must not use is an error and, except to answer, one that is away, too.
func (p Process) openStore(ctx context.Context, c config.Config, to purpose, clock func() time.Time, log *slog.Logger) (*opened, error) {
	if p.held != nil {
		return &opened{p.held.store, p.held.key, true}, nil
	}
	switch {
	case to != toAnswer && lacks(c, ""):
		return nil, terminal.Errorf("DATA_DIR: the folder %q does not exist, so nothing is stored there", c.DataDir)
	case to == toLook && lacks(c, bolt.FileName):
		return nil, terminal.Errorf("DATA_DIR: no store is in the folder %q, so nothing is stored there; heddle makes %s when it first starts", c.DataDir, bolt.FileName)
	}
	var quarantined func(bolt.Quarantine)
	if to == toAnswer {
		quarantined = func(r bolt.Quarantine) {
			log.ErrorContext(ctx, "the store's file is damaged and was quarantined; heddle goes on with an empty one",
				"file", r.File, "quarantine", r.Moved, "error", r.Cause)
		}
	}
	engine, err := openEngine(c, quarantined)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(ctx, c, engine, to != toLook, log)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	s := store.New(engine, store.Options{Lifetimes: store.Lifetimes{Response: c.CacheTTL, Edited: p.Timings.Edited}, Key: key, Shared: c.RedisURL != "", Log: log, Clock: clock})
	err = s.Fits(ctx)
	if err != nil && to != toAnswer || errors.Is(err, store.ErrKey) || errors.Is(err, store.ErrSchema) || errors.Is(err, store.ErrRestoring) {
		return nil, errors.Join(storeFailure(c, err), s.Close())
	}
	return &opened{store: s, key: key}, nil
}

// withStore opens the configured store for a command, and calls do.
func (p Process) withStore(ctx context.Context, to purpose, do func(config.Config, *opened) error) (err error) {
	c, err := p.load()
	if err != nil {
		return err
	}
	s, err := p.openStore(ctx, c, to, nil, p.logger(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(c, s)
}

// lacks reports whether a file of the embedded store is missing, or its folder if name is
// empty. Opening the store explains other errors.
func lacks(c config.Config, name string) bool {
	_, err := os.Stat(filepath.Join(c.DataDir, name))
	return c.RedisURL == "" && errors.Is(err, fs.ErrNotExist)
}

// storeSetting returns the name of the variable that chooses the store.
func storeSetting(c config.Config) string {
	if c.RedisURL != "" {
		return "REDIS_URL"
	}
	return "DATA_DIR"
}

func openEngine(c config.Config, quarantined func(bolt.Quarantine)) (store.Engine, error) { //nolint:ireturn // one of two, by configuration
	if url := c.RedisURL.Reveal(); url != "" {
		engine, err := redis.Open(redis.Options{URL: url})
		if err != nil {
			return nil, terminal.Errorf("REDIS_URL: %w", err)
		}
		return engine, nil
	}
	engine, err := bolt.Open(bolt.Options{Dir: c.DataDir, Quarantined: quarantined})
	if err != nil {
		return nil, storeFailure(c, err)
	}
	return engine, nil
}

// storeFailure wraps the error of a store that cannot be used with the setting that
// names it, and with a remedy where the store gives none.
func storeFailure(c config.Config, err error) error {
	is := func(causes ...error) bool {
		return slices.ContainsFunc(causes, func(cause error) bool { return errors.Is(err, cause) })
	}
	remedy := ""
	switch {
	case is(store.ErrKey):
		return terminal.Errorf("STORE_KEY: %w", err)
	case is(store.ErrForeign):
		remedy = "; name a folder of heddle's own"
	case is(fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR):
		remedy = "; name a folder that heddle may write in"
	case is(store.ErrSchema):
		remedy = "; run that version, or name a store of its own for this one"
	case is(store.ErrCorrupt): // its text names the remedy
	default: // locked, full or unreachable: that may pass
		return fmt.Errorf("%s: %w", storeSetting(c), err)
	}
	return terminal.Errorf("%s: %w%s", storeSetting(c), err, remedy)
}

// keyFile returns the name of the file with the key that heddle makes for the embedded
// store.
func keyFile(c config.Config) string { return filepath.Join(c.DataDir, "heddle.key") }

// keyOf returns the key of a store, or nil if the store is not encrypted: the one that
// STORE_KEY holds, or that heddle made for the embedded store. For a store that may be begun
// it makes one.
func keyOf(ctx context.Context, c config.Config, engine store.Engine, begin bool, log *slog.Logger) (given *seal.Key, err error) {
	if text := c.StoreKey.Reveal(); text != "" {
		if given, err = seal.ParseKey(text); err != nil {
			return nil, terminal.Errorf("STORE_KEY: %w", err)
		}
	}
	switch { // without a look at a Redis that may be away
	case begin && given != nil:
		return given, nil
	case begin && c.RedisURL != "":
		log.WarnContext(ctx, "what is stored in Redis is not encrypted; set STORE_KEY to have it encrypted")
		return nil, nil //nolint:nilnil // none is given
	}
	encrypted, err := store.IsEncrypted(ctx, engine)
	switch {
	case err != nil:
		return nil, storeFailure(c, err)
	case encrypted && (given != nil || c.RedisURL != ""):
		return given, nil
	case encrypted:
		return madeKey(c)
	case !begin:
		return nil, nil //nolint:nilnil // it needs none
	}
	key, made, err := seal.MakeFile(keyFile(c))
	if err != nil {
		return nil, storeFailure(c, err)
	}
	if made {
		log.InfoContext(ctx, "what is stored is encrypted with a new key; keep a copy of its file, apart from copies of the store: without it nothing stored can be read",
			"file", keyFile(c))
	}
	return key, nil
}

// madeKey returns the key that heddle made for an embedded store that is encrypted.
func madeKey(c config.Config) (*seal.Key, error) {
	key, err := seal.ReadFile(keyFile(c))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, terminal.Errorf("STORE_KEY: %w: it is encrypted, and its key is neither set nor in %s; put the file back, or move %s away to begin anew",
			store.ErrKey, keyFile(c), filepath.Join(c.DataDir, bolt.FileName))
	case errors.Is(err, seal.ErrCut):
		return nil, terminal.Errorf("STORE_KEY: %w; put a copy of the file there, or move %s away to begin anew", err, filepath.Join(c.DataDir, bolt.FileName))
	case err != nil:
		return nil, terminal.Errorf("STORE_KEY: %w", err)
	}
	return key, nil
}
