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

// errNoFile is returned if no file is named for a backup.
var errNoFile = errors.New("name the file of the backup")

// backUp writes a backup of the store, which may be in use, into a new file.
func backUp(ctx context.Context, args []string, p Process) (err error) {
	c, file, err := p.backupFile(new(pflag.FlagSet), "backup", args)
	if err != nil {
		return err
	}
	s, err := p.openStore(ctx, c, toLook, nil, p.logger(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	entries, err := p.writeBackup(ctx, file, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%d entries are in %s.\n", entries, file)
	switch {
	case s.key == nil:
		fmt.Fprintln(p.Stdout, "They are not encrypted: whoever has the file can read them.")
	case c.StoreKey != "":
		fmt.Fprintln(p.Stdout, "They can be read only with STORE_KEY: keep a copy of it, apart from the file.")
	default:
		fmt.Fprintf(p.Stdout, "They can be read only with the key in %s: keep a copy of it, apart from the file.\n", keyFile(c))
	}
	return nil
}

// backupFile parses the arguments of a command about a backup.
func (p Process) backupFile(flags *pflag.FlagSet, command string, args []string) (c config.Config, file string, err error) {
	rest, err := parseFlags(flags, command, args, 1, p)
	if err != nil {
		return c, "", err
	}
	if len(rest) == 0 {
		return c, "", misuseError{errNoFile}
	}
	c, err = p.load()
	return c, rest[0], err
}

// writeBackup writes a backup under the name of a file only once it is whole. It
// replaces no file.
func (p Process) writeBackup(ctx context.Context, file string, from *opened) (entries int, err error) {
	named := file
	file = inFolder(p.dir, file)
	if _, err := os.Lstat(file); err == nil {
		return 0, misuseError{fmt.Errorf("%s is there already; name a new file", named)}
	}
	// Nobody can put a link where the draft will be, as nobody can guess its name.
	out, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.partial") // with mode 0600
	if err != nil {
		return 0, misuseError{fmt.Errorf("make the backup: %w", err)}
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
func restore(ctx context.Context, args []string, p Process) (err error) {
	var flags pflag.FlagSet
	by := flags.String("key", "", "`FILE` with the key that the backup was made with, if the store has another")
	c, file, err := p.backupFile(&flags, "restore", args)
	if err != nil {
		return err
	}
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
			return misuseError{err}
		}
	}
	entries, err := backup.Restore(ctx, in, s.Archive, key)
	if err != nil {
		return unrestored(c, file, err)
	}
	fmt.Fprintf(p.Stdout, "%d entries are restored.\n", entries)
	return nil
}

// unrestored returns an error that says why a backup was not restored.
func unrestored(c config.Config, file string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return misuseError{fmt.Errorf("%s: %w; move away what is there, or name another", storeSetting(c), err)}
	case errors.Is(err, backup.ErrDamaged): // at which byte is of no use to anybody
		return misuseError{fmt.Errorf("%s: %w", file, backup.ErrDamaged)}
	case errors.Is(err, backup.ErrKey):
		return misuseError{fmt.Errorf("%s: %w; name the file with that key by --key", file, err)}
	case errors.Is(err, backup.ErrFormat):
		return misuseError{fmt.Errorf("%s: %w", file, err)}
	default:
		return storeFailure(storeSetting(c), err)
	}
}
