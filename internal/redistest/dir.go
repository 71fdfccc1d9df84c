package redistest

import (
	"fmt"
	"os"
)

// ShortDir makes a temporary directory with so short a name that the names of sockets
// in it are taken by the system: some environments name a long one for all that is
// temporary. Who calls it removes the directory.
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
