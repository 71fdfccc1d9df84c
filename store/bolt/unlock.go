//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bolt

import (
	"os"
	"syscall"
)

// unlock releases bbolt's lock on the file. Closing the file is not enough: after a
// fault bbolt's mapping of the file stays in memory and keeps the lock.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) // it fails only if the file is closed and holds no lock
}
