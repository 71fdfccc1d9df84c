package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"heddle/config"
	"heddle/internal/progress"
	"heddle/store/backup"
	"heddle/store/encrypted"
)

// errNoFile is returned if no file is named for a backup.
var errNoFile = errors.New("name the file of the backup")

// backUp writes a backup of the store, which may be in use, into a new file.
func backUp(ctx context.Context, args []string, p Process) (err error) {
	c, file, err := p.backupFile("backup", args)
	if err != nil {
		return err
	}
	engine, err := openBeside(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	locked, err := encrypted.IsEncrypted(ctx, engine)
	if err != nil {
		return storeFailure(storeSetting(c), err)
	}
	entries, err := p.writeBackup(ctx, file, engine)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%d entries are in %s.\n", entries, file)
	switch {
	case !locked:
		fmt.Fprintln(p.Stdout, "They are not encrypted: whoever has the file can read them.")
	case c.StoreKey != "":
		fmt.Fprintln(p.Stdout, "They can be read only with STORE_KEY: keep a copy of it, apart from the file.")
	default:
		fmt.Fprintf(p.Stdout, "They can be read only with the key in %s: keep a copy of it, apart from the file.\n", keyFile(c))
	}
	return nil
}

// backupFile parses the arguments of a command about a backup.
func (p Process) backupFile(command string, args []string) (c config.Config, file string, err error) {
	rest, err := parseFlags(new(flag.FlagSet), command, args, 1, p)
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
func (p Process) writeBackup(ctx context.Context, file string, from encrypted.Inner) (entries int, err error) {
	if _, err := os.Lstat(file); err == nil {
		return 0, misuseError{fmt.Errorf("%s is there already; name a new file", file)}
	}
	draft := file + ".partial"
	out, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return 0, misuseError{fmt.Errorf("make the backup: %w", err)}
	}
	bar := progress.Bytes(p.Stderr, -1, "back up")
	entries, err = backup.Write(ctx, io.MultiWriter(out, bar), from)
	bar.End()
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return entries, errors.Join(err, os.Remove(draft))
	}
	if err := os.Rename(draft, file); err != nil {
		return entries, fmt.Errorf("name the backup: %w", err)
	}
	return entries, nil
}

// restore restores a backup into an empty store.
func restore(ctx context.Context, args []string, p Process) (err error) {
	c, file, err := p.backupFile("restore", args)
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
	defer func() { err = errors.Join(err, engine.Close()) }()
	watched, end := progress.Reading(p.Stderr, in, "read")
	entries, err := backup.Restore(ctx, watched, engine)
	end()
	switch {
	case errors.Is(err, backup.ErrNotEmpty):
		return misuseError{fmt.Errorf("%s: %w; move away what is there, or name another", storeSetting(c), err)}
	case errors.Is(err, backup.ErrDamaged): // at which byte is of no use to anybody
		return misuseError{fmt.Errorf("%s: %w", file, backup.ErrDamaged)}
	case errors.Is(err, backup.ErrFormat):
		return misuseError{fmt.Errorf("%s: %w", file, err)}
	case err != nil:
		return storeFailure(storeSetting(c), err)
	}
	fmt.Fprintf(p.Stdout, "%d entries are restored.\n", entries)
	if c.StoreKey != "" || c.RedisURL != "" {
		return nil
	}
	if locked, err := encrypted.IsEncrypted(ctx, engine); err != nil || !locked {
		return err
	}
	fmt.Fprintf(p.Stdout, "heddle reads them with the key that it made then: put its file at %s, or set STORE_KEY.\n", keyFile(c))
	return nil
}
