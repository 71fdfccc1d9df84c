//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bolt

import "os"

// unlock does nothing: there bbolt's lock ends with the file.
func unlock(*os.File) {}
