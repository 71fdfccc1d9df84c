package redistest

import (
	"fmt"
	"os"
)

// ShortDir creates a temporary directory with a name so short that the system accepts
// sockets in it. In some environments the usual directory for temporary files has a
// long name. The caller removes the directory.
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
