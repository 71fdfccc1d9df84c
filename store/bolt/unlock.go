//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bolt

import (
	"os"
	"syscall"
)

// unlock releases bbolt's lock. Closing the file does not, because what bbolt leaves in
// memory after a fault keeps the lock, too.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) // if it fails, the file is closed and holds no lock
}
