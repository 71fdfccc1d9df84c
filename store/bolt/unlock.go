//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bolt

import (
	"os"
	"syscall"
)

// unlock lets go of bbolt's lock. Closing the file does not: what is left of it in
// memory, after a fault, keeps the lock too.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) // what fails, as it is closed, holds no lock
}
