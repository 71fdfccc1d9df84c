package chatlog

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"heddle/internal/terminal"
)

// WriteFile writes a file atomically: completely, or not at all.
func WriteFile(file string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return terminal.Errorf("%s cannot be written: %w; name a file in a folder that exists", file, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
