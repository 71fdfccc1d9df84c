package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"heddle/config"
	"heddle/internal/terminal"
	"heddle/store"
	"heddle/store/backup"
	"heddle/store/seal"
)

// backUp writes a backup of the store, which may be in use, into a new file.
func backUp(ctx context.Context, args []string, p Process) error {
	return p.withStore(ctx, toLook, func(c config.Config, s *opened) error {
		entries, err := p.writeBackup(ctx, args[0], s)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%d entries are in %s.\n", entries, args[0])
		switch {
		case s.key == nil:
			fmt.Fprintln(p.Stdout, "They are not encrypted: whoever has the file can read them.")
		case c.StoreKey != "":
			fmt.Fprintln(p.Stdout, "They can be read only with STORE_KEY: keep a copy of it, apart from the file.")
		default:
			fmt.Fprintf(p.Stdout, "They can be read only with the key in %s: keep a copy of it, apart from the file.\n", keyFile(c))
		}
		return nil
	})
}

// writeBackup writes a backup under the name of a file only once it is whole. It
// replaces no file.
func (p Process) writeBackup(ctx context.Context, file string, from *opened) (entries int, err error) {
	named := file
	file = inFolder(p.dir, file)
	if _, err := os.Lstat(file); err == nil {
		return 0, terminal.Errorf("%s is there already; name a new file", named)
	}
	// Nobody can put a link where the draft will be, as nobody can guess its name.
	out, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.partial") // with mode 0600
	if err != nil {
		return 0, terminal.Errorf("make the backup: %w", err)
	}
	bar := terminal.Bytes(p.Stderr, "back up")
	entries, err = backup.Write(ctx, io.MultiWriter(out, bar), from.store.Archive, from.key)
	bar.End()
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return entries, errors.Join(err, os.Remove(out.Name()))
	}
	if err := os.Rename(out.Name(), file); err != nil {
		return entries, fmt.Errorf("name the backup: %w", err)
	}
	return entries, nil
}

// restore restores a backup into an empty store. What it held is then encrypted with that
// store's key, which need not be the one of the backup.
func restore(flags *pflag.FlagSet) action {
	by := flags.String("key", "", "`FILE` with the key that the backup was made with, if the store has another")
	return func(ctx context.Context, args []string, p Process) (err error) {
		c, err := p.load()
		if err != nil {
			return err
		}
		file := args[0]
		in, err := os.Open(file) //nolint:gosec // the operator names the file
		if err != nil {
			return unopened(file, err)
		}
		defer in.Close() //nolint:errcheck // it was only read
		engine, err := openEngine(c, nil)
		if err != nil {
			return err
		}
		log := p.logger(c)
		key, err := keyOf(ctx, c, engine, true, log)
		if err != nil {
			return errors.Join(err, engine.Close())
		}
		s := store.New(engine, store.Options{Key: key, Log: log})
		defer func() { err = errors.Join(err, s.Close()) }()
		if *by != "" {
			if key, err = seal.ReadFile(*by); err != nil {
				return terminal.Errorf("%w", err)
			}
		}
		entries, err := backup.Restore(ctx, in, s.Archive, key)
		if err != nil {
			return unrestored(c, file, err)
		}
		fmt.Fprintf(p.Stdout, "%d entries are restored.\n", entries)
		return nil
	}
}

// unrestored returns an error that says why a backup was not restored.
func unrestored(c config.Config, file string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return terminal.Errorf("%s: %w; move away what is there, or name another", storeSetting(c), err)
	case errors.Is(err, backup.ErrDamaged): // at which byte is of no use to anybody
		return terminal.Errorf("%s: %w", file, backup.ErrDamaged)
	case errors.Is(err, backup.ErrKey):
		return terminal.Errorf("%s: %w; name the file with that key by --key", file, err)
	case errors.Is(err, backup.ErrFormat):
		return terminal.Errorf("%s: %w", file, err)
	default:
		return storeFailure(c, err)
	}
}
