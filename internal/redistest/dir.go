package redistest

import (
	"fmt"
	"os"
)

// ShortDir creates a temporary directory with a name short enough for socket files in
// it. In some environments the name of the usual temporary directory is too long. The
// caller must remove the directory.
func ShortDir(pattern string) (string, error) {
	const most = 32 // bytes, of about 100
	in := os.TempDir()
	if len(in) > most {
		in = "/tmp"
	}
	dir, err := os.MkdirTemp(in, pattern)
	if err != nil {
		return "", fmt.Errorf("make a directory for sockets: %w", err)
	}
	return dir, nil
}
