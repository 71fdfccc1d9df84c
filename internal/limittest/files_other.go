//go:build !linux

package limittest

// Files bounds the files of a running process, which only Linux can.
func Files(int, int64) error { return errMissing }
