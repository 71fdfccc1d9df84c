//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bolt

import "os"

// unlock does nothing, because here bbolt's lock ends with the file.
func unlock(*os.File) {}
