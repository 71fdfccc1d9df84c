//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bolt

import "os"

// unlock does nothing, because on this system bbolt's lock ends when the file is
// closed.
func unlock(*os.File) {}
