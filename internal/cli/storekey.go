package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"heddle/config"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/encrypted"
)

// keyFile returns the name of the file with the key that heddle makes for the embedded
// store.
func keyFile(c config.Config) string { return filepath.Join(c.DataDir, "heddle.key") }

// nextKeyFile returns the name of the file with the key that is to replace the one in
// keyFile.
func nextKeyFile(c config.Config) string { return keyFile(c) + ".new" }

// givenMaster returns the key that STORE_KEY holds, or nil.
func givenMaster(c config.Config) (*encrypted.Master, error) {
	text := c.StoreKey.Reveal()
	if text == "" {
		return nil, nil //nolint:nilnil // none is given
	}
	key, err := encrypted.ParseMaster(text)
	if err != nil {
		return nil, misuseError{fmt.Errorf("STORE_KEY: %w", err)}
	}
	return key, nil
}

// masterToServe returns the key for a store to answer from: the one that STORE_KEY
// holds, or one that heddle makes for the embedded store, or nil for Redis.
func masterToServe(ctx context.Context, c config.Config, log *slog.Logger, engine encrypted.Inner) (*encrypted.Master, error) {
	key, err := givenMaster(c)
	switch {
	case err != nil || key != nil:
		return key, err
	case c.RedisURL != "":
		log.WarnContext(ctx, "what is stored in Redis is not encrypted; set STORE_KEY to have it encrypted")
		return nil, nil //nolint:nilnil // none is given
	}
	there, err := encrypted.IsEncrypted(ctx, engine)
	if err != nil {
		return nil, storeFailure(storeSetting(c), err)
	}
	if there {
		return madeMaster(c)
	}
	key, made, err := encrypted.MakeFile(keyFile(c))
	if err != nil {
		return nil, storeFailure(storeSetting(c), err)
	}
	if made {
		log.InfoContext(ctx, "what is stored is encrypted with a new key; keep a copy of its file, apart from copies of the store: without it nothing stored can be read",
			"file", keyFile(c))
	}
	return key, nil
}

// masterToLook returns the key for a store to look into, or nil if the store is not
// encrypted.
func masterToLook(ctx context.Context, c config.Config, engine encrypted.Inner) (*encrypted.Master, error) {
	there, err := encrypted.IsEncrypted(ctx, engine)
	if err != nil {
		return nil, storeFailure(storeSetting(c), err)
	}
	if !there {
		return nil, nil //nolint:nilnil // it needs none
	}
	key, err := givenMaster(c)
	if err != nil || key != nil || c.RedisURL != "" {
		return key, err
	}
	return madeMaster(c)
}

// madeMaster returns the key that heddle made for an embedded store.
func madeMaster(c config.Config) (*encrypted.Master, error) {
	if _, err := os.Stat(nextKeyFile(c)); err == nil {
		return nil, misuseError{fmt.Errorf(`%w: a change of the key was interrupted; run "heddle rekey" again to complete it`, store.ErrKey)}
	}
	return readKeyFile(c)
}

// readKeyFile returns the key in keyFile for an embedded store that is encrypted.
func readKeyFile(c config.Config) (*encrypted.Master, error) {
	key, err := encrypted.ReadFile(keyFile(c))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, misuseError{fmt.Errorf("STORE_KEY: %w: it is encrypted, and its key is neither set nor in %s; put the file back, or move %s away to begin anew",
			store.ErrKey, keyFile(c), filepath.Join(c.DataDir, bolt.FileName))}
	case err != nil:
		return nil, misuseError{fmt.Errorf("STORE_KEY: %w", err)}
	}
	return key, nil
}
