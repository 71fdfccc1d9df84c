// Package limittest bounds the files of processes, so that their disk seems full.
package limittest

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// Unlimited is the size of files on a disk that is not full.
const Unlimited = -1

var errMissing = errors.New("this system cannot bound the files of another process, as Linux can")

// Need skips a test that bounds the files of a running process where that cannot be done.
func Need(tb testing.TB) {
	tb.Helper()
	if err := Files(os.Getpid(), Unlimited); errors.Is(err, errMissing) {
		tb.Skip(err)
	}
}

// Exec replaces this process by a program whose files can grow to a number of bytes.
func Exec(bytes uint64, program []string, environ []string) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	return syscall.Exec(program[0], program, environ) //nolint:gosec // tests name it
}
