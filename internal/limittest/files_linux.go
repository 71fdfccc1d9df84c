package limittest

import "golang.org/x/sys/unix"

// Files bounds the files that a running process can write to a number of bytes. Writes
// beyond it fail as on a full disk.
func Files(pid int, bytes int64) error {
	var limit unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if bytes != Unlimited {
		limit.Cur = uint64(bytes) //nolint:gosec // sizes are not negative
	}
	return unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil)
}
