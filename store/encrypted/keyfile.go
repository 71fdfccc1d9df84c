package encrypted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadFile returns the master key in a file. The error for a missing file wraps
// fs.ErrNotExist.
func ReadFile(name string) (*Master, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the store's key: %w", err)
	}
	m, err := ParseMaster(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// MakeFile returns the master key in a file. If the file does not exist, MakeFile
// creates it with a new key, readable by its owner only, and sets made.
func MakeFile(name string) (m *Master, made bool, err error) {
	m, err = ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, false, err
	}
	m = NewMaster()
	switch err := writeNew(name, m.Text()+"\n"); {
	case errors.Is(err, fs.ErrExist): // another process created it first
		m, err = ReadFile(name)
		return m, false, err
	case err != nil:
		return nil, false, fmt.Errorf("create a key for the store: %w", err)
	}
	return m, true, nil
}

// writeNew creates a file atomically: if the file exists, it is complete, even after a
// loss of power.
func writeNew(name, text string) (err error) {
	draft, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	if _, err = draft.WriteString(text); err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), name); err != nil { // unlike a rename, it replaces nothing
		return err
	}
	return syncDir(filepath.Dir(name))
}

// ReplaceFile replaces the file name by the file by, which it renames.
func ReplaceFile(name, by string) error {
	if err := os.Rename(by, name); err != nil {
		return fmt.Errorf("replace the store's key: %w", err)
	}
	return syncDir(filepath.Dir(name))
}

// syncDir syncs a directory, so that the creation and renaming of its files survive a
// loss of power.
func syncDir(name string) error {
	dir, err := os.Open(name) //nolint:gosec // the operator names it
	if err != nil {
		return fmt.Errorf("open a directory: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync a directory: %w", err)
	}
	return nil
}
